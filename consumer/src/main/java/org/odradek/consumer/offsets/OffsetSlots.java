// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.offsets;

import org.agrona.concurrent.AtomicBuffer;
import org.agrona.concurrent.UnsafeBuffer;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * The two slots of a partition, written in turn so that one of them always holds a whole offset. A slot is told to be
 * whole by its sequence number, which is cleared before the slot is written and stored after all else, and by a
 * checksum, for a disk that keeps no order.
 * <pre>
 *  0    sequence       int64   1 for the first store, rising; 0: never written, or half
 *  8    nextOffset     int64
 * 16    leaderEpoch    int32   -1: not known
 * 20    checksum       int32   CRC-32C of partition, sequence, nextOffset and leaderEpoch
 * 24    reserved       int64   0
 * 32
 * </pre>
 * Numbers are in the byte order of the machine.
 */
final class OffsetSlots
{
    static final long NULL_SEQUENCE = 0;
    static final int SLOT_LENGTH = 32;
    static final int ENTRY_LENGTH = 2 * SLOT_LENGTH;

    private static final int NEXT_OFFSET_FIELD_OFFSET = Long.BYTES;
    private static final int LEADER_EPOCH_FIELD_OFFSET = NEXT_OFFSET_FIELD_OFFSET + Long.BYTES;
    private static final int CHECKSUM_FIELD_OFFSET = LEADER_EPOCH_FIELD_OFFSET + Integer.BYTES;

    private final CRC32C crc = new CRC32C();
    private final ByteBuffer summedBytes = ByteBuffer.allocateDirect(3 * Long.BYTES);
    private final UnsafeBuffer summed = new UnsafeBuffer(summedBytes);
    private long sequence;
    private long nextOffset;
    private int leaderEpoch;

    /**
     * Write the slot whose turn it is.
     *
     * @param index    of the entry.
     * @param sequence one more than that of the last store.
     */
    void store(
        final AtomicBuffer buffer,
        final int index,
        final int partition,
        final long sequence,
        final long nextOffset,
        final int leaderEpoch)
    {
        final int slot = index + (int) (sequence & 1) * SLOT_LENGTH;
        buffer.putLongOrdered(slot, NULL_SEQUENCE);
        buffer.putLongOrdered(slot + NEXT_OFFSET_FIELD_OFFSET, nextOffset);
        buffer.putIntOrdered(slot + LEADER_EPOCH_FIELD_OFFSET, leaderEpoch);
        buffer.putIntOrdered(
            slot + CHECKSUM_FIELD_OFFSET, checksum(partition, sequence, nextOffset, leaderEpoch));
        buffer.putLongOrdered(slot, sequence);
    }

    /**
     * Read the newer of the slots that are whole.
     *
     * @param index of the entry.
     * @return false if neither is.
     */
    boolean read(final AtomicBuffer buffer, final int index, final int partition)
    {
        sequence = NULL_SEQUENCE;
        readSlot(buffer, index, partition, 0);
        readSlot(buffer, index + SLOT_LENGTH, partition, 1);
        return sequence != NULL_SEQUENCE;
    }

    private void readSlot(final AtomicBuffer buffer, final int slot, final int partition, final int turn)
    {
        final long found = buffer.getLongVolatile(slot);
        final long offset = buffer.getLong(slot + NEXT_OFFSET_FIELD_OFFSET);
        final int epoch = buffer.getInt(slot + LEADER_EPOCH_FIELD_OFFSET);
        if (found > sequence && (found & 1) == turn && offset >= 0 &&
            buffer.getInt(slot + CHECKSUM_FIELD_OFFSET) == checksum(partition, found, offset, epoch))
        {
            sequence = found;
            nextOffset = offset;
            leaderEpoch = epoch;
        }
    }

    long sequence()
    {
        return sequence;
    }

    long nextOffset()
    {
        return nextOffset;
    }

    int leaderEpoch()
    {
        return leaderEpoch;
    }

    private int checksum(final int partition, final long sequence, final long nextOffset, final int leaderEpoch)
    {
        summed.putLong(0, sequence);
        summed.putLong(Long.BYTES, nextOffset);
        summed.putInt(2 * Long.BYTES, leaderEpoch);
        summed.putInt(2 * Long.BYTES + Integer.BYTES, partition);
        crc.reset();
        crc.update(summedBytes.clear());
        return (int) crc.getValue();
    }
}
