// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.files;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Arrays;

/**
 * Opens and reads regular files, also through symbolic links. Other files are refused, because opening a pipe may
 * block, and reading a device may never end.
 */
public final class RegularFile
{
    /** The maximum length of a properties file, in bytes. */
    public static final int MAX_PROPERTIES_LENGTH = 1 << 20;

    private RegularFile()
    {
    }

    /** @throws IOException if there is no regular file at the path, or its attributes cannot be read. */
    public static void check(final Path path) throws IOException
    {
        attributes(path);
    }

    /** With {@link LinkOption#NOFOLLOW_LINKS}, a link as the last element of the path is refused. */
    static BasicFileAttributes attributes(final Path path, final LinkOption... options) throws IOException
    {
        final BasicFileAttributes found = Files.readAttributes(path, BasicFileAttributes.class, options);
        if (!found.isRegularFile())
        {
            final String what = found.isSymbolicLink() ? "a link, which is not followed when a file is written," :
                found.isDirectory() ? "a directory" : "a pipe, a socket or a device";
            throw new FileSystemException(
                path.toString(), null, "it is " + what + " where a regular file was expected");
        }
        return found;
    }

    /** @throws IOException if {@link #check} refuses the path, or the file cannot be opened. */
    public static FileChannel open(final Path path) throws IOException
    {
        attributes(path);
        return FileChannel.open(path, StandardOpenOption.READ);
    }

    /**
     * Reads a whole file, also on an interrupted thread.
     *
     * @param maxLength maximum length of the file in bytes.
     * @throws IOException if {@link #check} refuses the path, or the file cannot be read, is longer than {@code
     *                     maxLength}, or its length changes while it is read.
     */
    public static byte[] read(final Path path, final int maxLength) throws IOException
    {
        final long length = attributes(path).size();
        if (length > maxLength)
        {
            throw new FileSystemException(path.toString(), null,
                "it has " + length + " bytes where at most " + maxLength + " are accepted");
        }
        final byte[] content = new byte[(int)length];
        try (InputStream stream = Files.newInputStream(path))
        {
            if (stream.readNBytes(content, 0, content.length) < content.length || stream.read() >= 0)
            {
                Arrays.fill(content, (byte)0);
                throw new FileSystemException(path.toString(), null, "it changed while it was read");
            }
        }
        return content;
    }

    /**
     * @param maxLength maximum length of the file in bytes.
     * @throws IOException if {@link #read} fails, or the file is not UTF-8.
     */
    public static String readText(final Path path, final int maxLength) throws IOException
    {
        return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(read(path, maxLength))).toString();
    }
}
