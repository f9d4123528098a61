// SPDX-License-Identifier: Apache-2.0
package org.odradek.publisher;

import org.agrona.DirectBuffer;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

/** The hash by which Kafka's producer assigns a key to a partition: MurmurHash2 of 32 bits with a fixed seed. */
final class KeyHash
{
    private static final int SEED = 0x9747B28C;
    private static final int MULTIPLIER = 0x5BD1E995;
    private static final int SHIFT = 24;

    private KeyHash()
    {
    }

    /** @throws IndexOutOfBoundsException if the buffer does not contain the whole key. */
    static int partition(final DirectBuffer buffer, final int index, final int length, final int partitionCount)
    {
        buffer.boundsCheck(index, length);
        return (murmur2(buffer, index, length) & Integer.MAX_VALUE) % partitionCount;
    }

    private static int murmur2(final DirectBuffer buffer, final int index, final int length)
    {
        int hash = SEED ^ length;
        final int tail = index + (length & ~3);
        for (int i = index; i < tail; i += Integer.BYTES)
        {
            int word = buffer.getInt(i, LITTLE_ENDIAN) * MULTIPLIER;
            word = (word ^ word >>> SHIFT) * MULTIPLIER;
            hash = hash * MULTIPLIER ^ word;
        }
        int rest = 0;
        for (int i = (length & 3) - 1; i >= 0; i--)
        {
            rest = rest << Byte.SIZE | buffer.getByte(tail + i) & 0xFF;
        }
        hash = (length & 3) == 0 ? hash : (hash ^ rest) * MULTIPLIER;
        hash = (hash ^ hash >>> 13) * MULTIPLIER;
        return hash ^ hash >>> 15;
    }
}
