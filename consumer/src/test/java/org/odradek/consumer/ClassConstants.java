// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URISyntaxException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Reads the string constants of classes from their class files (JVM specification, 4.4).
 */
final class ClassConstants
{
    private static final int HEADER_LENGTH = 8;
    private static final int UTF8 = 1;
    private static final int LONG = 5;
    private static final int DOUBLE = 6;
    private static final int STRING = 8;
    /**
     * Bytes after the tag of each kind of constant; 0 where there is no such kind.
     */
    private static final int[] LENGTHS = {0, 0, 0, 4, 4, 8, 8, 2, 2, 4, 4, 4, 4, 0, 0, 3, 2, 4, 4, 2, 2};

    private ClassConstants()
    {
    }

    /**
     * @param name of a class, with slashes.
     * @return its string constants; null if there is no such class.
     */
    static List<String> strings(final String name) throws IOException
    {
        try (InputStream in = ClassConstants.class.getClassLoader().getResourceAsStream(name + ".class"))
        {
            return in == null ? null : strings(in);
        }
    }

    private static List<String> strings(final InputStream in) throws IOException
    {
        final DataInputStream data = new DataInputStream(in);
        data.skipNBytes(HEADER_LENGTH);
        final String[] texts = new String[data.readUnsignedShort()];
        final List<Integer> indexes = new ArrayList<>();
        int i = 1;
        while (i < texts.length)
        {
            final int tag = data.readUnsignedByte();
            if (tag == UTF8)
            {
                texts[i] = data.readUTF();
            }
            else if (tag == STRING)
            {
                indexes.add(data.readUnsignedShort());
            }
            else if (tag >= LENGTHS.length || LENGTHS[tag] == 0)
            {
                throw new IOException("constant " + i + " has tag " + tag + ", which this reader does not know");
            }
            else
            {
                data.skipNBytes(LENGTHS[tag]);
            }
            // A long or double takes two indexes.
            i += tag == LONG || tag == DOUBLE ? 2 : 1;
        }
        return indexes.stream().map((index) -> texts[index]).toList();
    }

    /**
     * @param anyClass of the folder or jar to search.
     * @param folder   in it, with slashes.
     * @return names of the classes in that folder and below, with slashes.
     */
    static List<String> classesIn(final Class<?> anyClass, final String folder) throws IOException, URISyntaxException
    {
        final Path location = Path.of(anyClass.getProtectionDomain().getCodeSource().getLocation().toURI());
        if (Files.isDirectory(location))
        {
            return classesBelow(location.resolve(folder), location);
        }
        try (FileSystem jar = FileSystems.newFileSystem(location))
        {
            return classesBelow(jar.getPath("/" + folder), jar.getPath("/"));
        }
    }

    private static List<String> classesBelow(final Path folder, final Path root) throws IOException
    {
        try (Stream<Path> walk = Files.walk(folder))
        {
            return walk.map((path) -> root.relativize(path).toString()).filter((name) -> name.endsWith(".class"))
                .map((name) -> name.substring(0, name.length() - ".class".length())).toList();
        }
    }
}
