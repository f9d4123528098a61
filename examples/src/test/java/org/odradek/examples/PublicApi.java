// SPDX-License-Identifier: Apache-2.0
package org.odradek.examples;

import org.odradek.harness.PublicSignatures;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/** The packages and public types that docs/promise.md calls API. */
final class PublicApi
{
    /** The package of the views, of which only these types are API. */
    static final String VIEWS = "org.odradek.protocol.record";
    static final String FACADE = "org.odradek.kafka";
    private static final Set<String> VIEW_TYPES =
        Set.of("CompressionType", "Record", "RecordHeadersFlyweight", "StoredBatch");

    private PublicApi()
    {
    }

    /** The folders of the sources by the name of the package, in an order that does not change. */
    static Map<String, Path> packages() throws IOException
    {
        final Map<String, Path> folders = new LinkedHashMap<>();
        add(folders, "protocol", VIEWS);
        add(folders, "client", "org.odradek.client", "org.odradek.client.context", "org.odradek.client.security");
        add(folders, "consumer", "org.odradek.consumer", "org.odradek.consumer.handler");
        for (final String module : List.of(
            "publisher", "workers", "replay", "testkit", "oauth", "micrometer", "flink", "affinity"))
        {
            add(folders, module, "org.odradek." + module);
        }
        addFacade(folders);
        return folders;
    }

    private static void addFacade(final Map<String, Path> folders) throws IOException
    {
        final Path sources = Path.of("../simple-consumer/src/main/java");
        try (Stream<Path> files = Files.walk(sources.resolve(FACADE.replace('.', '/'))))
        {
            files.filter(Files::isDirectory).map((folder) -> sources.relativize(folder).toString().replace('/', '.'))
                .filter((name) -> !name.matches(".*\\.(blocking|wire)")).sorted()
                .forEach((name) -> add(folders, "simple-consumer", name));
        }
    }

    private static void add(final Map<String, Path> folders, final String module, final String... packages)
    {
        for (final String name : packages)
        {
            folders.put(name, Path.of("..", module, "src/main/java", name.replace('.', '/')));
        }
    }

    /** The sources of the types of a package that are API. */
    static List<ApiSource> sources(final String name, final Path folder)
    {
        return ApiSource.in(folder).stream()
            .filter((source) -> !name.equals(VIEWS) || VIEW_TYPES.contains(source.name())).toList();
    }

    /** The types that are API, with those that they contain. */
    static List<Class<?>> types() throws IOException
    {
        final List<Class<?>> types = new ArrayList<>();
        for (final Map.Entry<String, Path> folder : packages().entrySet())
        {
            final List<ApiSource> sources = sources(folder.getKey(), folder.getValue());
            if (!sources.isEmpty())
            {
                PublicSignatures.publicClasses(type(folder.getKey() + "." + sources.get(0).name())).stream()
                    .filter((type) -> !folder.getKey().equals(VIEWS) || VIEW_TYPES.contains(type.getSimpleName()))
                    .forEach(types::add);
            }
        }
        return types;
    }

    private static Class<?> type(final String name)
    {
        try
        {
            return Class.forName(name, false, PublicApi.class.getClassLoader());
        }
        catch (final ClassNotFoundException ex)
        {
            throw new IllegalStateException(name + " is on no class path of the tests", ex);
        }
    }
}
