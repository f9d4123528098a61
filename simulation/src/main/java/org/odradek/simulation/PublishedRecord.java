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

    static PublishedRecord of(final ByteBuffer value)
    {
        final int index = value.position();
        return new PublishedRecord(value.getInt(index), value.getInt(index + Integer.BYTES),
            value.getLong(index + 2 * Integer.BYTES));
    }
}
