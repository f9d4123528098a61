// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.engine;

import org.odradek.client.files.WrittenFile;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;

/**
 * Reserves a file for one {@code OffsetFile}: within the JVM by claims, and against other processes by a lock on a
 * second file, whose name ends in {@code .lock}. The offset file is claimed before it is opened, because a process
 * loses its POSIX locks on a file when it closes any descriptor of the file. The second file is never deleted, because
 * two processes could otherwise lock two files of the same name.
 */
final class OffsetFileLock
{
    private static final String SUFFIX = ".lock";
    /** Claims are system properties, because a JVM has one set of system properties for all class loaders. */
    private static final String CLAIM_PREFIX = "org.odradek.consumer.offset.file.claim.";

    private final Path path;
    private final String permissions;
    private final Path file;
    private final List<String> claims = new ArrayList<>();
    private FileChannel lockChannel;
    /** This reference keeps the lock reachable, because the JVM forgets a lock that is garbage-collected. */
    private FileLock lock;

    OffsetFileLock(final Path path, final String permissions) throws IOException
    {
        final Path absolute = path.toAbsolutePath();
        if (absolute.getFileName() == null)
        {
            throw new FileSystemException(path.toString(), null, "it must name a file");
        }
        this.path = path;
        this.permissions = permissions;
        file = absolute.getParent().toRealPath().resolve(absolute.getFileName());
        try
        {
            claimAndLock();
        }
        catch (final IOException | RuntimeException ex)
        {
            release();
            throw ex;
        }
    }

    private void claimAndLock() throws IOException
    {
        final Path lockFile = file.resolveSibling(file.getFileName() + SUFFIX);
        claim(file.toString());
        // Closing another descriptor of the lock file would also end the lock, so the lock file must not serve as an
        // offset file.
        claim(lockFile.toString());
        WrittenFile.check(file);
        try
        {
            lockChannel = WrittenFile.open(lockFile, WrittenFile.OWNER_ONLY);
        }
        catch (final IOException ex)
        {
            throw new IOException("its lock file cannot be opened, which must be beside it: " + ex, ex);
        }
        lock = locked(lockChannel);
        if (!Files.exists(file, LinkOption.NOFOLLOW_LINKS))
        {
            // Nothing else can have a lock on a new file, so closing it ends no lock.
            WrittenFile.create(file, permissions).close();
        }
        // The same file may have several names.
        final Object key =
            Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS).fileKey();
        if (key != null)
        {
            claim(key.toString());
        }
    }

    private void claim(final String name)
    {
        if (System.getProperties().putIfAbsent(CLAIM_PREFIX + name, "true") != null)
        {
            throw inUse();
        }
        claims.add(name);
    }

    FileLock locked(final FileChannel channel) throws IOException
    {
        try
        {
            final FileLock acquired = channel.tryLock();
            if (acquired != null)
            {
                return acquired;
            }
        }
        catch (final OverlappingFileLockException ignore)
        {
            // This process itself holds the lock.
        }
        throw inUse();
    }

    private IllegalStateException inUse()
    {
        return new IllegalStateException("Offset file " + path + " is being written by another OffsetFile, of this " +
            "process or another: only one may write it. If it is of this process, close it first.");
    }

    FileChannel open() throws IOException
    {
        return WrittenFile.open(file, permissions);
    }

    /** The offset file must be closed when this method is called. */
    void release()
    {
        try
        {
            if (lockChannel != null)
            {
                lockChannel.close();
            }
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException("The lock file of " + path + " cannot be closed: " + ex, ex);
        }
        finally
        {
            claims.forEach((name) -> System.getProperties().remove(CLAIM_PREFIX + name));
            claims.clear();
        }
    }
}
