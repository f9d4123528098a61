// SPDX-License-Identifier: Apache-2.0
package org.odradek.simulation;

import org.odradek.consumer.TopicConsumer;
import org.odradek.consumer.handler.ConsumerCounters;
import org.odradek.harness.model.BatchPool;
import org.odradek.harness.model.BrokerRelease;
import org.odradek.harness.model.ModelLog;
import org.odradek.harness.model.ModelPartition;
import org.odradek.protocol.record.Record;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * One run of a consumer with a latency budget in a healthy cluster, to which single records are appended. Each message
 * takes the same time, half a round trip, and the handler takes no time. The run fails if a record is handed over late.
 * <p>
 * A record that is appended just after a response was sent takes longest: the response arrives, the consumer sends the
 * next request in the same cycle, the broker may hold the request for the budget, and another cycle hands the record of
 * the response over. These are three messages, the budget and two cycles.
 */
final class TrickleWorld extends SimulatedCluster
{
    static final int MOST_MESSAGES = 3;
    private static final int MOST_CYCLES = 2;

    /** Of the user between two polls. */
    private static final long MAX_CALL_NS = 50_000;
    /** A wait ends without a record just before one arrives, the thread runs late, and the next poll waits again. */
    private static final long CYCLE_NS =
        SimulatedPoller.MAX_WAKE_UP_NS + MAX_CALL_NS + 2 * SimulatedPoller.CALL_NS;
    /** More records than a response has. */
    private static final int RECORD_LIMIT = 10_000;
    private static final long MIN_TIMEOUT_NS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long MAX_TIMEOUT_NS = TimeUnit.MILLISECONDS.toNanos(500);
    private static final int FETCH_LENGTH = 1 << 20;
    /** All records of a stretch fit into it: a response ends with a segment, and the rest takes another round trip. */
    private static final int SEGMENT_LENGTH = FETCH_LENGTH / 2;
    private static final long OPENING_NS = TimeUnit.SECONDS.toNanos(10);
    private static final long MAX_STRETCH_NS = TimeUnit.SECONDS.toNanos(20);
    private static final int MAX_CLUMP = 10;
    /** Gaps are 0.1 to 3 budgets, on average over the records. */
    private static final int MOST_TENTHS = 30;
    private static final double NANOS_PER_MS = 1e6;
    private static final BatchPool BATCHES = BatchPool.uniform(8, 4, 1, 100);

    private final SimulatedPoller poller;
    private final long budgetNs;
    private final long messageNs;
    private final Draw draw;
    private final Draw userDraw;
    private final Runnable appendEvent = this::append;
    /** When the records of each partition were appended, by their offsets. */
    private final List<List<Long>> appendedNs = new ArrayList<>();
    private final long[] nextOffsets;
    private TopicConsumer consumer;
    private boolean isOpened;
    private int clump;
    private long gapNs;
    private boolean isJittered;
    /** The partition that gets all records of the stretch, or -1. */
    private int onlyPartition;
    /** Clumps of the stretch that were not appended. */
    private int left;
    private long records;
    /** The longest time from the append of a record to its handler. */
    long longestNs;
    long batchedFetches;

    /**
     * @param settings of the run.
     * @param lines    receives the text of the trace, or null.
     */
    TrickleWorld(final RunSettings settings, final Consumer<String> lines)
    {
        super(new Scenario(settings), new Draw(settings.seed(), "trickle clock").nextLong() >> 1, lines);
        draw = new Draw(scenario.seed, "trickle");
        userDraw = new Draw(scenario.seed, "user");
        for (int id = 0; id < scenario.brokerCount; id++)
        {
            network.addHost(id, scenario.isOn(Feature.RELEASES) ? release(draw) : BrokerRelease.NEWEST);
        }
        createTopic();
        for (final ModelPartition partition : partitions())
        {
            partition.log().segmentLength(SEGMENT_LENGTH);
            appendedNs.add(new ArrayList<>());
        }
        nextOffsets = new long[scenario.partitionCount];
        poller = new SimulatedPoller(this);
        budgetNs = TimeUnit.MILLISECONDS.toNanos(scenario.latencyBudgetMs);
        messageNs = network.drawLatencyNs();
    }

    private void open()
    {
        partitions().forEach(this::appendTo);
        // Metadata is not requested again, because a lookup of names takes up to 2 ms of a cycle.
        consumer = TopicConsumer.connect(scenario.context()
            .fetchMaxBytes(FETCH_LENGTH)
            .partitionMaxBytes(FETCH_LENGTH)
            .metadataMaxAgeMs(Integer.MAX_VALUE)
            .bootstrapServers(network.bootstrapServers())
            .poller(poller)
            .nanoClock(clock)
            .epochClock(clock)
            .random(new Draw(scenario.seed, "consumer"))
            .nameResolver(network)
            .errorHandler((error) -> trace.text("error: " + error.getMessage())));
        stepUntil(OPENING_NS);
        for (int partition = 0; partition < nextOffsets.length; partition++)
        {
            checkHandedOver(partition, 0, OPENING_NS);
        }
        longestNs = 0;
        isOpened = true;
    }

    @Override
    void run()
    {
        open();
        while (clock.nowNs() < TimeUnit.MINUTES.toNanos(scenario.settings.minutes()))
        {
            beginStretch();
            while (left > 0)
            {
                step();
            }
            // Longer than the last records may take.
            stepUntil(clock.nowNs() + TimeUnit.SECONDS.toNanos(draw.between(2, 10)));
        }
        batchedFetches = consumer.counters().get(ConsumerCounters.BATCHED_FETCHES);
        consumer.close();
    }

    @Override
    void step()
    {
        consumer.poll(this::onRecord, RECORD_LIMIT,
            userDraw.oneIn(8) ? 0 : userDraw.logBetween(MIN_TIMEOUT_NS, MAX_TIMEOUT_NS));
        clock.spend(userDraw.between(1, MAX_CALL_NS));
    }

    private void beginStretch()
    {
        partitions().forEach((partition) -> beginSegment(partition.log()));
        clump = draw.oneIn(3) ? (int)draw.between(2, MAX_CLUMP) : 1;
        gapNs = clump * budgetNs * draw.between(1, MOST_TENTHS) / 10;
        isJittered = draw.oneIn(2);
        onlyPartition = draw.oneIn(2) ? draw.below(nextOffsets.length) : -1;
        left = (int)Math.min(draw.between(20, 200), 1 + MAX_STRETCH_NS / gapNs);
        clock.after(1, appendEvent);
    }

    /** Deletes the records of a log, and begins a segment. */
    private static void beginSegment(final ModelLog log)
    {
        final long endOffset = log.endOffset();
        log.deleteBefore(endOffset);
        log.truncate(endOffset);
        log.trim(endOffset);
    }

    private void append()
    {
        for (int i = 0; i < clump; i++)
        {
            appendTo(partitions().get(onlyPartition >= 0 ? onlyPartition : draw.below(nextOffsets.length)));
        }
        left--;
        if (left > 0)
        {
            clock.after(isJittered ? draw.between(1, 2 * gapNs) : gapNs, appendEvent);
        }
    }

    private void appendTo(final ModelPartition partition)
    {
        final long offset = partition.log().append(BATCHES.draw(draw), EPOCH_MS + clock.nowMs());
        appendedNs.get(partition.index()).add(clock.nowNs());
        onAppend(partition.index(), offset, offset);
        if (isOpened)
        {
            final long mostNs = boundNs(MOST_MESSAGES);
            clock.after(mostNs + 1, () -> checkHandedOver(partition.index(), offset, mostNs));
        }
        // A response may leave after the first record of a clump.
        network.serve();
    }

    private void onRecord(final Record record)
    {
        final int partition = record.partition();
        trace.event("record", partition, record.offset());
        longestNs = Math.max(longestNs, clock.nowNs() - appendedNs.get(partition).get((int)record.offset()));
        nextOffsets[partition] = record.offset() + 1;
        records++;
    }

    private void checkHandedOver(final int partition, final long offset, final long mostNs)
    {
        if (nextOffsets[partition] <= offset)
        {
            throw new SimulationFailure("lateness", clock.nowNs(), "expected offset " + offset + " of partition " +
                partition + " to be handed over at most " + mostNs / NANOS_PER_MS + " ms after it was appended. The " +
                "latency budget is " + scenario.latencyBudgetMs + " ms, and a message takes " +
                messageNs / NANOS_PER_MS + " ms.\n" + consumer.describe());
        }
    }

    /** Returns the longest time from the append of a record to its handler, if so many messages are sent meanwhile. */
    long boundNs(final int messages)
    {
        return budgetNs + messages * messageNs + MOST_CYCLES * CYCLE_NS;
    }

    @Override
    void onSocketsChanged()
    {
        poller.onChange();
    }

    @Override
    long records()
    {
        return records;
    }
}
