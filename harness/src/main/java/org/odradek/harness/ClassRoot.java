// SPDX-License-Identifier: Apache-2.0
package org.odradek.harness;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;

/** The root of the class files beside that of a class: its folder, or the root in its jar, until this is closed. */
final class ClassRoot implements AutoCloseable
{
    /** The folder or the jar. */
    final Path location;
    final Path path;
    /** Null for a folder. */
    private final FileSystem jar;

    ClassRoot(final Class<?> member) throws IOException
    {
        try
        {
            location = Path.of(member.getProtectionDomain().getCodeSource().getLocation().toURI());
        }
        catch (final URISyntaxException ex)
        {
            throw new IllegalStateException(ex);
        }
        jar = Files.isDirectory(location) ? null : FileSystems.newFileSystem(location);
        path = jar == null ? location : jar.getPath("/");
    }

    /** Returns the folder of a class's package. */
    Path ofPackage(final Class<?> member)
    {
        return path.resolve(member.getPackageName().replace('.', '/'));
    }

    @Override
    public void close() throws IOException
    {
        if (jar != null)
        {
            jar.close();
        }
    }
}
