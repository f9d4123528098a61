// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleFinder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;

/**
 * Checks that a published artifact, on the module path, may use the packages that it imports. Only client and consumer
 * are compiled as modules: the others are automatic modules.
 */
class ModuleExportsTest
{
    private static final Pattern IMPORT =
        Pattern.compile("(?m)^import (?:static )?(org\\.odradek\\.(?:client|consumer|protocol)(?:\\.[a-z]+)*)\\.[A-Z]");
    private static final ModuleFinder OURS =
        ModuleFinder.of(
        Path.of("target/classes"), Path.of("../client/target/classes"), Path.of("../protocol/target/classes"));

    @ParameterizedTest
    @CsvSource({"client, org.odradek.client", "consumer, org.odradek.consumer", "flink, org.odradek.flink",
        "micrometer, org.odradek.micrometer", "oauth, org.odradek.oauth", "publisher, org.odradek.publisher",
        "replay, org.odradek.replay", "simple-consumer, org.odradek.kafka", "workers, org.odradek.workers"})
    void shouldExportWhatOurArtifactsUse(final String artifact, final String module) throws IOException
    {
        final Set<String> hidden = new TreeSet<>();
        for (final Path source : sources(Path.of("..", artifact, "src/main/java")))
        {
            IMPORT.matcher(Files.readString(source)).results().map((found) -> found.group(1))
                .filter((name) -> !isVisible(name, module)).forEach((name) -> hidden.add(source + ": " + name));
        }
        assertEquals(Set.of(), hidden);
    }

    @ParameterizedTest
    @CsvSource({"org.odradek.protocol, org.odradek.protocol.record",
        "org.odradek.client, org.odradek.client org.odradek.client.context org.odradek.client.security",
        "org.odradek.consumer, org.odradek.consumer org.odradek.consumer.handler"})
    void shouldExportTheApiToEveryModule(final String module, final String packages)
    {
        assertEquals(packages, exports(module).filter((export) -> !export.isQualified())
            .map(ModuleDescriptor.Exports::source).sorted().collect(Collectors.joining(" ")));
    }

    private static boolean isVisible(final String name, final String module)
    {
        return (name + ".").startsWith(module + ".") ||
            Stream.of("org.odradek.client", "org.odradek.consumer", "org.odradek.protocol")
                .flatMap(ModuleExportsTest::exports)
                .anyMatch((export) -> export.source().equals(name) &&
                    (!export.isQualified() || export.targets().contains(module)));
    }

    private static Stream<ModuleDescriptor.Exports> exports(final String module)
    {
        return OURS.find(module).orElseThrow().descriptor().exports().stream();
    }

    private static List<Path> sources(final Path folder) throws IOException
    {
        try (Stream<Path> walk = Files.walk(folder))
        {
            return walk.filter((path) -> path.toString().endsWith(".java")).toList();
        }
    }
}
