// SPDX-License-Identifier: Apache-2.0
package org.odradek.tools.tail;

import org.odradek.consumer.TopicConsumer;
import org.odradek.consumer.handler.ControlledRecordHandler;
import org.odradek.protocol.record.Record;
import org.odradek.tools.StopSignal;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * Reads until all is read that is wanted, nobody reads the output, or it is stopped.
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
    private long written;
    private long bytes;
    private long filtered;
    private int stopped;
    private long[] ends = {};

    /**
     * @param count write so many records at most.
     */
    Tail(final long count, final RecordFormat format, final List<HeaderFilter> filters, final ByteOutput out)
    {
        this.count = count;
        this.format = format;
        this.filters = filters;
        this.out = out;
    }

    /**
     * Begin with a partition.
     */
    void add(final TopicConsumer consumer, final int partition, final Place from, final Place until)
    {
        final Bounds bounds = new Bounds(consumer);
        if (partition >= ends.length)
        {
            ends = Arrays.copyOf(ends, partition + 1);
        }
        ends[partition] = bounds.end(partition, until);
        consumer.assign(partition, bounds.start(partition, from));
    }

    void run(final TopicConsumer consumer, final StopSignal signal)
    {
        while (!signal.isStopped() && written < count && !out.isBroken() && isAnyOpen(consumer))
        {
            // Waits only once all is written that has come.
            if (consumer.controlledPoll(this, RECORD_LIMIT, out.isEmpty() ? WAIT_NS : 0) == 0)
            {
                out.flush();
            }
        }
        out.flush();
    }

    /** Lets go of partitions that have been read to their end. */
    private boolean isAnyOpen(final TopicConsumer consumer)
    {
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

    boolean isAnyStopped()
    {
        return stopped > 0;
    }

    @Override
    public Action onRecord(final Record record)
    {
        if (record.offset() >= ends[record.partition()])
        {
            return Action.CONTINUE;
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

    /**
     * What has been done, in a line.
     */
    String summary()
    {
        final double seconds = (System.nanoTime() - startNs) / 1e9;
        return String.format(Locale.ROOT, "%d records, %d bytes of keys and values in %.1f s%s", written, bytes,
            seconds, filters.isEmpty() ? "" : "; " + filtered + " more were filtered out");
    }
}
