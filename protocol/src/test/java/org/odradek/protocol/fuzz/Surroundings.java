// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.fuzz;

import org.odradek.protocol.WireFormatException;
import org.odradek.protocol.record.RecordMemory;

/**
 * Reads the same bytes at two addresses with different bytes around them, and once at the end of mapped memory. Java
 * cannot detect a read by address outside of the limits, but the result of such a read depends on the surroundings, so
 * the readings must be equal.
 */
public final class Surroundings
{
    private static final int BEFORE_ZEROS = 64;
    private static final int AFTER_ZEROS = 512;
    private static final int BEFORE_ONES = 213;
    private static final int AFTER_ONES = 1024;

    /** Reads the whole frame and records every value. */
    @FunctionalInterface
    public interface Walk
    {
        /**
         * @param index   of the first byte.
         * @param limit   first index after the last one.
         * @param readout receives every value that is read.
         */
        void read(RecordMemory memory, int index, int limit, Readout readout);
    }

    private Surroundings()
    {
    }

    /**
     * @return a digest of every value that was read, or of the refusal.
     * @throws AssertionError if the surroundings made a difference.
     */
    public static String read(final byte[] bytes, final Walk walk)
    {
        final Readout zeros = read(bytes, BEFORE_ZEROS, AFTER_ZEROS, 0x00, walk);
        final Readout ones = read(bytes, BEFORE_ONES, AFTER_ONES, 0xFF, walk);
        final String zerosEnd = zeros.toString();
        final String onesEnd = ones.toString();
        final String digest = zeros.digest();
        if (!digest.equals(ones.digest()))
        {
            throw new AssertionError("with zeros around it:\n" + zerosEnd + "\nwith ones around it:\n" + onesEnd);
        }
        if (bytes.length < Cliff.EDGE)
        {
            final Readout edge = read(Cliff.with(bytes), Cliff.EDGE - bytes.length, bytes, walk);
            final String edgeEnd = edge.toString();
            if (!digest.equals(edge.digest()))
            {
                throw new AssertionError(
                    "with zeros around it:\n" + zerosEnd + "\nwith nothing after it:\n" + edgeEnd);
            }
        }
        return digest;
    }

    private static Readout read(
        final byte[] bytes, final int before, final int after, final int filler, final Walk walk)
    {
        final RecordMemory memory = new RecordMemory(before + bytes.length + after);
        memory.buffer().setMemory(0, memory.capacity(), (byte) filler);
        memory.buffer().putBytes(before, bytes);
        final Readout readout = read(memory, before, bytes, walk);
        memory.free();
        return readout;
    }

    private static Readout read(final RecordMemory memory, final int before, final byte[] bytes, final Walk walk)
    {
        final Readout readout = new Readout();
        readout.within(memory, before, before + bytes.length);
        try
        {
            walk.read(memory, before, before + bytes.length, readout);
        }
        catch (final WireFormatException refused)
        {
            readout.value("refused", relativeToFrame(refused.getMessage(), before));
        }
        checkUntouched(bytes, before, memory);
        return readout;
    }

    /** Makes the index in an error relative to the frame, because the frame has several addresses. */
    private static String relativeToFrame(final String message, final int before)
    {
        final String prefix = " at index ";
        final int from = message.indexOf(prefix) + prefix.length();
        final int to = message.indexOf(':', from);
        if (from < prefix.length() || to < 0)
        {
            return message;
        }
        return message.substring(0, from) + (Integer.parseInt(message.substring(from, to)) - before) +
            message.substring(to).replaceAll("(index|limit) \\d+", "$1");
    }

    private static void checkUntouched(final byte[] bytes, final int before, final RecordMemory memory)
    {
        for (int i = 0; i < bytes.length; i++)
        {
            if (memory.buffer().getByte(before + i) != bytes[i])
            {
                throw new AssertionError("byte " + i + " of the frame was overwritten");
            }
        }
    }
}
