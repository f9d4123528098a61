// SPDX-License-Identifier: Apache-2.0
package org.odradek.simulation;

import org.odradek.consumer.ConsumerContext;
import org.odradek.consumer.CorruptBatchPolicy;
import org.odradek.consumer.TopicConsumer;
import org.odradek.consumer.handler.ConsumerCounters;
import org.odradek.consumer.handler.ConsumerListener;
import org.odradek.consumer.handler.GapReason;
import org.odradek.consumer.handler.OffsetResetPolicy;
import org.odradek.consumer.handler.StopReason;
import org.odradek.protocol.ErrorCode;

/**
 * Checks the events of a consumer: each has a cause and the right numbers, none is missing, and the counters agree with
 * them.
 */
final class EventOracle implements ConsumerListener
{
    private static final String EVENT = "event";
    private static final String MISSING = "missing event";
    private static final String COUNTER = "counter";

    private final World world;
    private final DeliveryOracle deliveries;
    private final OffsetResetPolicy.Kind resetPolicy;
    private final boolean isSkippingCorrupt;
    private final long[] counts = new long[ConsumerCounters.count()];
    private TopicConsumer consumer;
    private long recordsBefore;
    /** The reset that a gap with the same numbers must follow. */
    private int gapPartition = -1;
    private long gapFrom;
    private long gapTo;
    /** The truncation that a reset to the same offset, or a stop, must follow. */
    private int truncatedPartition = -1;
    private long divergentOffset;
    /** When the consumer took lower leader epochs, because it learnt the topic's id. */
    private long idKnownNs = DeliveryOracle.NEVER;

    EventOracle(final World world, final DeliveryOracle deliveries)
    {
        this.world = world;
        this.deliveries = deliveries;
        final ConsumerContext context = world.scenario.context();
        resetPolicy = context.offsetResetPolicy().kind();
        isSkippingCorrupt = context.corruptBatchPolicy() == CorruptBatchPolicy.SKIP;
    }

    /** A consumer was opened; its counters begin at 0. */
    void onOpen(final TopicConsumer newConsumer)
    {
        consumer = newConsumer;
        recordsBefore = deliveries.records;
        java.util.Arrays.fill(counts, 0);
        forgetLeaders();
        gapPartition = -1;
        truncatedPartition = -1;
        idKnownNs = DeliveryOracle.NEVER;
    }

    private void forgetLeaders()
    {
        deliveries.partitions().forEach((expected) -> expected.leaderEpoch = -1);
    }

    /** Counts what the user's handlers and polls have done. */
    void count(final int counter, final long amount)
    {
        counts[counter] += amount;
    }

    private Expected at(final int partition, final long offset)
    {
        deliveries.sample();
        final Expected expected = deliveries.of(partition);
        check(expected.isAssigned, "no event of partition " + partition + ", which is not assigned");
        if (offset != -1 || expected.next != -1)
        {
            deliveries.passTo(expected, offset);
        }
        return expected;
    }

    private void check(final boolean isRight, final String message)
    {
        if (!isRight)
        {
            throw world.oracles.failure(EVENT, message);
        }
    }

    @Override
    public void onReset(final int partition, final long fromOffset, final long toOffset)
    {
        checkFollowers();
        final Expected expected = at(partition, fromOffset);
        world.trace.event("reset", partition, toOffset);
        counts[ConsumerCounters.RESETS]++;
        final boolean isTruncated = truncatedPartition == partition;
        if (!isTruncated)
        {
            deliveries.checkOutside(expected);
        }
        final boolean isOutside = expected.isRewritten || expected.isBeyondEnd ||
            fromOffset < expected.log.startOffset() || fromOffset > expected.log.endOffset();
        check(isTruncated || isOutside, "no reset of partition " + partition + " at offset " + fromOffset +
            " of a log from " + expected.log.startOffset() + " to " + expected.log.endOffset());
        check(resetPolicy != OffsetResetPolicy.Kind.FAIL, "no reset under the policy to stop");
        if (isTruncated && divergentOffset >= 0)
        {
            check(toOffset == divergentOffset, "a reset to the divergent offset " + divergentOffset +
                ", but it was to " + toOffset);
        }
        else if (!expected.isRewritten)
        {
            final boolean isStart = toOffset >= expected.lowStart && toOffset <= expected.log.startOffset();
            final boolean isEnd = (deliveries.isEndStale || toOffset >= expected.lowEnd) &&
                toOffset <= expected.log.endOffset();
            check(resetPolicy != OffsetResetPolicy.Kind.EARLIEST || isStart, "a reset to the start of the log, " +
                expected.lowStart + " to " + expected.log.startOffset() + ", but it was to " + toOffset);
            check(resetPolicy == OffsetResetPolicy.Kind.EARLIEST || isEnd ||
                resetPolicy == OffsetResetPolicy.Kind.NEAREST && isStart, "a reset to an end of the log of " +
                expected.lowStart + " to " + expected.log.endOffset() + ", but it was to " + toOffset);
        }
        truncatedPartition = -1;
        expected.moveTo(toOffset, world.clock.nowNs());
        world.oracles.onChange();
        if (toOffset > fromOffset)
        {
            gapPartition = partition;
            gapFrom = fromOffset;
            gapTo = toOffset;
        }
    }

    @Override
    public void onGap(final int partition, final long fromOffset, final long toOffset, final GapReason reason)
    {
        world.trace.event("gap", partition, toOffset);
        counts[ConsumerCounters.GAPS]++;
        counts[ConsumerCounters.OFFSETS_SKIPPED] += toOffset - fromOffset;
        if (reason == GapReason.OUT_OF_RANGE)
        {
            check(gapPartition == partition && gapFrom == fromOffset && gapTo == toOffset, "the gap of the reset " +
                "from " + gapFrom + " to " + gapTo + " of partition " + gapPartition + ", but it is from " +
                fromOffset + " to " + toOffset + " of partition " + partition);
            gapPartition = -1;
            return;
        }
        final Expected expected = at(partition, fromOffset);
        check(expected.isCorrupted && isSkippingCorrupt && toOffset > fromOffset,
            "no gap from " + fromOffset + " to " + toOffset + " of partition " + partition);
        expected.advance(toOffset, world.clock.nowNs());
        world.oracles.onChange();
        // The consumer does not know the epoch of the record before this offset.
        expected.epoch = -1;
        expected.forgetCut();
    }

    @Override
    public void onTruncation(
        final int partition, final long nextOffset, final long divergent, final int leaderEpoch)
    {
        checkFollowers();
        world.trace.event("truncation", partition, divergent);
        counts[ConsumerCounters.TRUNCATIONS]++;
        final Expected expected = at(partition, nextOffset);
        check(expected.isRewritten, "no truncation of partition " + partition + ", whose log has lost nothing");
        check(divergent < nextOffset, "a truncation before offset " + nextOffset + ", but it is at " + divergent);
        truncatedPartition = partition;
        divergentOffset = divergent;
        if (divergent < 0)
        {
            truncatedPartition = -1;
        }
    }

    @Override
    public void onPartitionStopped(
        final int partition, final long nextOffset, final StopReason reason, final short errorCode)
    {
        world.trace.event("stopped", partition, reason.ordinal());
        counts[ConsumerCounters.PARTITIONS_STOPPED]++;
        final Expected expected = at(partition, nextOffset);
        final boolean isOutside = expected.isRewritten || expected.isBeyondEnd ||
            nextOffset < expected.log.startOffset() || nextOffset > expected.log.endOffset();
        final boolean isRight = switch (reason)
        {
            case HANDLER -> expected.isFailed;
            case OUT_OF_RANGE -> isOutside && resetPolicy == OffsetResetPolicy.Kind.FAIL;
            case TRUNCATED -> expected.isRewritten && resetPolicy == OffsetResetPolicy.Kind.FAIL;
            case CORRUPT_BATCH -> expected.isCorrupted;
            case TOO_LARGE -> expected.isCorrupted || deliveries.isNextOversized(expected);
            case TOPIC_RECREATED ->
            {
                expected.isFailed = false;
                yield deliveries.isTopicRecreated;
            }
            default -> false;
        };
        final boolean isOutOfRange = reason == StopReason.OUT_OF_RANGE;
        if (isOutOfRange)
        {
            deliveries.checkOutside(expected);
        }
        check(isRight && errorCode == (isOutOfRange ? ErrorCode.OFFSET_OUT_OF_RANGE : ErrorCode.NONE),
            "no reason for partition " + partition + " to stop at offset " + nextOffset + ", but it has for " + reason +
            " with " + ErrorCode.name(errorCode));
        truncatedPartition = -1;
        expected.isStopped = true;
    }

    @Override
    public void onCaughtUp(final int partition, final long nextOffset)
    {
        final Expected expected = at(partition, nextOffset);
        world.trace.event("caught up", partition, nextOffset);
        check(expected.isCatchingUp, "no second event that partition " + partition + " has caught up, at " +
            nextOffset);
        check(consumer.lag(partition) == 0, "partition " + partition + " at its end, but it is " +
            consumer.lag(partition) + " offsets behind");
        expected.isCatchingUp = false;
    }

    @Override
    public void onPartitionAdded(final int partition)
    {
        deliveries.sample();
        final Expected expected = deliveries.of(partition);
        check(!expected.isAssigned, "partition " + partition + " to be added once");
        check(partition < world.partitions().size() || expected.log != null, "no partition " + partition);
        expected.isAssigned = true;
        world.user.onAdded(expected);
        world.oracles.onPartitionAdded();
    }

    @Override
    public void onLeaderChanged(final int partition, final int leaderId, final int leaderEpoch)
    {
        deliveries.sample();
        counts[ConsumerCounters.LEADER_CHANGES]++;
        world.oracles.onLeaderChanged(partition);
        final Expected expected = deliveries.of(partition);
        check(expected.isLeader(leaderId, leaderEpoch), "another leader of partition " + partition +
            " than " + leaderId + " in epoch " + leaderEpoch);
        // Old brokers make the consumer forget the epoch that it knew, and epochs begin again with a new topic.
        check(leaderEpoch >= expected.leaderEpoch || deliveries.isTopicRecreated || !deliveries.areEpochsKnown(0) ||
            isTopicIdNew(),
            "no leader of partition " + partition + " of epoch " + leaderEpoch + " after that of epoch " +
            expected.leaderEpoch);
        expected.leaderEpoch = leaderEpoch;
    }

    /**
     * Returns whether the response that is being read may be the first with the topic's id. The consumer then takes
     * its epochs, even if they are lower, as KafkaConsumer does: the topic may have been created again before its id
     * was known. A consumer learns the id once, so all epochs that go back do so at one time.
     */
    private boolean isTopicIdNew()
    {
        if (idKnownNs == DeliveryOracle.NEVER && deliveries.isIdUnknownToSome())
        {
            idKnownNs = world.clock.nowNs();
        }
        return idKnownNs == world.clock.nowNs();
    }

    @Override
    public void onConnectionLost(final int nodeId, final String address, final String reason)
    {
        counts[ConsumerCounters.CONNECTIONS_LOST]++;
        world.oracles.timeouts.onLost(reason);
    }

    @Override
    public void onBufferGrown(final int nodeId, final int fromLength, final int toLength)
    {
        counts[ConsumerCounters.BUFFERS_GROWN]++;
        check(fromLength < toLength, "a buffer that grows, but its length was " + fromLength + " and is " + toLength);
    }

    @Override
    public void onRebootstrap(final String reason)
    {
        counts[ConsumerCounters.REBOOTSTRAPS]++;
        forgetLeaders();
        world.oracles.onChange();
    }

    @Override
    public void onThrottled(final int nodeId, final int throttleTimeMs)
    {
        world.oracles.traffic.connections.onWait(nodeId, throttleTimeMs);
    }

    @Override
    public void onFetchConnections(final int nodeId, final int fromCount, final int toCount, final String reason)
    {
        world.trace.event("connections", nodeId, toCount);
        world.oracles.traffic.connections.onLimit(nodeId, fromCount, toCount, reason);
    }

    /** A reset that skips offsets is followed by its gap. */
    private void checkFollowers()
    {
        if (gapPartition >= 0)
        {
            throw world.oracles.failure(MISSING, "a gap from " + gapFrom + " to " + gapTo +
                " of partition " + gapPartition);
        }
    }

    /** Compares the counters with what has occurred. */
    void checkCounters()
    {
        checkFollowers();
        counts[ConsumerCounters.RECORDS] = deliveries.records - recordsBefore;
        checkCounter(ConsumerCounters.RECORDS);
        checkCounter(ConsumerCounters.HANDLER_ERRORS);
        checkCounter(ConsumerCounters.GAPS);
        checkCounter(ConsumerCounters.OFFSETS_SKIPPED);
        checkCounter(ConsumerCounters.RESETS);
        checkCounter(ConsumerCounters.TRUNCATIONS);
        checkCounter(ConsumerCounters.PARTITIONS_STOPPED);
        checkCounter(ConsumerCounters.LEADER_CHANGES);
        checkCounter(ConsumerCounters.CONNECTIONS_LOST);
        checkCounter(ConsumerCounters.REBOOTSTRAPS);
        checkCounter(ConsumerCounters.BUFFERS_GROWN);
        checkCounter(ConsumerCounters.EMPTY_POLLS);
        checkCounter(ConsumerCounters.LISTENER_ERRORS);
    }

    private void checkCounter(final int id)
    {
        if (consumer.counters().get(id) != counts[id])
        {
            throw world.oracles.failure(COUNTER, ConsumerCounters.name(id) + " " + counts[id] +
                ", but the counter is " + consumer.counters().get(id));
        }
    }

    /**
     * After a time without faults and records, every partition is at its end, and its numbers are those of the log. In
     * a fetch session a broker does not report a last stable offset that has moved alone.
     */
    void checkIdle()
    {
        for (final Expected expected : deliveries.partitions())
        {
            final int p = expected.partition;
            if (expected.isRead())
            {
                final long highWatermark = expected.log.highWatermark();
                final long lastStable = expected.log.lastStableOffset();
                final long lag = Math.max(0, (deliveries.isReadCommitted ? lastStable : highWatermark) - expected.next);
                if (consumer.highWatermark(p) != highWatermark || consumer.lag(p) != lag ||
                    deliveries.isReadCommitted && consumer.lastStableOffset(p) > lastStable)
                {
                    throw world.oracles.failure("lag", "partition " + p + " with high watermark " + highWatermark +
                        ", last stable offset " + lastStable + " and lag " + lag + ", but found " +
                        consumer.highWatermark(p) + ", " + consumer.lastStableOffset(p) + " and " + consumer.lag(p));
                }
                // A partition that goes on moving between its leader and a replica may not get an answer in time.
                if (expected.isCatchingUp && lag == 0 && !world.scenario.isOn(Feature.RACKS))
                {
                    throw world.oracles.failure(MISSING, "partition " + p + " to be reported as caught up at offset " +
                        expected.next);
                }
            }
        }
    }
}
