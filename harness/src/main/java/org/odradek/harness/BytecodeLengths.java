// SPDX-License-Identifier: Apache-2.0
package org.odradek.harness;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/** Reads from class files (JVM specification, 4.1) how many bytes of bytecode each method has. */
public final class BytecodeLengths
{
    /** HotSpot's default of FreqInlineSize: a method with more bytes is not inlined, however often it is called. */
    public static final int MAX_INLINED = 325;

    private static final String CLASS = ".class";
    private static final int VERSION_LENGTH = 8;
    private static final int UTF8 = 1;
    private static final int LONG = 5;
    private static final int DOUBLE = 6;
    /** Bytes after the tag of each kind of constant. */
    private static final int[] LENGTHS = {0, 0, 0, 4, 4, 8, 8, 2, 2, 4, 4, 4, 4, 0, 0, 3, 2, 4, 4, 2, 2};

    private BytecodeLengths()
    {
    }

    /**
     * Returns the lengths by type and method, such as "Batch.close"; of several methods with one name, the longest.
     *
     * @param member of a folder of classes.
     * @param rooms  packages below that of the member, or "" for that.
     */
    public static SortedMap<String, Integer> in(final Class<?> member, final String... rooms)
    {
        final SortedMap<String, Integer> lengths = new TreeMap<>();
        try (ClassRoot root = new ClassRoot(member))
        {
            for (final String room : rooms)
            {
                try (Stream<Path> files = Files.list(root.ofPackage(member).resolve(room)))
                {
                    for (final Path file : files.filter((path) -> path.toString().endsWith(CLASS)).toList())
                    {
                        read(file, lengths);
                    }
                }
            }
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
        return lengths;
    }

    /** Returns the methods that are too long to be inlined. */
    public static List<String> tooLong(final SortedMap<String, Integer> lengths)
    {
        return lengths.keySet().stream().filter((method) -> lengths.get(method) > MAX_INLINED).toList();
    }

    private static void read(final Path file, final SortedMap<String, Integer> lengths) throws IOException
    {
        final String type = file.getFileName().toString().replace(CLASS, "");
        try (InputStream in = Files.newInputStream(file);
            DataInputStream data = new DataInputStream(new BufferedInputStream(in)))
        {
            data.skipNBytes(VERSION_LENGTH);
            final String[] texts = readConstants(data);
            data.skipNBytes(3 * Short.BYTES);
            data.skipNBytes((long)Short.BYTES * data.readUnsignedShort());
            readMembers(data, texts, null, lengths);
            readMembers(data, texts, type + ".", lengths);
        }
    }

    private static String[] readConstants(final DataInputStream data) throws IOException
    {
        final String[] texts = new String[data.readUnsignedShort()];
        int i = 1;
        while (i < texts.length)
        {
            final int tag = data.readUnsignedByte();
            if (tag == UTF8)
            {
                texts[i] = data.readUTF();
            }
            else
            {
                data.skipNBytes(LENGTHS[tag]);
            }
            // A long or double takes two indexes.
            i += tag == LONG || tag == DOUBLE ? 2 : 1;
        }
        return texts;
    }

    /** @param prefix of the names of methods; null for fields. */
    private static void readMembers(
        final DataInputStream data, final String[] texts, final String prefix, final SortedMap<String, Integer> lengths)
        throws IOException
    {
        for (int count = data.readUnsignedShort(); count > 0; count--)
        {
            data.skipNBytes(Short.BYTES);
            final String name = texts[data.readUnsignedShort()];
            data.skipNBytes(Short.BYTES);
            for (int attributes = data.readUnsignedShort(); attributes > 0; attributes--)
            {
                final boolean isCode = "Code".equals(texts[data.readUnsignedShort()]) && prefix != null;
                long rest = Integer.toUnsignedLong(data.readInt());
                if (isCode)
                {
                    data.skipNBytes(2 * Short.BYTES);
                    lengths.merge(prefix + name, data.readInt(), Math::max);
                    rest -= 2 * Short.BYTES + Integer.BYTES;
                }
                data.skipNBytes(rest);
            }
        }
    }
}
