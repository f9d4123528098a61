// SPDX-License-Identifier: Apache-2.0
package org.odradek.examples;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.odradek.testkit.EmbeddedBroker;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.jar.JarFile;
import java.util.regex.Pattern;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** Runs the jar of the examples as the image of deployment does, with all other jars beside it. */
@ExtendWith(SharedBroker.class)
class DeploymentIT
{
    @Test
    void shouldReadWithTheEntryPointOfTheImage(@TempDir final Path folder) throws IOException
    {
        final EmbeddedBroker broker = SharedBroker.broker();
        broker.createTopic("deployed", 1);
        broker.produce("deployed", 0, 1, (i) -> "first".getBytes(StandardCharsets.US_ASCII));
        final Path properties = Files.writeString(folder.resolve("consumer.properties"), "group.id=deployed\n" +
            "group.protocol=consumer\n" +
            "auto.offset.reset=earliest\nbootstrap.servers=" + broker.bootstrapServers() + "\n");
        final List<String> command = entryPoint();
        command.set(0, Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of(copyJars(folder).toString(), properties.toString(), "deployed"));

        final Process program = new ProcessBuilder(command).redirectErrorStream(true).start();

        try (BufferedReader output = program.inputReader())
        {
            assertEquals("0 0 first", output.readLine());
        }
        finally
        {
            program.destroy();
        }
    }

    private static List<String> entryPoint() throws IOException
    {
        final String arguments = Files.readAllLines(Path.of("deployment/Dockerfile")).stream()
            .filter((line) -> line.startsWith("ENTRYPOINT ")).findFirst().orElseThrow();
        return new ArrayList<>(Pattern.compile("\"([^\"]+)\"").matcher(arguments).results()
            .map((match) -> match.group(1)).toList());
    }

    /** Returns the jar of this module, which Maven has made before, beside the jars that its manifest names. */
    private static Path copyJars(final Path folder) throws IOException
    {
        final Map<String, Path> jars = new HashMap<>();
        for (final String entry : System.getProperty("java.class.path").split(File.pathSeparator))
        {
            jars.put(Path.of(entry).getFileName().toString(), Path.of(entry));
        }
        final String name = jars.keySet().stream().filter((jar) -> jar.startsWith("odradek-examples-")).findFirst()
            .orElseThrow();
        final Path program = Files.copy(jars.get(name), folder.resolve(name));
        try (JarFile jar = new JarFile(program.toFile()))
        {
            for (final String library : jar.getManifest().getMainAttributes().getValue("Class-Path").split(" "))
            {
                Files.copy(jars.get(library), folder.resolve(library));
            }
        }
        return program;
    }
}
