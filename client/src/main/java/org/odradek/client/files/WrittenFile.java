// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.files;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.Set;

/**
 * Opens files for writing. A link as the last element of a path is refused, because another user may have created it.
 */
public final class WrittenFile
{
    public static final String OWNER_ONLY = "rw-------";
    public static final String GROUP_MAY_READ = "rw-r-----";
    public static final String ALL_MAY_READ = "rw-r--r--";
    /** The system property with the permissions of the files that clients write. */
    public static final String PERMISSIONS_PROP_NAME = "org.odradek.file.permissions";

    private static final int BLOCKS_LENGTH = 64 * 1024;
    private static final FileAttribute<?>[] NO_ATTRIBUTES = {};

    private WrittenFile()
    {
    }

    /**
     * Other users must not be allowed to write, because the JVM may end if another process truncates a mapped file.
     *
     * @throws IllegalArgumentException if the permissions are none of the three constants of this class.
     */
    public static void checkPermissions(final String setting, final String permissions)
    {
        if (!OWNER_ONLY.equals(permissions) && !GROUP_MAY_READ.equals(permissions) && !ALL_MAY_READ.equals(permissions))
        {
            throw new IllegalArgumentException(setting + " is '" + permissions + "': it must be " + OWNER_ONLY + ", " +
                GROUP_MAY_READ + " or " + ALL_MAY_READ);
        }
    }

    /** Returns the permissions in the system property, or {@link #OWNER_ONLY} if the property is not set. */
    public static String defaultPermissions()
    {
        final String permissions = System.getProperty(PERMISSIONS_PROP_NAME, OWNER_ONLY);
        checkPermissions(PERMISSIONS_PROP_NAME, permissions);
        return permissions;
    }

    /**
     * @param permissions permissions of the file; the umask of the process may restrict them further.
     * @throws IOException if the file cannot be created, or something exists at the path already.
     */
    public static FileChannel create(final Path path, final String permissions) throws IOException
    {
        return FileChannel.open(path, Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.READ,
            StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS), attributes(path, permissions));
    }

    /**
     * Opens a file for reading and writing, or creates it.
     *
     * @param permissions permissions of a new file; an existing file keeps its own.
     * @throws IOException if the file cannot be opened, or is not a regular file.
     */
    public static FileChannel open(final Path path, final String permissions) throws IOException
    {
        check(path);
        final Set<OpenOption> options = Set.of(StandardOpenOption.CREATE, StandardOpenOption.READ,
            StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
        return FileChannel.open(path, options, attributes(path, permissions));
    }

    /** @throws IOException if there is anything but a regular file at the path, or its attributes cannot be read. */
    public static void check(final Path path) throws IOException
    {
        try
        {
            RegularFile.attributes(path, LinkOption.NOFOLLOW_LINKS);
        }
        catch (final NoSuchFileException ignore)
        {
            // The file will be created.
        }
    }

    /**
     * Writes a file up to a length in bytes: the bytes that it has, then zeros. Without a block on the disk, a store
     * into a mapped page ends the JVM or throws an InternalError if the disk is full.
     */
    public static void allocateBlocks(final FileChannel channel, final long length) throws IOException
    {
        final long oldLength = channel.size();
        final ByteBuffer bytes = ByteBuffer.allocate(BLOCKS_LENGTH);
        try
        {
            for (long index = 0; index < length; )
            {
                Arrays.fill(bytes.array(), (byte)0);
                bytes.clear().limit((int)Math.min(BLOCKS_LENGTH, length - index));
                int read = 0;
                while (read >= 0 && bytes.hasRemaining())
                {
                    read = channel.read(bytes, index + bytes.position());
                }
                index += channel.write(bytes.position(0), index);
            }
        }
        catch (final IOException ex)
        {
            channel.truncate(oldLength);
            throw ex;
        }
    }

    private static FileAttribute<?>[] attributes(final Path path, final String permissions)
    {
        return path.getFileSystem().supportedFileAttributeViews().contains("posix") ? new FileAttribute<?>[]
            {PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions))} : NO_ATTRIBUTES;
    }
}
