// SPDX-License-Identifier: Apache-2.0
package org.odradek.verification.chaos;

import org.agrona.DirectBuffer;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/**
 * The value of a record of a run. It holds its partition and sequence, and a checksum that detects a changed byte.
 * <pre>
 *  0  partition  int
 *  4  sequence   long, the number of the record in its partition, from 0
 * 12  filling    bytes, computed from the sequence
 * 60  checksum   int, CRC-32C of all bytes before it
 * </pre>
 */
final class ChaosRecord
{
    static final int LENGTH = 64;
    /** The result of {@link #sequence} for bytes that are not a record of this partition. */
    static final long BROKEN = -3;

    private static final int SEQUENCE_INDEX = 4;
    private static final int CHECKSUM_INDEX = 60;

    private ChaosRecord()
    {
    }

    static byte[] value(final int partition, final long sequence)
    {
        final ByteBuffer value = ByteBuffer.allocate(LENGTH);
        value.putInt(partition).putLong(sequence);
        while (value.position() < CHECKSUM_INDEX)
        {
            value.put((byte) (sequence * 31 + value.position()));
        }
        value.putInt(checksum(value.array()));
        return value.array();
    }

    static long sequence(final int partition, final DirectBuffer buffer, final int index, final int length)
    {
        if (length != LENGTH)
        {
            return BROKEN;
        }
        final byte[] value = new byte[LENGTH];
        buffer.getBytes(index, value);
        return sequence(partition, value);
    }

    static long sequence(final int partition, final byte[] value)
    {
        if (value == null || value.length != LENGTH)
        {
            return BROKEN;
        }
        final ByteBuffer buffer = ByteBuffer.wrap(value).order(ByteOrder.BIG_ENDIAN);
        final boolean isWhole = buffer.getInt(CHECKSUM_INDEX) == checksum(value) && buffer.getInt(0) == partition;
        final long sequence = buffer.getLong(SEQUENCE_INDEX);
        return isWhole && sequence >= 0 ? sequence : BROKEN;
    }

    private static int checksum(final byte[] value)
    {
        final CRC32C crc = new CRC32C();
        crc.update(value, 0, CHECKSUM_INDEX);
        return (int) crc.getValue();
    }
}
