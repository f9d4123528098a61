// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

import org.agrona.concurrent.AtomicBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.odradek.client.core.PerPartition;
import org.odradek.client.files.WrittenFile;
import org.odradek.consumer.engine.OffsetFileAccess;

import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.zip.CRC32C;

/**
 * Keeps the next offset of each partition of one topic in a mapped file. A store allocates nothing unless the file
 * grows.
 * <p>
 * <b>What survives.</b> As soon as {@link #store} has returned, the offset survives the end of the process. If the
 * process ends during a store, the next {@link #map} uses the previous offset or the new one. After a crash of the
 * machine, the file may hold an older offset or none, unless {@link #force} was called after the store.
 * <p>
 * If the topic was deleted and created again, or if the consumer reads from another cluster, remove the file while no
 * process has it open; otherwise records may be skipped. Only one thread at a time may use an instance. A lock on a
 * second file in the same folder, whose name ends in {@code .lock}, ensures that only one process writes a file.
 * Network file systems, such as NFS, are not supported.
 * <p>
 * Only the owner of a new file may read it, unless {@link ConsumerConfiguration#FILE_PERMISSIONS_PROP_NAME} is set.
 * <p>
 * The file has a header of 512 bytes, and then two slots for each partition. The two slots are written in turn: the
 * sequence number of a slot is cleared before the slot is written, and is stored last. Numbers are in the byte order of
 * the machine.
 * <pre>
 *   0   magic          int64   "odradek" and a line feed
 *   8   version        int32   1
 *  12   topicLength    int32
 *  16   topic          UTF-8
 *       reserved               0, up to 512
 * 512   slots, each:
 *  0    sequence       int64   1 for the first store, then increasing; 0: never written, or incomplete
 *  8    nextOffset     int64
 * 16    leaderEpoch    int32   -1: not known
 * 20    checksum       int32   CRC-32C of sequence, nextOffset, leaderEpoch and partition
 * 24    reserved       int64   0
 * </pre>
 */
public final class OffsetFile implements AutoCloseable
{
    /** The value of {@link #offset} for a partition of which no offset was stored. */
    public static final long NULL_OFFSET = -1;
    /** The value of {@link #leaderEpoch} for an offset that was stored without a leader epoch. */
    public static final int NULL_EPOCH = -1;

    private final OffsetFileAccess access;
    private final Slots slots = new Slots();
    private final UnsafeBuffer buffer = new UnsafeBuffer(0, 0);
    private boolean isOpen;
    private final PerPartition<Stored> stored = new PerPartition<>(Stored::new);

    private OffsetFile(final OffsetFileAccess access, final int partitionCount)
    {
        this.access = access;
        isOpen = true;
        grow(partitionCount);
        for (int p = 0; p < stored.size(); p++)
        {
            slots.read(buffer, indexOf(p), p, stored.get(p));
        }
    }

    /**
     * Opens a file, or creates it.
     *
     * @param path           the path of the file, whose folder must exist.
     * @param topic          the name of the topic whose offsets the file holds.
     * @param partitionCount the least number of partitions for which the file has room, up to 1,000,000.
     * @throws IllegalArgumentException if {@code partitionCount} is above 1,000,000, or the topic's name is null, empty
     *                                  or longer than 249 bytes.
     * @throws IllegalStateException    if the file is not an offset file of the version that this class writes, if the
     *                                  file belongs to another topic, or if another OffsetFile has the file open.
     * @throws UncheckedIOException     if the file or its lock file cannot be read or written, if the file is a link,
     *                                  or if the disk has no room for it.
     */
    public static OffsetFile map(final Path path, final String topic, final int partitionCount)
    {
        if (partitionCount > OffsetFileAccess.MAX_PARTITIONS)
        {
            throw new IllegalArgumentException(
                "partitionCount is " + partitionCount + ": it must be at most " + OffsetFileAccess.MAX_PARTITIONS);
        }
        final OffsetFileAccess access = OffsetFileAccess.open(path, topic, WrittenFile.defaultPermissions());
        try
        {
            return new OffsetFile(access, Math.max(partitionCount, access.partitionCount()));
        }
        catch (final RuntimeException ex)
        {
            access.close();
            throw ex;
        }
    }

    private void grow(final int count)
    {
        buffer.wrap(access.map(count));
        stored.ensureSize(count);
    }

    private static int indexOf(final int partition)
    {
        return OffsetFileAccess.HEADER_LENGTH + partition * OffsetFileAccess.ENTRY_LENGTH;
    }

    /**
     * Stores the next offset of a partition without a leader epoch.
     *
     * @param partition  the id of the partition, from 0 to 999,999.
     * @param nextOffset the offset of the next record to read, 0 or more.
     * @throws IllegalArgumentException if the partition is negative or above 999,999, or the offset is negative.
     * @throws IllegalStateException    if the file is closed.
     * @throws UncheckedIOException     if the file must grow and the disk has no room.
     */
    public void store(final int partition, final long nextOffset)
    {
        store(partition, nextOffset, NULL_EPOCH);
    }

    /**
     * Stores the next offset of a partition. If the same offset and leader epoch are stored already, this method does
     * nothing.
     *
     * @param partition   the id of the partition, from 0 to 999,999.
     * @param nextOffset  the offset of the next record to read, 0 or more.
     * @param leaderEpoch the leader epoch of the last record that was read, or {@link #NULL_EPOCH}.
     * @throws IllegalArgumentException if the partition is negative or above 999,999, or the offset is negative.
     * @throws IllegalStateException    if the file is closed.
     * @throws UncheckedIOException     if the file must grow and the disk has no room.
     */
    public void store(final int partition, final long nextOffset, final int leaderEpoch)
    {
        if (!stored.has(partition) || nextOffset < 0 || !isOpen)
        {
            access.check(isOpen, partition, nextOffset);
            grow(partition + 1);
        }
        final Stored last = stored.get(partition);
        if (last.nextOffset != nextOffset || last.leaderEpoch != leaderEpoch)
        {
            slots.store(buffer, indexOf(partition), partition, last.sequence + 1, nextOffset, leaderEpoch);
            last.set(last.sequence + 1, nextOffset, leaderEpoch);
        }
    }

    /** Returns the offset of a partition that was stored last, or {@link #NULL_OFFSET} if no offset was stored. */
    public long offset(final int partition)
    {
        return stored.has(partition) ? stored.get(partition).nextOffset : NULL_OFFSET;
    }

    /**
     * Returns the leader epoch that was stored with the next offset of a partition, or {@link #NULL_EPOCH} if no epoch
     * was stored.
     */
    public int leaderEpoch(final int partition)
    {
        return stored.has(partition) ? stored.get(partition).leaderEpoch : NULL_EPOCH;
    }

    /** Returns the number of partitions that the file has room for now. */
    public int partitionCount()
    {
        return stored.size();
    }

    /** Returns the name of the topic whose offsets the file holds. */
    public String topic()
    {
        return access.topic;
    }

    /** Returns the path that was passed to {@link #map}. */
    public Path path()
    {
        return access.path;
    }

    /** Writes all stored offsets to the disk, so that they survive a crash of the machine. */
    public void force()
    {
        access.force(isOpen);
    }

    /** Unmaps the file and releases its lock; the stored offsets stay in the file. */
    @Override
    public void close()
    {
        if (isOpen)
        {
            isOpen = false;
            buffer.wrap(0, 0);
            access.close();
        }
    }

    @Override
    public String toString()
    {
        final StringBuilder text =
            new StringBuilder("offset file ").append(path()).append(" of topic ").append(topic());
        for (int p = 0; p < stored.size(); p++)
        {
            if (offset(p) >= 0)
            {
                text.append(", ").append(p).append(": ").append(offset(p));
            }
        }
        return text.toString();
    }

    static final class Stored
    {
        private static final long NULL_SEQUENCE = 0;

        long sequence = NULL_SEQUENCE;
        long nextOffset = NULL_OFFSET;
        int leaderEpoch = NULL_EPOCH;

        private void set(final long newSequence, final long newNextOffset, final int newLeaderEpoch)
        {
            sequence = newSequence;
            nextOffset = newNextOffset;
            leaderEpoch = newLeaderEpoch;
        }
    }

    static final class Slots
    {
        private static final int LENGTH = OffsetFileAccess.ENTRY_LENGTH / 2;
        private static final int NEXT_OFFSET_FIELD_OFFSET = Long.BYTES;
        private static final int LEADER_EPOCH_FIELD_OFFSET = NEXT_OFFSET_FIELD_OFFSET + Long.BYTES;
        private static final int CHECKSUM_FIELD_OFFSET = LEADER_EPOCH_FIELD_OFFSET + Integer.BYTES;

        private final CRC32C crc = new CRC32C();
        private final ByteBuffer summedBytes = ByteBuffer.allocateDirect(3 * Long.BYTES);
        private final UnsafeBuffer summed = new UnsafeBuffer(summedBytes);

        /** Writes the slot that does not hold the offset that was stored last. */
        void store(
            final AtomicBuffer buffer,
            final int index,
            final int partition,
            final long sequence,
            final long nextOffset,
            final int leaderEpoch)
        {
            final int slot = index + (int)(sequence & 1) * LENGTH;
            buffer.putLongOrdered(slot, Stored.NULL_SEQUENCE);
            buffer.putLongOrdered(slot + NEXT_OFFSET_FIELD_OFFSET, nextOffset);
            buffer.putIntOrdered(slot + LEADER_EPOCH_FIELD_OFFSET, leaderEpoch);
            buffer.putIntOrdered(slot + CHECKSUM_FIELD_OFFSET, checksum(partition, sequence, nextOffset, leaderEpoch));
            buffer.putLongOrdered(slot, sequence);
        }

        void read(final AtomicBuffer buffer, final int index, final int partition, final Stored last)
        {
            readSlot(buffer, index, partition, 0, last);
            readSlot(buffer, index + LENGTH, partition, 1, last);
        }

        private void readSlot(
            final AtomicBuffer buffer, final int slot, final int partition, final int parity, final Stored last)
        {
            final long found = buffer.getLongVolatile(slot);
            final long offset = buffer.getLong(slot + NEXT_OFFSET_FIELD_OFFSET);
            final int epoch = buffer.getInt(slot + LEADER_EPOCH_FIELD_OFFSET);
            if (found > last.sequence && (found & 1) == parity && offset >= 0 &&
                buffer.getInt(slot + CHECKSUM_FIELD_OFFSET) == checksum(partition, found, offset, epoch))
            {
                last.set(found, offset, epoch);
            }
        }

        private int checksum(final int partition, final long sequence, final long nextOffset, final int leaderEpoch)
        {
            summed.putLong(0, sequence);
            summed.putLong(Long.BYTES, nextOffset);
            summed.putInt(2 * Long.BYTES, leaderEpoch);
            summed.putInt(2 * Long.BYTES + Integer.BYTES, partition);
            crc.reset();
            crc.update(summedBytes.clear());
            return (int)crc.getValue();
        }
    }
}
