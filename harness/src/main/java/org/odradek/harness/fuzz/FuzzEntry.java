// SPDX-License-Identifier: Apache-2.0
package org.odradek.harness.fuzz;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;

import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;

/**
 * The entry point for the fuzzer, which sets the target once and then passes one input after another. Every input is
 * written to a mapped file before it is read, so that it is known even if it crashes the JVM.
 */
public final class FuzzEntry
{
    static final int MAX_INPUT_LENGTH = 1 << 12;

    private static FuzzTarget target;
    private static MappedByteBuffer current;

    private FuzzEntry()
    {
    }

    /** @param args the enum and the label of a {@link FuzzTarget}, and the file for the current input. */
    public static void fuzzerInitialize(final String[] args)
    {
        target = FuzzTarget.ofLabel(FuzzTarget.of(args[0]), args[1]);
        try (FileChannel file = FileChannel.open(Path.of(args[2]), CREATE, READ, WRITE))
        {
            current = file.map(FileChannel.MapMode.READ_WRITE, 0, Integer.BYTES + MAX_INPUT_LENGTH);
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }

    /** @param input any bytes, {@link #MAX_INPUT_LENGTH} at most. */
    public static void fuzzerTestOneInput(final byte[] input)
    {
        current.putInt(0, input.length).put(Integer.BYTES, input);
        target.read(input);
    }
}
