// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.rig;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** The class path of clients with the consumer of another commit. */
final class ClassPath
{
    private static final List<String> MODULES = List.of("consumer", "protocol");

    private ClassPath()
    {
    }

    static boolean isBuilt(final Path folder)
    {
        return MODULES.stream().allMatch((module) -> jar(folder, module).isPresent());
    }

    /** Returns the class path of this JVM, with the consumer of a checkout before it, which must be built. */
    static String ofCheckout(final Path folder)
    {
        final StringBuilder path = new StringBuilder();
        MODULES.forEach((module) ->
            path.append(jar(folder, module).orElseThrow()).append(File.pathSeparatorChar));
        return path.append(System.getProperty("java.class.path")).toString();
    }

    private static Optional<Path> jar(final Path folder, final String module)
    {
        final Path target = folder.resolve(module).resolve("target");
        try (Stream<Path> files = Files.isDirectory(target) ? Files.list(target) : Stream.empty())
        {
            return files.filter((file) -> file.getFileName().toString().matches(
                "odradek-" + module + "-[0-9.]+(-SNAPSHOT)?\\.jar")).findFirst();
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }
}
