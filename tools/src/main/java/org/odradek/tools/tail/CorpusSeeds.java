// SPDX-License-Identifier: Apache-2.0
package org.odradek.tools.tail;

import org.agrona.DirectBuffer;
import org.odradek.protocol.ApiKey;
import org.odradek.protocol.ResponseHeader;
import org.odradek.replay.CapturedFrames;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * Captured frames as inputs of the fuzz target fetch-response: a byte that chooses the version, then the response from
 * the first byte after its correlation id, in a file with the name that the corpus gives it. Those that are too large
 * are left out: a corpus is read again by every build, and every input is changed in every place.
 */
final class CorpusSeeds
{
    private static final int NAME_LENGTH = 12;

    private final Path folder;
    private final int maxLength;
    private int added;
    private int known;
    private int tooLarge;

    CorpusSeeds(final Path folder, final int maxLength)
    {
        this.folder = folder;
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
        write(seed);
    }

    private void write(final byte[] seed)
    {
        try
        {
            final String name = HexFormat.of().formatHex(MessageDigest.getInstance("SHA-1").digest(seed))
                .substring(0, NAME_LENGTH);
            Files.createDirectories(folder);
            if (Files.exists(folder.resolve(name)))
            {
                known++;
            }
            else
            {
                Files.write(folder.resolve(name), seed);
                added++;
            }
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(folder + " cannot be written to: " + ex, ex);
        }
        catch (final NoSuchAlgorithmException ex)
        {
            throw new AssertionError(ex);
        }
    }

    @Override
    public String toString()
    {
        return added + " frames added to " + folder + ", " + known + " were there, " + tooLarge + " are larger than " +
            maxLength + " bytes; odradek fuzz --record writes down what they are read as";
    }
}
