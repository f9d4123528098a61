// SPDX-License-Identifier: Apache-2.0
package org.odradek.tools.doctor;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.jar.Manifest;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/**
 * Reads small text files of the system, below a root that tests replace. A file that cannot be read counts as empty,
 * because kernels and containers leave out many of them.
 */
final class SystemFiles
{
    private static final int READ_LENGTH = 1 << 16;

    private final Path root;

    SystemFiles(final Path root)
    {
        this.root = root;
    }

    /**
     * @return the text without surrounding white space; empty if the file cannot be read.
     */
    String text(final String path)
    {
        try (InputStream file = Files.newInputStream(root.resolve(path)))
        {
            return text(file);
        }
        catch (final IOException ex)
        {
            return "";
        }
    }

    /** The text of a file that a process has named, which might be one that blocks. */
    String regularText(final String path)
    {
        return Files.isRegularFile(root.resolve(path)) ? text(path) : "";
    }

    /**
     * @return the main attributes of the manifest of a jar, of which 64 KiB are read; none if it cannot be read.
     */
    Attributes manifest(final String path)
    {
        final Path jar = root.resolve(path);
        if (Files.isRegularFile(jar))
        {
            try (ZipFile zip = new ZipFile(jar.toFile()))
            {
                final ZipEntry manifest = zip.getEntry(JarFile.MANIFEST_NAME);
                if (manifest != null)
                {
                    try (InputStream content = zip.getInputStream(manifest))
                    {
                        return new Manifest(new ByteArrayInputStream(content.readNBytes(READ_LENGTH)))
                            .getMainAttributes();
                    }
                }
            }
            catch (final IOException ex)
            {
                return new Attributes();
            }
        }
        return new Attributes();
    }

    /**
     * These files have no length, and a sysctl of numbers has an end after the first read, so that read must be large.
     */
    private static String text(final InputStream file) throws IOException
    {
        final ByteArrayOutputStream text = new ByteArrayOutputStream();
        final byte[] buffer = new byte[READ_LENGTH];
        for (int length = file.read(buffer); length > 0; length = file.read(buffer))
        {
            text.write(buffer, 0, length);
        }
        return text.toString(StandardCharsets.UTF_8).strip();
    }

    List<String> lines(final String path)
    {
        return text(path).lines().toList();
    }

    /**
     * @return the text after a word at the start of a line, without surrounding white space; empty if no line has it.
     */
    String after(final String path, final String word)
    {
        return lines(path).stream().filter((line) -> line.startsWith(word)).findFirst()
            .map((line) -> line.substring(word.length()).strip()).orElse("");
    }

    /**
     * @return the first text that is not empty, or an empty one.
     */
    String firstText(final List<String> paths)
    {
        return paths.stream().map(this::text).filter((text) -> !text.isEmpty()).findFirst().orElse("");
    }
}
