// SPDX-License-Identifier: Apache-2.0
package org.odradek.tools.reading;

import org.odradek.consumer.StartPosition;
import org.odradek.consumer.TopicConsumer;
import org.odradek.consumer.handler.ControlledRecordHandler;
import org.odradek.consumer.handler.GroupState;
import org.odradek.protocol.record.Record;
import org.odradek.protocol.record.RecordHeadersFlyweight;
import org.odradek.tools.StopSignal;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * The reading of {@code odradek tail}. It ends when all wanted records are written, when the reader of the output has
 * ended, or when it is stopped.
 */
final class Tail implements ControlledRecordHandler
{
    private static final int RECORD_LIMIT = 10_000;
    private static final long WAIT_NS = TimeUnit.SECONDS.toNanos(1);

    private final long count;
    private final long startNs = System.nanoTime();
    private final RecordFormat format;
    private final List<HeaderFilter> filters;
    private final ByteOutput out;
    private final boolean isMember;
    private long written;
    private long bytes;
    private long filtered;
    private int stopped;
    private long[] ends = {};
    /** Of a member: after the last record that is not committed yet, or 0. */
    private long[] nextOffsets = {};

    /**
     * @param count    maximum number of records to write.
     * @param isMember whether the consumer is a member of a group, which assigns the partitions.
     */
    Tail(
        final long count,
        final RecordFormat format,
        final List<HeaderFilter> filters,
        final ByteOutput out,
        final boolean isMember)
    {
        this.count = count;
        this.format = format;
        this.filters = filters;
        this.out = out;
        this.isMember = isMember;
    }

    /**
     * Starts to read partitions. The offsets of all of them are asked for before the first answer is waited for.
     *
     * @param until position before which to stop, or null not to stop.
     */
    void add(
        final TopicConsumer consumer,
        final StartWaits waits,
        final List<Integer> partitions,
        final PartitionPosition from,
        final PartitionPosition until)
    {
        final List<Supplier<StartPosition>> starts = partitions.stream().map((p) -> from.start(waits, p)).toList();
        final List<StartPosition> found = starts.stream().map(Supplier::get).toList();
        // After the starts: a log that grows meanwhile would have its end before the start.
        final List<LongSupplier> untils =
            until == null ? List.of() : partitions.stream().map((p) -> until.end(waits, p)).toList();
        for (int i = 0; i < found.size(); i++)
        {
            final int partition = partitions.get(i);
            ends = partition < ends.length ? ends : Arrays.copyOf(ends, partition + 1);
            ends[partition] = until == null ? PartitionPosition.NO_END : untils.get(i).getAsLong();
            consumer.assign(partition, found.get(i));
        }
    }

    void run(final TopicConsumer consumer, final StopSignal signal)
    {
        while (!signal.isStopped() && written < count && !out.isBroken() && isAnyOpen(consumer))
        {
            // Waits only after all received records are written. A member writes and commits them before the next poll,
            // which may give up their partition.
            if (consumer.controlledPoll(this, RECORD_LIMIT, out.isEmpty() ? WAIT_NS : 0) == 0 || isMember)
            {
                flush(consumer);
            }
        }
        flush(consumer);
    }

    /** A member commits the offsets of what has been written, but not of what a reader that has ended has not taken. */
    private void flush(final TopicConsumer consumer)
    {
        out.flush();
        for (int partition = 0; isMember && !out.isBroken() && partition < nextOffsets.length; partition++)
        {
            if (nextOffsets[partition] > 0)
            {
                consumer.group().commitAsync(partition, nextOffsets[partition]);
                nextOffsets[partition] = 0;
            }
        }
    }

    /** Unassigns partitions that have been read to their end. */
    private boolean isAnyOpen(final TopicConsumer consumer)
    {
        if (isMember)
        {
            return consumer.group().state() != GroupState.FAILED && stopped == 0;
        }
        boolean isAnyOpen = false;
        for (int partition = 0; partition < ends.length; partition++)
        {
            if (consumer.isAssigned(partition))
            {
                if (consumer.nextOffset(partition) >= ends[partition])
                {
                    consumer.unassign(partition);
                }
                else
                {
                    isAnyOpen = true;
                }
            }
        }
        return isAnyOpen && stopped == 0;
    }

    void onPartitionStopped()
    {
        stopped++;
    }

    boolean hasFailed(final TopicConsumer consumer)
    {
        return stopped > 0 || isMember && consumer.group().state() == GroupState.FAILED;
    }

    @Override
    public Action onRecord(final Record record)
    {
        final int partition = record.partition();
        if (!isMember && record.offset() >= ends[partition])
        {
            return Action.CONTINUE;
        }
        if (isMember)
        {
            nextOffsets = partition < nextOffsets.length ? nextOffsets : Arrays.copyOf(nextOffsets, partition + 1);
            nextOffsets[partition] = record.offset() + 1;
        }
        for (int i = 0; i < filters.size(); i++)
        {
            if (!filters.get(i).accepts(record))
            {
                filtered++;
                return Action.CONTINUE;
            }
        }
        format.write(record, out);
        bytes += Math.max(0, record.keyLength()) + Math.max(0, record.valueLength());
        return ++written == count || out.isBroken() ? Action.BREAK : Action.CONTINUE;
    }

    /** Returns a line on what has been read. */
    String summary()
    {
        final double seconds = (System.nanoTime() - startNs) / 1e9;
        return String.format(Locale.ROOT, "%d records, %d bytes of keys and values in %.1f s%s", written, bytes,
            seconds, filters.isEmpty() ? "" : "; " + filtered + " more were filtered out");
    }

    /**
     * A filter that accepts records with a header of a name, or of a name and a value.
     */
    static final class HeaderFilter
    {
        private final byte[] name;
        private final byte[] value;

        /**
         * @param text {@code NAME} or {@code NAME=VALUE}.
         */
        HeaderFilter(final String text)
        {
            final int equals = text.indexOf('=');
            name = (equals < 0 ? text : text.substring(0, equals)).getBytes(StandardCharsets.UTF_8);
            value = equals < 0 ? null : text.substring(equals + 1).getBytes(StandardCharsets.UTF_8);
        }

        boolean accepts(final Record record)
        {
            final RecordHeadersFlyweight headers = record.headers();
            while (headers.next(name))
            {
                if (value == null || isValue(record, headers.valueIndex(), headers.valueLength()))
                {
                    return true;
                }
            }
            return false;
        }

        private boolean isValue(final Record record, final int index, final int length)
        {
            boolean isSame = length == value.length;
            for (int i = 0; isSame && i < length; i++)
            {
                isSame = record.buffer().getByte(index + i) == value[i];
            }
            return isSame;
        }
    }
}
