// SPDX-License-Identifier: Apache-2.0
package org.odradek.flink;

import org.apache.flink.api.connector.source.ReaderInfo;
import org.apache.flink.api.connector.source.SourceEvent;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.apache.flink.api.connector.source.SplitsAssignment;
import org.apache.flink.metrics.groups.SplitEnumeratorMetricGroup;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.apache.flink.types.LongValue;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.BiConsumer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Drives an enumerator through a context that records its calls, with discoveries that the test makes up. */
class PartitionEnumeratorTest
{
    private final Context context = new Context();
    private final OdradekSourceBuilder<LongValue> builder = OdradekSource.<LongValue>builder()
        .bootstrapServers("localhost:9092")
        .topic("t")
        .deserializer(new LongDeserializer());

    private static PartitionSplit split(final int partition)
    {
        return new PartitionSplit("t", partition, 10L * partition, PartitionSplit.NO_END);
    }

    private PartitionEnumerator started(final EnumeratorState state)
    {
        final PartitionEnumerator enumerator = new PartitionEnumerator(builder.build(), context, state);
        enumerator.start();
        return enumerator;
    }

    @Test
    void shouldAssignPartitionsToReadersThatAreRegistered()
    {
        final PartitionEnumerator enumerator = started(EnumeratorState.EMPTY);
        context.register(enumerator, 0);
        context.found(List.of(split(0), split(1), split(2), split(3)));
        assertEquals(2, context.assigned(0).size());
        assertEquals(2, enumerator.snapshotState(1).unassigned().size());

        context.register(enumerator, 1);

        assertEquals(2, context.assigned(1).size());
        assertEquals(new EnumeratorState(4, List.of()), enumerator.snapshotState(2));
    }

    @Test
    void shouldTakeEachPartitionOnce()
    {
        final PartitionEnumerator enumerator = started(new EnumeratorState(2, List.of()));
        context.register(enumerator, 0);
        context.register(enumerator, 1);

        context.found(List.of(split(2)));
        context.found(List.of(split(2), split(3)));

        assertEquals(2, context.assigned(0).size() + context.assigned(1).size());
        assertEquals(4, enumerator.snapshotState(1).partitionCount());
    }

    @Test
    void shouldAssignSplitsOfAFailedReaderAgain()
    {
        final PartitionEnumerator enumerator = started(new EnumeratorState(1, List.of(split(0))));
        context.register(enumerator, 0);
        context.register(enumerator, 1);
        final int owner = context.assigned(0).isEmpty() ? 1 : 0;
        context.readers.remove(owner);

        enumerator.addSplitsBack(List.of(split(0)), owner);
        assertEquals(List.of(split(0)), enumerator.snapshotState(1).unassigned());
        context.register(enumerator, owner);

        assertEquals(List.of(split(0), split(0)), context.assigned(owner));
    }

    @Test
    void shouldEndABoundedSourceAfterItsFirstDiscovery()
    {
        builder.bounded(SourceOffsets.latest());
        final PartitionEnumerator enumerator = started(EnumeratorState.EMPTY);
        context.register(enumerator, 0);
        assertTrue(context.ended.isEmpty());

        context.found(List.of(split(0)));
        context.register(enumerator, 1);

        assertEquals(List.of(0, 1), context.ended);
        context.handler = null;
        started(enumerator.snapshotState(1));
        assertEquals(null, context.handler, "its state holds all partitions");
    }

    @Test
    void shouldFailTheJobOnlyIfTheFirstDiscoveryFailsOrTheOnlyOne()
    {
        started(EnumeratorState.EMPTY);
        final Exception failure = new IllegalStateException("no broker");
        assertThrows(RuntimeException.class, () -> context.handler.accept(null, failure));

        started(new EnumeratorState(1, List.of()));
        context.handler.accept(null, failure);

        builder.partitionDiscoveryInterval(Duration.ZERO);
        started(new EnumeratorState(1, List.of()));
        assertThrows(RuntimeException.class, () -> context.handler.accept(null, failure), "there is no next attempt");
    }

    /** Records what an enumerator asks for. */
    private static final class Context implements SplitEnumeratorContext<PartitionSplit>
    {
        private final Map<Integer, ReaderInfo> readers = new HashMap<>();
        private final Map<Integer, List<PartitionSplit>> assigned = new HashMap<>();
        private final List<Integer> ended = new ArrayList<>();
        private BiConsumer<Object, Throwable> handler;

        private List<PartitionSplit> assigned(final int reader)
        {
            return assigned.getOrDefault(reader, List.of());
        }

        private void register(final PartitionEnumerator enumerator, final int reader)
        {
            readers.put(reader, new ReaderInfo(reader, "localhost"));
            enumerator.addReader(reader);
        }

        private void found(final List<PartitionSplit> splits)
        {
            handler.accept(splits, null);
        }

        @Override
        public SplitEnumeratorMetricGroup metricGroup()
        {
            return UnregisteredMetricsGroup.createSplitEnumeratorMetricGroup();
        }

        @Override
        public void sendEventToSourceReader(final int subtaskId, final SourceEvent event)
        {
            throw new AssertionError("readers need no events");
        }

        @Override
        public int currentParallelism()
        {
            return 2;
        }

        @Override
        public Map<Integer, ReaderInfo> registeredReaders()
        {
            return readers;
        }

        @Override
        public void assignSplits(final SplitsAssignment<PartitionSplit> assignment)
        {
            assignment.assignment().forEach((reader, splits) ->
                assigned.computeIfAbsent(reader, (key) -> new ArrayList<>()).addAll(splits));
        }

        @Override
        public void signalNoMoreSplits(final int subtask)
        {
            ended.add(subtask);
        }

        @Override
        public <T> void callAsync(final Callable<T> callable, final BiConsumer<T, Throwable> newHandler)
        {
            callAsync(callable, newHandler, 0, 0);
        }

        @Override
        @SuppressWarnings("unchecked")
        public <T> void callAsync(
            final Callable<T> callable,
            final BiConsumer<T, Throwable> newHandler,
            final long initialDelayMillis,
            final long periodMillis)
        {
            handler = (result, failure) -> newHandler.accept((T)result, failure);
        }

        @Override
        public void runInCoordinatorThread(final Runnable runnable)
        {
            runnable.run();
        }
    }
}
