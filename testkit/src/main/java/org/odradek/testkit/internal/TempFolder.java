// SPDX-License-Identifier: Apache-2.0
package org.odradek.testkit.internal;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;

/** A temporary folder, which {@link #delete()} removes with its contents. */
public final class TempFolder
{
    private static final int TRIES = 5;

    private final Path path;

    public TempFolder(final String prefix)
    {
        this(Path.of(System.getProperty("java.io.tmpdir")), prefix);
    }

    public TempFolder(final Path parent, final String prefix)
    {
        try
        {
            path = Files.createTempDirectory(parent, prefix);
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }

    private TempFolder(final Path path)
    {
        this.path = path;
    }

    static TempFolder at(final Path path)
    {
        return new TempFolder(path);
    }

    public Path path()
    {
        return path;
    }

    /**
     * Removes the folder with its contents. The method tries up to 5 times, because a server that is ending may still
     * add a file.
     *
     * @throws UncheckedIOException if the last attempt fails.
     */
    public void delete()
    {
        for (int i = 1; Files.exists(path); i++)
        {
            try
            {
                Files.walkFileTree(path, new Deleter());
            }
            catch (final IOException ex)
            {
                if (i == TRIES)
                {
                    throw new UncheckedIOException(ex);
                }
            }
        }
    }

    private static final class Deleter extends SimpleFileVisitor<Path>
    {
        @Override
        public FileVisitResult visitFile(final Path file, final BasicFileAttributes attributes) throws IOException
        {
            Files.deleteIfExists(file);
            return FileVisitResult.CONTINUE;
        }

        @Override
        public FileVisitResult visitFileFailed(final Path file, final IOException cause) throws IOException
        {
            if (cause instanceof NoSuchFileException)
            {
                return FileVisitResult.CONTINUE;
            }
            throw cause;
        }

        @Override
        public FileVisitResult postVisitDirectory(final Path folder, final IOException cause) throws IOException
        {
            Files.deleteIfExists(folder);
            return FileVisitResult.CONTINUE;
        }
    }
}
