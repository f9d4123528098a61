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
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * Reads the string constants of classes from their class files (JVM specification, 4.4). The build runs it to list
 * those of our classes.
 */
final class ClassConstants
{
    private static final String OURS = "org/odradek/";
    /** Whatever the polling thread runs is used by these, or by what they use. */
    private static final List<String> FIRST = List.of(
        OURS + "consumer/TopicConsumer", OURS + "consumer/ConsumerAgent", OURS + "consumer/PollerIdleStrategy");
    private static final int HEADER_LENGTH = 8;
    private static final int UTF8 = 1;
    private static final int LONG = 5;
    private static final int DOUBLE = 6;
    private static final int CLASS = 7;
    private static final int STRING = 8;
    /**
     * Bytes after the tag of each kind of constant; 0 where there is no such kind.
     */
    private static final int[] LENGTHS = {0, 0, 0, 4, 4, 8, 8, 2, 2, 4, 4, 4, 4, 0, 0, 3, 2, 4, 4, 2, 2};

    private final Set<String> strings = new TreeSet<>();
    private final Set<String> classes = new TreeSet<>();

    private ClassConstants()
    {
    }

    /** @param args the file to write to, then the classes to begin with, if they are not those of the consumer. */
    public static void main(final String[] args) throws IOException
    {
        final List<String> first = List.of(args).subList(1, args.length);
        Files.write(Path.of(args[0]), ours(first.isEmpty() ? FIRST : first));
    }

    /** The string constants of our classes that a consumer uses, as lines of a list. */
    static Set<String> ours() throws IOException
    {
        return ours(FIRST);
    }

    private static Set<String> ours(final List<String> first) throws IOException
    {
        final Set<String> lines = new TreeSet<>();
        final Set<String> known = new TreeSet<>(first);
        final Deque<String> open = new ArrayDeque<>(first);
        while (!open.isEmpty())
        {
            final ClassConstants constants = of(open.pop());
            constants.strings.forEach((text) -> lines.add(escaped(text)));
            constants.classes.stream().filter((name) -> name.startsWith(OURS) && known.add(name)).forEach(open::push);
        }
        return lines;
    }

    /**
     * @param name of a class, with slashes.
     * @return its string constants; null if there is no such class.
     */
    static Set<String> strings(final String name) throws IOException
    {
        final ClassConstants constants = of(name);
        return constants == null ? null : constants.strings;
    }

    private static ClassConstants of(final String name) throws IOException
    {
        try (InputStream in = ClassConstants.class.getClassLoader().getResourceAsStream(name + ".class"))
        {
            return in == null ? null : read(new DataInputStream(in));
        }
    }

    private static ClassConstants read(final DataInputStream data) throws IOException
    {
        data.skipNBytes(HEADER_LENGTH);
        final String[] texts = new String[data.readUnsignedShort()];
        final List<Integer> strings = new ArrayList<>();
        final List<Integer> classes = new ArrayList<>();
        int i = 1;
        while (i < texts.length)
        {
            final int tag = data.readUnsignedByte();
            if (tag == UTF8)
            {
                texts[i] = data.readUTF();
            }
            else if (tag == STRING || tag == CLASS)
            {
                (tag == STRING ? strings : classes).add(data.readUnsignedShort());
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
        final ClassConstants constants = new ClassConstants();
        strings.forEach((index) -> constants.strings.add(texts[index]));
        classes.forEach((index) -> constants.classes.add(texts[index]));
        return constants;
    }

    /** The text as one line of a list. */
    static String escaped(final String text)
    {
        final StringBuilder escaped = new StringBuilder();
        for (final char c : text.toCharArray())
        {
            escaped.append(c == '\\' ? "\\\\" : c < ' ' ? String.format("\\%03o", (int)c) : String.valueOf(c));
        }
        return escaped.toString();
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
