// SPDX-License-Identifier: Apache-2.0
package org.odradek.simulation;

import org.agrona.DirectBuffer;
import org.apache.kafka.common.header.Header;
import org.odradek.consumer.IsolationLevel;
import org.odradek.consumer.TopicConsumer;
import org.odradek.harness.model.BrokerRelease;
import org.odradek.harness.model.ModelLog;
import org.odradek.harness.model.ModelPartition;
import org.odradek.harness.model.ModelRecord;
import org.odradek.harness.model.ModelTopic;
import org.odradek.protocol.record.Record;
import org.odradek.protocol.record.RecordHeadersFlyweight;
import org.odradek.protocol.record.StoredBatch;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Checks what is delivered and where the consumer is. Each record is that of the log at its offset, offsets increase
 * between the events that report otherwise, and an offset that is skipped has no record for the user.
 */
final class DeliveryOracle
{
    /** Holds the log as it was when the record was read, even if another one has replaced it. */
    private static final String RECORD = "record";
    private static final String ORDER = "order";
    private static final String SKIPPED = "skipped offset";
    private static final String COMMITTED = "read committed";
    private static final String POSITION = "position";
    private static final String START = "start position";
    private static final String TRUNCATION = "missed truncation";
    private static final VarHandle LONGS =
        MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final long MAX_CHECKED_OFFSETS = 20_000;
    static final long NEVER = Long.MIN_VALUE / 2;

    final boolean isReadCommitted;
    /** A broker whose view is stale answers with the end of the log as it was. */
    final boolean isEndStale;
    private final World world;
    private final List<Expected> partitions = new ArrayList<>();
    private final ModelRecord view = new ModelRecord();
    private ModelTopic knownTopic;
    /** The next offset before the last delivery, or -1 if it was unknown. Offsets without a record may precede it. */
    private long nextBeforeDelivery;
    /** The topic was created again in this run. A stale broker may go on naming the one before. */
    boolean isTopicRecreated;
    private final long maxAgeNs;
    /** When a broker was there last that knows no topic ids, or that reports leader epochs that may be wrong. */
    private long idlessNs = NEVER;
    private long epochlessNs = NEVER;
    private long recreatedNs;
    /** Records that a handler has accepted. */
    long records;

    DeliveryOracle(final World world)
    {
        this.world = world;
        maxAgeNs = TimeUnit.MILLISECONDS.toNanos(world.scenario.metadataMaxAgeMs);
        isEndStale = world.scenario.isOn(FaultKind.STALE_METADATA);
        isReadCommitted = world.scenario.context().isolationLevel() == IsolationLevel.READ_COMMITTED;
    }

    List<Expected> partitions()
    {
        return partitions;
    }

    Expected of(final int partition)
    {
        while (partitions.size() <= partition)
        {
            partitions.add(new Expected(partitions.size()));
        }
        return partitions.get(partition);
    }

    /** Notes what has changed in the cluster. */
    void sample()
    {
        noteReleases();
        final List<ModelPartition> now = world.partitions();
        final ModelTopic topic = world.cluster.topic(Scenario.TOPIC);
        if (topic != null && topic != knownTopic)
        {
            if (knownTopic != null)
            {
                partitions.forEach(Expected::recreated);
                isTopicRecreated = true;
                recreatedNs = world.clock.nowNs();
            }
            knownTopic = topic;
        }
        for (int i = 0; i < now.size(); i++)
        {
            of(i).sample(now.get(i), world.clock.nowNs());
        }
    }

    private void noteReleases()
    {
        for (final Host host : world.network.hosts())
        {
            final BrokerRelease release = host.broker.release();
            if (release.isBefore(3, 1))
            {
                idlessNs = world.clock.nowNs();
                epochlessNs = release.isBefore(2, 4) ? idlessNs : epochlessNs;
            }
        }
    }

    /** Returns whether no broker was too old to report sound leader epochs for so long that the consumer knows them. */
    boolean areEpochsKnown(final long sinceNs)
    {
        return epochlessNs < sinceNs - 2 * maxAgeNs;
    }

    /** Returns whether there has been a broker that knows no topic ids. */
    boolean isIdUnknownToSome()
    {
        return idlessNs != NEVER;
    }

    /** Returns whether brokers could not notify the consumer that the topic was created again. */
    boolean isRecreationHidden()
    {
        return idlessNs >= recreatedNs - 2 * maxAgeNs;
    }

    /** A handler is given a record. */
    void onRecord(final Record record)
    {
        final Expected expected = of(record.partition());
        final long offset = record.offset();
        checkReadable(expected, offset);
        passTo(expected, offset);
        if (!isInSomeLog(expected, record))
        {
            throw fail(RECORD, "partition " + expected.partition + " of epoch " + record.leaderEpoch() + " at offset " +
                offset + " in the log, but another record was delivered: " + record);
        }
        checkCommitted(expected, offset);
        checkTruncation(expected, record.leaderEpoch(), offset);
        records++;
        expected.advance(offset + 1, world.clock.nowNs());
    }

    /** A handler is given a batch. */
    void onBatch(final StoredBatch batch)
    {
        final Expected expected = of(batch.partition());
        final long from = batch.fromOffset();
        checkReadable(expected, from);
        passTo(expected, Math.max(from, batch.baseOffset()));
        if (from > batch.lastOffset() || !isInSomeLog(expected, batch))
        {
            throw fail(RECORD, "partition " + expected.partition + " of epoch " + batch.leaderEpoch() +
                " from offset " + from + " in the log, but another batch was delivered: " + batch.baseOffset() +
                " to " + batch.lastOffset());
        }
        checkTruncation(expected, batch.leaderEpoch(), from);
        records += batch.recordCount();
        expected.advance(batch.lastOffset() + 1, world.clock.nowNs());
    }

    /** A handler has refused what it was given: it is delivered again. */
    void refused(final int partition, final int count)
    {
        records -= count;
        of(partition).next = nextBeforeDelivery;
    }

    private void checkReadable(final Expected expected, final long offset)
    {
        if (!expected.isRead())
        {
            throw fail(ORDER, "nothing of partition " + expected.partition + ", which is " +
                (expected.isPaused ? "paused" : expected.isAssigned ? "stopped" : "unassigned") +
                ", but offset " + offset + " was delivered");
        }
    }

    /** The consumer continues at an offset, which must not be before the expected one, and skips those before it. */
    void passTo(final Expected expected, final long offset)
    {
        nextBeforeDelivery = expected.next;
        if (expected.next < 0)
        {
            begin(expected, offset);
        }
        if (offset < expected.next)
        {
            throw fail(ORDER, "offset " + expected.next + " or later of partition " + expected.partition +
                ", but found " + offset);
        }
        if (!expected.isRewritten && offset > expected.next)
        {
            final long skipped = firstRecord(expected, offset);
            if (skipped < offset)
            {
                throw fail(SKIPPED, "the record at offset " + skipped + " of partition " + expected.partition +
                    ", but the consumer has continued at offset " + offset);
            }
        }
    }

    /** Returns the end of a partition's log for the consumer, or 0 if there is none. */
    long endOf(final Expected expected)
    {
        return expected.log == null ? 0 : expected.end(isReadCommitted);
    }

    /**
     * Returns whether the consumer must still read records of a partition that were written before the last phase, look
     * up where to begin, or notice that it is after the end of the log.
     */
    boolean isBehind(final Expected expected)
    {
        final long target = Math.min(expected.target, endOf(expected));
        return expected.isAssigned && !expected.isPaused &&
            (expected.isStopped || expected.next < 0 ||
            expected.log != null && expected.next > expected.log.endOffset() ||
            expected.next < target && firstRecord(expected, target) < target);
    }

    /** Returns the first offset of a partition that the user may still read. */
    long neededOffset(final int partition)
    {
        final Expected expected = of(partition);
        return expected.isAssigned ? Math.max(0, expected.next) : Long.MAX_VALUE;
    }

    /** Returns the offset of the next record for the user, or the limit if there is none before it. */
    long firstRecord(final Expected expected, final long limit)
    {
        final long checked = Math.min(limit, expected.next + MAX_CHECKED_OFFSETS);
        for (long offset = Math.max(0, expected.next); offset < checked; offset++)
        {
            if (expected.log.record(offset, ModelLog.NONE, view) && !(isReadCommitted && view.isAborted()))
            {
                return offset;
            }
        }
        return limit;
    }

    /** Returns whether the next record is in a batch that the receive buffer cannot hold. */
    boolean isNextOversized(final Expected expected)
    {
        final long end = expected.log.endOffset();
        return firstRecord(expected, end) < end && view.valueLength() >= Scenario.MAX_RECEIVE_LENGTH;
    }

    /** Returns a partition whose next record is in a batch that the receive buffer cannot hold, or null. */
    Expected beforeOversized()
    {
        for (final Expected expected : world.load.isOversized ? partitions : List.<Expected>of())
        {
            if (expected.isRead() && expected.next >= 0 && expected.log != null && isNextOversized(expected))
            {
                return expected;
            }
        }
        return null;
    }

    /** Returns where a user continues a partition that has stopped: after what cannot be read, and in the log. */
    long continueOffset(final Expected expected)
    {
        final ModelLog log = expected.log;
        return isNextOversized(expected) ? firstRecord(expected, log.endOffset()) + 1 :
            expected.isRecreated ? log.startOffset() :
            Math.max(log.startOffset(), Math.min(log.endOffset(), expected.next));
    }

    /** The offset at which a partition begins has been looked up. */
    private void begin(final Expected expected, final long offset)
    {
        sample();
        final long high = expected.startHigh();
        final boolean isExact = expected.start == Expected.EARLIEST || expected.start > Expected.GIVEN && !isEndStale;
        if (isExact && offset < expected.startLow && !expected.isRecreated)
        {
            throw fail(START, "partition " + expected.partition + " to begin at offset " + expected.startLow + " to " +
                high + " (lookup of " + expected.start + "), but it begins at " + offset);
        }
        long from = Math.min(offset, expected.start <= Expected.GIVEN ? offset : high);
        if (expected.start == Expected.COMMITTED && expected.committed >= 0 && !expected.isRecreated &&
            world.user.offsets.committed(expected.partition) == expected.committed)
        {
            if (offset < expected.committed)
            {
                throw fail(START, "partition " + expected.partition + " to begin at the committed offset " +
                    expected.committed + ", but it begins at " + offset);
            }
            from = expected.committed;
        }
        expected.begin(from, world.clock.nowNs());
        expected.isCatchingUp = true;
    }

    private boolean isInSomeLog(final Expected expected, final Record record)
    {
        boolean isFound = isIn(expected.log, record);
        for (int i = 0; i < expected.formerLogs.size() && !isFound; i++)
        {
            isFound = isIn(expected.formerLogs.get(i), record);
        }
        // Messages without an epoch cannot be found among those that an election has lost.
        return isFound || expected.isRewritten && record.leaderEpoch() < 0;
    }

    private boolean isIn(final ModelLog log, final Record record)
    {
        return log.record(record.offset(), record.leaderEpoch(), view) &&
            view.timestamp() == record.timestamp() && view.isLogAppendTime() == record.isLogAppendTime() &&
            areEqual(record.buffer(), record.keyIndex(), record.keyLength(), view.bytes(), view.keyIndex(),
                view.keyLength()) &&
            areEqual(record.buffer(), record.valueIndex(), record.valueLength(), view.bytes(), view.valueIndex(),
                view.valueLength()) &&
            areEqual(record, view.headers());
    }

    private boolean isInSomeLog(final Expected expected, final StoredBatch batch)
    {
        boolean isFound = isIn(expected.log, batch);
        for (int i = 0; i < expected.formerLogs.size() && !isFound; i++)
        {
            isFound = isIn(expected.formerLogs.get(i), batch);
        }
        return isFound || expected.isRewritten && batch.leaderEpoch() < 0;
    }

    private boolean isIn(final ModelLog log, final StoredBatch batch)
    {
        // Compaction may have removed all records after the first offset wanted, but not the batch.
        for (long offset = batch.lastOffset(); offset >= batch.baseOffset(); offset--)
        {
            if (log.record(offset, batch.leaderEpoch(), view))
            {
                checkCommitted(of(batch.partition()), offset);
                return batch.magic() < 2 ||
                    view.baseOffset() == batch.baseOffset() && view.lastOffset() == batch.lastOffset();
            }
        }
        return false;
    }

    private void checkCommitted(final Expected expected, final long offset)
    {
        if (isReadCommitted && !expected.isRewritten && (view.isAborted() || view.isOpen()))
        {
            throw fail(COMMITTED, "no record of an " + (view.isOpen() ? "open" : "aborted") +
                " transaction, but offset " + offset + " of partition " + expected.partition + " was delivered");
        }
    }

    /**
     * After an election that lost records the consumer must notice that it has read some of them, before it delivers a
     * record of the new leader. Old brokers and old messages lack the epochs for it. A leader whose retention has
     * removed all offsets that were read has forgotten their epochs, too: it answers with its log start as the end of
     * each.
     */
    private void checkTruncation(final Expected expected, final int epoch, final long offset)
    {
        final boolean isAfterElection = expected.isAfterElection(epoch, offset);
        if (expected.epoch >= 0 && epoch > expected.epoch && isAfterElection && expected.isLost &&
            areEpochsKnown(expected.cutNs) && !expected.isRecreated && expected.log.startOffset() < expected.next)
        {
            throw missed(expected, "offset " + offset + " of epoch " + epoch);
        }
        if (epoch > expected.epoch && isAfterElection)
        {
            // The consumer had read nothing that was lost.
            expected.forgetCut();
        }
        expected.epoch = epoch;
    }

    /** The consumer has found that its offset is outside of the log: it must know why, if the log was truncated. */
    void checkOutside(final Expected expected)
    {
        if (expected.epoch >= 0 && expected.isLost && areEpochsKnown(expected.cutNs) &&
            !expected.isRecreated && expected.log.startOffset() <= expected.cut)
        {
            throw missed(expected, "OFFSET_OUT_OF_RANGE");
        }
    }

    private SimulationFailure missed(final Expected expected, final String found)
    {
        return fail(TRUNCATION, "an event for partition " + expected.partition + ", whose log was truncated to " +
            "offset " + expected.cut + " after " + (expected.next - 1) + " had been delivered, but " + found +
            " followed without one");
    }

    private static boolean areEqual(
        final DirectBuffer buffer,
        final int index,
        final int length,
        final byte[] bytes,
        final int expectedIndex,
        final int expectedLength)
    {
        if (length != expectedLength)
        {
            return false;
        }
        int i = 0;
        for (; i + Long.BYTES <= length; i += Long.BYTES)
        {
            if (buffer.getLong(index + i, ByteOrder.LITTLE_ENDIAN) != (long)LONGS.get(bytes, expectedIndex + i))
            {
                return false;
            }
        }
        for (; i < length; i++)
        {
            if (buffer.getByte(index + i) != bytes[expectedIndex + i])
            {
                return false;
            }
        }
        return true;
    }

    private static boolean areEqual(final Record record, final Header[] expected)
    {
        if (record.headerCount() != expected.length)
        {
            return false;
        }
        final RecordHeadersFlyweight headers = record.headers();
        for (final Header header : expected)
        {
            final String key = header.key();
            final byte[] value = header.value();
            if (!headers.next() || headers.keyLength() != key.length() ||
                !areEqual(record.buffer(), headers.valueIndex(), headers.valueLength(), value, 0,
                    value == null ? -1 : value.length))
            {
                return false;
            }
            for (int i = 0; i < key.length(); i++)
            {
                if (record.buffer().getByte(headers.keyIndex() + i) != key.charAt(i))
                {
                    return false;
                }
            }
        }
        return !headers.next();
    }

    /** Compares the consumer's positions with what was delivered and asked for. */
    void checkPositions(final TopicConsumer consumer)
    {
        sample();
        for (int p = 0; p < partitions.size(); p++)
        {
            final Expected expected = partitions.get(p);
            if (consumer.isAssigned(p) != expected.isAssigned ||
                expected.isAssigned && consumer.isPaused(p) != expected.isPaused)
            {
                throw fail(POSITION, "partition " + p + (expected.isAssigned ? " assigned" : " not assigned") +
                    (expected.isPaused ? " and paused" : "") + ", but it is not so");
            }
            final long next = expected.isAssigned ? consumer.nextOffset(p) : expected.next;
            if (next != expected.next)
            {
                if (next < expected.next)
                {
                    throw fail(POSITION, "partition " + p + " at offset " + expected.next + " or later, but it is at " +
                        next);
                }
                passTo(expected, next);
                if (next != expected.next)
                {
                    expected.advance(next, world.clock.nowNs());
                }
            }
        }
    }

    private SimulationFailure fail(final String oracle, final String message)
    {
        return world.oracles.failure(oracle, message);
    }
}
