// SPDX-License-Identifier: Apache-2.0
package org.odradek.tools.reading;

import org.agrona.DirectBuffer;
import org.odradek.protocol.ApiKey;
import org.odradek.protocol.ResponseHeader;
import org.odradek.replay.CapturedFrames;
import org.odradek.tools.Table;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Map;
import java.util.TreeMap;

/**
 * Adds captured frames to the corpus file of the fuzz target fetch-response, one line each: a name, a tab, {@code -}
 * for a digest that has not been recorded, a tab, and the input in hexadecimal. An input is one byte that selects the
 * version, then the response after its correlation id. Large frames are left out, because every build reads the corpus.
 */
final class CorpusSeeds
{
    private static final int NAME_LENGTH = 12;

    private final Path file;
    private final int maxLength;
    private final Map<String, String> lines = new TreeMap<>();
    private int added;
    private int known;
    private int tooLarge;

    CorpusSeeds(final Path file, final int maxLength)
    {
        this.file = file;
        this.maxLength = maxLength;
    }

    void add(final CapturedFrames frames, final int frame)
    {
        final int length = frames.frameLength(frame) - ResponseHeader.LENGTH + 1;
        if (length > maxLength)
        {
            tooLarge++;
            return;
        }
        final byte[] seed = new byte[length];
        seed[0] = (byte)(frames.version(frame) - ApiKey.FETCH.minVersion());
        final DirectBuffer buffer = frames.buffer();
        buffer.getBytes(frames.frameIndex(frame) + ResponseHeader.LENGTH, seed, 1, length - 1);
        final String name = name(seed);
        lines.put(name, name + "\t-\t" + HexFormat.of().formatHex(seed));
    }

    void write()
    {
        added = lines.size();
        try
        {
            if (Files.exists(file))
            {
                for (final String line : Files.readAllLines(file))
                {
                    final String name = line.substring(0, line.indexOf('\t'));
                    // The names of some inputs are whole hashes.
                    known += lines.keySet().removeIf(name::startsWith) ? 1 : 0;
                    lines.put(name, line);
                }
            }
            added -= known;
            Files.write(file, lines.values());
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(file + " cannot be written: " + ex, ex);
        }
    }

    private static String name(final byte[] seed)
    {
        try
        {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-1").digest(seed)).substring(0, NAME_LENGTH);
        }
        catch (final NoSuchAlgorithmException ex)
        {
            throw new AssertionError(ex);
        }
    }

    @Override
    public String toString()
    {
        return Table.counted(added, "frame") + " added to " + file + ", " + known + " were already in it, " + tooLarge +
            " are larger than " + maxLength + " bytes. Run odradek fuzz --record to record what is read from them.";
    }
}
