// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.fuzz;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * The inputs that are kept, one file each in a folder per target, and for each the digest of what was read of it when
 * it was recorded.
 */
public final class Corpus
{
    private static final String DIGESTS = "digests.tsv";
    private static final int NAME_LENGTH = 12;

    private final Path folder;

    public Corpus(final Path folder)
    {
        this.folder = folder;
    }

    public Path folder(final FuzzTarget target)
    {
        return folder.resolve(target.folder());
    }

    /** By name, in order. */
    public Map<String, byte[]> inputs(final FuzzTarget target)
    {
        final Map<String, byte[]> inputs = new TreeMap<>();
        try (Stream<Path> files = Files.list(folder(target)))
        {
            for (final Path file : files.toList())
            {
                inputs.put(file.getFileName().toString(), Files.readAllBytes(file));
            }
            return inputs;
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }

    /** By name of the target and of the input, with a slash between them. */
    public Map<String, String> digests()
    {
        final Map<String, String> digests = new TreeMap<>();
        try
        {
            for (final String line : Files.readAllLines(folder.resolve(DIGESTS)))
            {
                final int tab = line.indexOf('\t');
                digests.put(line.substring(0, tab), line.substring(tab + 1));
            }
            return digests;
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }

    /** @return the name under which it stands there. */
    public String add(final FuzzTarget target, final byte[] input)
    {
        try
        {
            final String name = HexFormat.of().formatHex(MessageDigest.getInstance("SHA-1").digest(input))
                .substring(0, NAME_LENGTH);
            Files.createDirectories(folder(target));
            Files.write(folder(target).resolve(name), input);
            return name;
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
        catch (final NoSuchAlgorithmException ex)
        {
            throw new AssertionError(ex);
        }
    }

    /** Reads every input and writes the digests down. */
    public int record()
    {
        final Map<String, String> digests = new TreeMap<>();
        for (final FuzzTarget target : FuzzTarget.values())
        {
            inputs(target).forEach((name, input) -> digests.put(key(target, name), target.read(input)));
        }
        final List<String> lines = digests.entrySet().stream()
            .map((entry) -> entry.getKey() + '\t' + entry.getValue()).toList();
        try
        {
            Files.write(folder.resolve(DIGESTS), lines);
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
        return lines.size();
    }

    public static String key(final FuzzTarget target, final String name)
    {
        return target.folder() + '/' + name;
    }
}
