// SPDX-License-Identifier: Apache-2.0
package org.odradek.flink;

import org.apache.flink.api.connector.source.SplitEnumerator;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.apache.flink.api.connector.source.SplitsAssignment;
import org.apache.flink.util.FlinkRuntimeException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Finds the partitions of the topic, at first and then at an interval, and assigns each to a reader. It runs on the
 * coordinator's thread; only the discoveries run on another one.
 */
final class PartitionEnumerator implements SplitEnumerator<PartitionSplit, EnumeratorState>
{
    private static final Logger LOG = LoggerFactory.getLogger(PartitionEnumerator.class);

    private final OdradekSource<?> source;
    private final SplitEnumeratorContext<PartitionSplit> context;
    private final PartitionDiscovery discovery;
    private final List<PartitionSplit> unassigned;
    /** Volatile because discoveries read it, on another thread. */
    private volatile int partitionCount;

    PartitionEnumerator(
        final OdradekSource<?> source,
        final SplitEnumeratorContext<PartitionSplit> context,
        final EnumeratorState state)
    {
        this.source = source;
        this.context = context;
        discovery = new PartitionDiscovery(source);
        unassigned = new ArrayList<>(state.unassigned());
        partitionCount = state.partitionCount();
    }

    @Override
    public void start()
    {
        final long intervalMs = source.discoveryIntervalMs();
        if (!source.isBounded() && intervalMs > 0)
        {
            context.callAsync(() -> discovery.find(partitionCount), this::onFound, 0, intervalMs);
        }
        else if (!isComplete())
        {
            context.callAsync(() -> discovery.find(partitionCount), this::onFound);
        }
    }

    /** A bounded source reads the partitions that the topic has at the beginning. */
    private boolean isComplete()
    {
        return source.isBounded() && partitionCount > 0;
    }

    private void onFound(final List<PartitionSplit> splits, final Throwable failure)
    {
        if (failure != null)
        {
            if (partitionCount == 0 || source.discoveryIntervalMs() <= 0)
            {
                throw new FlinkRuntimeException(
                    "The partitions of topic " + source.topic() + " cannot be read: " + failure.getMessage(), failure);
            }
            LOG.warn("New partitions of topic {} could not be looked for. The next attempt is in {} ms.",
                source.topic(), source.discoveryIntervalMs(), failure);
            return;
        }
        for (final PartitionSplit split : splits)
        {
            // A discovery may have begun before the last one was handled.
            if (split.partition() == partitionCount)
            {
                LOG.info("Found {} with offsets from {} on.", split.splitId(), split.nextOffset());
                unassigned.add(split);
                partitionCount = split.partition() + 1;
            }
        }
        assign();
        context.registeredReaders().keySet().forEach(this::endAssignment);
    }

    /** Assigns the splits whose readers are registered. */
    private void assign()
    {
        final Map<Integer, List<PartitionSplit>> assignment = new HashMap<>();
        for (int i = unassigned.size() - 1; i >= 0; i--)
        {
            final int owner = owner(unassigned.get(i));
            if (context.registeredReaders().containsKey(owner))
            {
                assignment.computeIfAbsent(owner, (reader) -> new ArrayList<>()).add(unassigned.remove(i));
            }
        }
        if (!assignment.isEmpty())
        {
            context.assignSplits(new SplitsAssignment<>(assignment));
        }
    }

    /** Distributes the partitions of a topic evenly; the name of the topic determines the reader of partition 0. */
    private int owner(final PartitionSplit split)
    {
        final int parallelism = context.currentParallelism();
        return (Math.floorMod(source.topic().hashCode(), parallelism) + split.partition()) % parallelism;
    }

    private void endAssignment(final int reader)
    {
        if (isComplete())
        {
            context.signalNoMoreSplits(reader);
        }
    }

    @Override
    public void addReader(final int subtaskId)
    {
        assign();
        endAssignment(subtaskId);
    }

    @Override
    public void addSplitsBack(final List<PartitionSplit> splits, final int subtaskId)
    {
        unassigned.addAll(splits);
        assign();
    }

    /** Readers do not request splits. */
    @Override
    public void handleSplitRequest(final int subtaskId, final String requesterHostname)
    {
    }

    @Override
    public EnumeratorState snapshotState(final long checkpointId)
    {
        return new EnumeratorState(partitionCount, List.copyOf(unassigned));
    }

    @Override
    public void close()
    {
    }
}
