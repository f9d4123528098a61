// SPDX-License-Identifier: Apache-2.0
package org.odradek.harness.fuzz;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The inputs that every build reads again: one text file per target, one line per input. A line has three columns with
 * a tab between them: the name of the input, the digest of what was read from it when it was recorded (or
 * {@link #NOT_RECORDED}), and its bytes in hexadecimal. Lines are sorted by name.
 */
public final class Corpus
{
    /** Replaces the digest of an input that was added after the last {@link #record}. */
    public static final String NOT_RECORDED = "-";

    private static final int NAME_LENGTH = 12;

    private final Path folder;

    /** An input and the digest of what was read from it. */
    public record Entry(String digest, byte[] input)
    {
    }

    public Corpus(final Path folder)
    {
        this.folder = folder;
    }

    /** By name, in order. */
    public Map<String, Entry> entries(final FuzzTarget target) throws IOException
    {
        final Map<String, Entry> entries = new TreeMap<>();
        if (Files.exists(file(target)))
        {
            for (final String line : Files.readAllLines(file(target)))
            {
                final String[] columns = line.split("\t", -1);
                entries.put(columns[0], new Entry(columns[1], HexFormat.of().parseHex(columns[2])));
            }
        }
        return entries;
    }

    /** @return the name of the input in the corpus. */
    public String add(final FuzzTarget target, final byte[] input) throws IOException
    {
        final Map<String, Entry> entries = entries(target);
        for (final Map.Entry<String, Entry> entry : entries.entrySet())
        {
            if (Arrays.equals(entry.getValue().input(), input))
            {
                return entry.getKey();
            }
        }
        final String name = hash(input).substring(0, NAME_LENGTH);
        entries.put(name, new Entry(NOT_RECORDED, input));
        write(target, entries);
        return name;
    }

    /**
     * Reads every input of these targets and records the digest of what was read.
     *
     * @return the number of inputs.
     */
    public int record(final FuzzTarget... targets) throws IOException
    {
        int count = 0;
        for (final FuzzTarget target : targets)
        {
            final Map<String, Entry> entries = entries(target);
            entries.replaceAll((name, entry) -> new Entry(target.read(entry.input()), entry.input()));
            write(target, entries);
            count += entries.size();
        }
        return count;
    }

    private void write(final FuzzTarget target, final Map<String, Entry> entries) throws IOException
    {
        final List<String> lines = entries.entrySet().stream().map((entry) -> entry.getKey() + '\t' +
            entry.getValue().digest() + '\t' + HexFormat.of().formatHex(entry.getValue().input())).toList();
        Files.createDirectories(folder);
        Files.write(file(target), lines);
    }

    private Path file(final FuzzTarget target)
    {
        return folder.resolve(target.label() + ".tsv");
    }

    private static String hash(final byte[] input)
    {
        try
        {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-1").digest(input));
        }
        catch (final NoSuchAlgorithmException ex)
        {
            throw new AssertionError(ex);
        }
    }
}
