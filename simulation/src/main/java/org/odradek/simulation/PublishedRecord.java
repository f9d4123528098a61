// SPDX-License-Identifier: Apache-2.0
package org.odradek.simulation;

import java.nio.ByteBuffer;

/**
 * Which record a value belongs to; the first bytes of each value say so.
 *
 * @param life      of the publisher, from 1 on.
 * @param partition that it was offered to.
 * @param position  that it was accepted at.
 */
record PublishedRecord(int life, int partition, long position)
{
    static final int LENGTH = 2 * Integer.BYTES + Long.BYTES;
    /** The position of a record that the user has aborted. */
    static final long ABORTED = -1;
    /** So many records in turn can be compressed, and so many cannot. */
    private static final int STRETCH = 32;
    private static final long GOLDEN_GAMMA = 0x9E3779B97F4A7C15L;

    static PublishedRecord of(final ByteBuffer value)
    {
        final int index = value.position();
        return new PublishedRecord(value.getInt(index), value.getInt(index + Integer.BYTES),
            value.getLong(index + 2 * Integer.BYTES));
    }

    /** Returns a byte of a value that follows the first ones. */
    static byte byteAt(final long position, final int index)
    {
        if ((position & STRETCH) == 0)
        {
            return (byte)position;
        }
        final long mixed = ((position << Integer.SIZE) + index) * GOLDEN_GAMMA;
        return (byte)((mixed ^ mixed >>> Integer.SIZE) * GOLDEN_GAMMA >>> Long.SIZE - Byte.SIZE);
    }
}
