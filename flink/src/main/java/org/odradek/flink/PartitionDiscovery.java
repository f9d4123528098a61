// SPDX-License-Identifier: Apache-2.0
package org.odradek.flink;

import org.odradek.consumer.ConsumerContext;
import org.odradek.consumer.TopicConsumer;
import org.odradek.consumer.handler.CommittedOffsets;
import org.odradek.consumer.handler.OffsetQuery;
import org.odradek.protocol.ErrorCode;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * Finds the partitions of the topic, and the offsets at which new ones begin and end. Each discovery has a consumer of
 * its own, so that nothing stays open between two of them. It blocks, on a thread of Flink's for such calls.
 */
final class PartitionDiscovery
{
    private static final long TIMEOUT_NS = TimeUnit.SECONDS.toNanos(60);

    private final OdradekSource<?> source;
    private long deadlineNs;
    /** The last error that the consumer has reported, which may be the reason for a timeout. */
    private Throwable lastError;

    PartitionDiscovery(final OdradekSource<?> source)
    {
        this.source = source;
    }

    /**
     * Finds the partitions from an id on. The first ones begin at the offsets of the settings; those that are added to
     * the topic later begin at their first record, so that no record is skipped.
     *
     * @param knownCount of the partitions that have been found before.
     */
    List<PartitionSplit> find(final int knownCount)
    {
        deadlineNs = System.nanoTime() + TIMEOUT_NS;
        lastError = null;
        final ConsumerContext context = source.newContext("enumerator").errorHandler((error) -> lastError = error);
        try (TopicConsumer consumer = TopicConsumer.connect(context))
        {
            if (!consumer.awaitReady(TIMEOUT_NS))
            {
                throw timeout("the partitions");
            }
            final int count = consumer.partitionCount();
            final SourceOffsets from = knownCount == 0 ? source.startingOffsets() : SourceOffsets.earliest();
            final long[] nextOffsets = resolve(consumer, from, knownCount, count);
            final long[] endOffsets = source.stoppingOffsets() == null ? null :
                resolve(consumer, source.stoppingOffsets(), knownCount, count);
            final List<PartitionSplit> splits = new ArrayList<>();
            for (int p = knownCount; p < count; p++)
            {
                splits.add(new PartitionSplit(source.topic(), p, nextOffsets[p],
                    endOffsets == null ? PartitionSplit.NO_END : endOffsets[p]));
            }
            return splits;
        }
    }

    private long[] resolve(
        final TopicConsumer consumer, final SourceOffsets from, final int first, final int count)
    {
        CommittedOffsets committed = null;
        if (from.isCommittedNeeded() && first < count)
        {
            committed = consumer.groupOffsets(source.groupId()).fetch();
            await(consumer, committed::isDone, "the committed offsets");
            check(committed.errorCode(), "committed offsets of group " + source.groupId());
        }
        final long[] offsets = new long[count];
        Arrays.fill(offsets, OffsetQuery.NULL_OFFSET);
        SourceOffsets last = from;
        while (last.otherwise() != null)
        {
            for (int p = first; p < count; p++)
            {
                offsets[p] = offsets[p] != OffsetQuery.NULL_OFFSET ? offsets[p] :
                    last.kind() == SourceOffsets.Kind.COMMITTED ? committed.offset(p) : last.given(p);
            }
            last = last.otherwise();
        }
        final long[] looked = new long[count];
        if (last.kind() == SourceOffsets.Kind.TIMESTAMP)
        {
            // Before the timestamp: a record that is written between the two lookups must not be before the end.
            lookUp(consumer, SourceOffsets.latest(), offsets, looked, first);
        }
        lookUp(consumer, last, offsets, looked, first);
        for (int p = first; p < count; p++)
        {
            offsets[p] = offsets[p] == OffsetQuery.NULL_OFFSET ? looked[p] : offsets[p];
        }
        return offsets;
    }

    /** Looks up the offsets of partitions that have none. One without a record of the timestamp keeps what it has. */
    private void lookUp(
        final TopicConsumer consumer,
        final SourceOffsets at,
        final long[] offsets,
        final long[] looked,
        final int first)
    {
        final OffsetQuery[] queries = new OffsetQuery[offsets.length];
        for (int p = first; p < offsets.length; p++)
        {
            queries[p] = offsets[p] == OffsetQuery.NULL_OFFSET ? query(consumer, at, p) : null;
        }
        for (int p = first; p < offsets.length; p++)
        {
            if (queries[p] != null)
            {
                final String what = "an offset of partition " + p;
                await(consumer, queries[p]::isDone, what);
                check(queries[p].errorCode(), what);
                looked[p] = queries[p].offset() == OffsetQuery.NULL_OFFSET ? looked[p] : queries[p].offset();
            }
        }
    }

    private static OffsetQuery query(final TopicConsumer consumer, final SourceOffsets at, final int partition)
    {
        switch (at.kind())
        {
            case EARLIEST:
                return consumer.queryBeginningOffset(partition);
            case LATEST:
                return consumer.queryEndOffset(partition);
            default:
                return consumer.queryOffsetForTime(partition, at.timestampMs());
        }
    }

    private void await(final TopicConsumer consumer, final BooleanSupplier isDone, final String what)
    {
        if (!consumer.await(isDone, deadlineNs - System.nanoTime()))
        {
            throw timeout(what);
        }
    }

    private void check(final short errorCode, final String what)
    {
        if (errorCode != ErrorCode.NONE)
        {
            throw new IllegalStateException("The brokers " + source.bootstrapServers() + " answered " +
                ErrorCode.name(errorCode) + " to the request for " + what + " of topic " + source.topic() + ".");
        }
    }

    private IllegalStateException timeout(final String what)
    {
        return new IllegalStateException("Topic " + source.topic() + " at " + source.bootstrapServers() + ": " + what +
            " could not be found within " + TimeUnit.NANOSECONDS.toSeconds(TIMEOUT_NS) + " s, or the thread was " +
            "interrupted" + (lastError == null ? "." : "; the last error was: " + lastError.getMessage()), lastError);
    }
}
