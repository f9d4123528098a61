// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.rig;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/**
 * The class path of the clients of another commit: that of its own benchmarks, which the script {@code odradek} of that
 * checkout has written. No class of this JVM is added to it, so names may differ.
 */
final class ClassPath
{
    private ClassPath()
    {
    }

    static boolean isBuilt(final Path folder)
    {
        return Files.isRegularFile(file(folder)) &&
            Stream.of(ofCheckout(folder).split(File.pathSeparator)).allMatch((entry) -> Files.exists(Path.of(entry)));
    }

    /** Returns the class path of a checkout that {@link #isBuilt(Path)}. */
    static String ofCheckout(final Path folder)
    {
        try
        {
            return Files.readString(file(folder)).strip();
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }

    private static Path file(final Path folder)
    {
        return folder.resolve("target").resolve("odradek").resolve(module() + ".classpath");
    }

    /** Returns benchmarks or benchmarks-flink: the module whose classes this JVM's class path begins with. */
    private static Path module()
    {
        final String own = System.getProperty("java.class.path").split(File.pathSeparator)[0];
        return Path.of(own).toAbsolutePath().getParent().getParent().getFileName();
    }
}
