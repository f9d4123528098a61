// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.rivals;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Enumeration;
import java.util.List;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/**
 * The current librdkafka for a machine that has none, without root: the library lies in the binary package of its own
 * maintainers' Python client. pip downloads that from whatever index the machine uses; nothing of it is installed, and
 * the machine's Python may be any version.
 */
final class LibrdkafkaWheel
{
    static final String NAME = "confluent-kafka-2.16.1";

    private static final String REQUIREMENT = NAME.replaceFirst("-(?=[0-9])", "==");
    private static final String LIBRARY_PATTERN = "confluent_kafka\\.libs/librdkafka-[0-9a-f]+\\.so\\.1";

    private LibrdkafkaWheel()
    {
    }

    /**
     * @param python that has pip.
     * @param folder into which the package and the library are put.
     * @return the library.
     */
    static Path fetchLibrary(final String python, final Path folder) throws IOException
    {
        if (!System.getProperty("os.name").equals("Linux"))
        {
            throw new NativeBuildException("its binary package is used on Linux only");
        }
        final String architecture = System.getProperty("os.arch").equals("amd64") ? "x86_64" : "aarch64";
        BuildStep.run(folder, "pip", List.of(python, "-m", "pip", "download", "--disable-pip-version-check",
            "--no-input", "--retries", "1", "--timeout", "20", "--no-deps", "--only-binary", ":all:",
            "--implementation", "cp", "--python-version", "3.11", "--platform", "manylinux_2_28_" + architecture,
            "--dest", ".", REQUIREMENT));
        return extract(wheelIn(folder), folder);
    }

    private static Path wheelIn(final Path folder) throws IOException
    {
        try (DirectoryStream<Path> wheels = Files.newDirectoryStream(folder, "*.whl"))
        {
            for (final Path wheel : wheels)
            {
                return wheel;
            }
        }
        throw new NativeBuildException("pip left no package behind");
    }

    private static Path extract(final Path wheel, final Path folder) throws IOException
    {
        try (ZipFile zip = new ZipFile(wheel.toFile()))
        {
            final Enumeration<? extends ZipEntry> entries = zip.entries();
            while (entries.hasMoreElements())
            {
                final ZipEntry entry = entries.nextElement();
                if (entry.getName().matches(LIBRARY_PATTERN))
                {
                    final Path library = folder.resolve(Path.of(entry.getName()).getFileName());
                    try (InputStream bytes = zip.getInputStream(entry))
                    {
                        Files.copy(bytes, library);
                    }
                    return library;
                }
            }
        }
        throw new NativeBuildException(NAME + " holds no librdkafka");
    }
}
