// SPDX-License-Identifier: Apache-2.0
package org.odradek.verification.chaos;

import org.agrona.IoUtil;
import org.agrona.concurrent.UnsafeBuffer;

import java.io.File;
import java.nio.MappedByteBuffer;
import java.util.List;

/**
 * A mapped file with what a member of a group has done, in order. What is written remains if the process is killed. All
 * processes of a run have one machine and so one clock.
 * <pre>
 *  0  ns        long, System.nanoTime
 *  8  offset    long
 * 16  sequence  long
 * 24  partition int
 * 28  epoch     int, of the member
 * 32  poll      int, how many polls have begun
 * 36  kind      int, written last; 0 after the last entry
 * </pre>
 */
final class MemberLedger implements AutoCloseable
{
    private static final int OFFSET_INDEX = 8;
    private static final int SEQUENCE_INDEX = 16;
    private static final int PARTITION_INDEX = 24;
    private static final int EPOCH_INDEX = 28;
    private static final int POLL_INDEX = 32;
    private static final int KIND_INDEX = 36;
    private static final int ENTRY_LENGTH = 40;
    /** The file is sparse: only what is written takes room. */
    private static final int MAX_ENTRIES = 5_000_000;
    private static final Kind[] KINDS = Kind.values();

    /** The kinds of entries. */
    enum Kind
    {
        /** No entry. */
        NONE,
        /** A partition is owned from now on; the offset is that of its first record. */
        ASSIGNED,
        /** A record was delivered; the sequence is that in its value. */
        DELIVERED,
        /** A partition was given up. */
        REVOKED,
        /** A partition was lost. */
        LOST,
        /** The state is another; the offset is the ordinal of the state, and the sequence the error, or 0. */
        STATE,
        /** The handler blocks and does not keep the member alive. */
        BLOCKED,
        /** The handler makes a poll take long; the offset is the time in milliseconds. */
        SLOW
    }

    /** An entry. Partition, offset and sequence are 0 where a kind has none. */
    record Entry(Kind kind, long ns, int partition, long offset, long sequence, int epoch, int poll)
    {
    }

    private final MappedByteBuffer mapped;
    private final UnsafeBuffer buffer;
    private int index;
    private int epoch;
    private int polls;

    private MemberLedger(final MappedByteBuffer mapped)
    {
        this.mapped = mapped;
        buffer = new UnsafeBuffer(mapped);
    }

    static MemberLedger create(final File file)
    {
        return new MemberLedger(IoUtil.mapNewFile(file, (long)ENTRY_LENGTH * MAX_ENTRIES, false));
    }

    static MemberLedger open(final File file)
    {
        return new MemberLedger(IoUtil.mapExistingFile(file, file.getName()));
    }

    synchronized void epoch(final int memberEpoch)
    {
        epoch = memberEpoch;
    }

    synchronized void beginPoll()
    {
        polls++;
    }

    void append(final Kind kind, final int partition, final long offset, final long sequence)
    {
        append(kind, System.nanoTime(), partition, offset, sequence);
    }

    /** Workers of a member append, too. */
    synchronized void append(
        final Kind kind, final long ns, final int partition, final long offset, final long sequence)
    {
        buffer.putLong(index, ns);
        buffer.putLong(index + OFFSET_INDEX, offset);
        buffer.putLong(index + SEQUENCE_INDEX, sequence);
        buffer.putInt(index + PARTITION_INDEX, partition);
        buffer.putInt(index + EPOCH_INDEX, epoch);
        buffer.putInt(index + POLL_INDEX, polls);
        buffer.putIntOrdered(index + KIND_INDEX, kind.ordinal());
        index += ENTRY_LENGTH;
    }

    /** Adds the entries that were written since the last call to a list. */
    void readTo(final List<Entry> entries)
    {
        for (int kind = buffer.getIntVolatile(index + KIND_INDEX); kind != 0;
            kind = buffer.getIntVolatile(index + KIND_INDEX))
        {
            entries.add(new Entry(KINDS[kind], buffer.getLong(index), buffer.getInt(index + PARTITION_INDEX),
                buffer.getLong(index + OFFSET_INDEX), buffer.getLong(index + SEQUENCE_INDEX),
                buffer.getInt(index + EPOCH_INDEX), buffer.getInt(index + POLL_INDEX)));
            index += ENTRY_LENGTH;
        }
    }

    @Override
    public void close()
    {
        IoUtil.unmap(mapped);
    }
}
