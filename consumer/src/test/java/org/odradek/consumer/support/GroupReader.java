// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.support;

import org.odradek.consumer.ConsumerContext;
import org.odradek.consumer.GroupSettings;
import org.odradek.consumer.TopicConsumer;
import org.odradek.consumer.handler.ConsumerListener;
import org.odradek.consumer.handler.GroupProtocol;
import org.odradek.consumer.handler.GroupState;
import org.odradek.consumer.handler.RecordHandler;
import org.odradek.protocol.record.Record;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * A member of a consumer group with the events and records that it has delivered. Each record must be of a partition
 * between its events assigned and revoked or lost, and follow the one before.
 */
public final class GroupReader implements AutoCloseable, RecordHandler, ConsumerListener
{
    /** The least session timeout of the broker, for a test that waits for the end of a session. */
    public static final long SESSION_MS = 1_500;
    /** For members that shall not be fenced: machines stand still at times. */
    public static final int FENCE_MS = 30_000;

    /** Settings of a broker with which groups change fast. Sessions are long, because machines stand still at times. */
    public static final Map<String, String> SHORT_INTERVALS = Map.of(
        "group.consumer.min.heartbeat.interval.ms", "100",
        "group.consumer.heartbeat.interval.ms", "100",
        "group.consumer.min.session.timeout.ms", String.valueOf(SESSION_MS),
        "group.consumer.assignment.interval.ms", "0",
        "group.min.session.timeout.ms", "100",
        "group.initial.rebalance.delay.ms", "0");

    private static final long TIMEOUT_NS = TimeUnit.SECONDS.toNanos(40);
    private static final long POLL_NS = TimeUnit.MILLISECONDS.toNanos(5);
    /** After such a pause a session of {@link #SESSION_MS} may have expired. */
    private static final long STANDSTILL_NS = TimeUnit.MILLISECONDS.toNanos(SESSION_MS / 2);

    private final Map<Integer, Long> nextOffsets = new HashMap<>();
    private final Map<Integer, Integer> epochs = new HashMap<>();
    private final List<String> events = new ArrayList<>();
    private final List<String> errors = new ArrayList<>();
    private final List<GroupState> states = new ArrayList<>();
    private final List<Long> records = new ArrayList<>();
    private final TopicConsumer consumer;
    private long slowMs;
    private BooleanSupplier slowUntil = () -> true;
    private int failingPartition = -1;
    private long failingOffset = -1;
    private boolean isClosed;
    private boolean isThrowingErrors;
    private long lastCallNs;
    private boolean hasStoodStill;
    private Runnable onRevoked = () -> {};
    private Runnable onError = () -> {};

    public GroupReader(final String bootstrapServers, final String topic, final GroupSettings settings)
    {
        this(Reading.context(bootstrapServers, topic).group(settings));
    }

    public GroupReader(final ConsumerContext context)
    {
        consumer = TopicConsumer.connect(
            context.listener(this).errorHandler(this::onError));
    }

    private void onError(final Throwable error)
    {
        errors.add(error.getMessage());
        onError.run();
        if (isThrowingErrors)
        {
            throw new IllegalStateException("the error handler throws: " + error.getMessage());
        }
    }

    /** Makes the error handler throw from now on. */
    public void throwErrors()
    {
        isThrowingErrors = true;
    }

    /** Runs something at the end of the event that a partition was revoked. */
    public void whenRevoked(final Runnable task)
    {
        onRevoked = task;
    }

    /** Runs something in the error handler. */
    public void whenError(final Runnable task)
    {
        onError = task;
    }

    public TopicConsumer consumer()
    {
        return consumer;
    }

    public void poll()
    {
        if (!isClosed)
        {
            noteCall();
            consumer.poll(this, 1_000, POLL_NS);
        }
    }

    private void noteCall()
    {
        final long nowNs = System.nanoTime();
        hasStoodStill |= lastCallNs != 0 && nowNs - lastCallNs > STANDSTILL_NS;
        lastCallNs = nowNs;
    }

    /** Whether the machine has let so much time pass between two calls that the coordinator may have removed it. */
    public boolean hasStoodStill()
    {
        return hasStoodStill;
    }

    /** A test calls this after it has not polled for a while on purpose. */
    public void endPause()
    {
        lastCallNs = 0;
    }

    /** Polls all members in turn until a condition is true. */
    public static void until(
        final String what, final Collection<GroupReader> members, final BooleanSupplier condition)
    {
        final long deadlineNs = System.nanoTime() + TIMEOUT_NS;
        while (!condition.getAsBoolean())
        {
            if (deadlineNs - System.nanoTime() < 0 || Thread.currentThread().isInterrupted())
            {
                final StringBuilder text = new StringBuilder("timed out: ").append(what);
                members.forEach((member) -> text.append('\n').append(member));
                throw new AssertionError(text);
            }
            members.forEach(GroupReader::poll);
        }
    }

    /** The number of records of all members. */
    public static int total(final Collection<GroupReader> members)
    {
        return members.stream().mapToInt(GroupReader::count).sum();
    }

    /** Expects that each record of all partitions was delivered once, whoever delivered it. */
    public static void assertEachOnce(final Collection<GroupReader> members, final int partitions, final int records)
    {
        final TreeSet<Long> all = new TreeSet<>();
        members.forEach((member) -> all.addAll(member.records));
        assertEquals(partitions * records, all.size(), members::toString);
        assertEquals(all.size(), total(members), members::toString);
        // That a member was removed is reported as an error; the counter of lost partitions has it, too.
        members.forEach((member) -> assertEquals(List.of(), member.errors.stream()
            .filter((error) -> !error.contains(" has removed ")).toList()));
    }

    /** The number of different records of all members. */
    public static int distinct(final Collection<GroupReader> members)
    {
        return (int)members.stream().flatMap((member) -> member.records.stream()).distinct().count();
    }

    /** Makes the handler of the next record take long; it keeps the member alive. */
    public void slowRecord(final long ms)
    {
        slowMs = ms;
    }

    /** Makes the handler of the next record wait for a condition or an interrupt; it keeps the member alive. */
    public void slowRecord(final BooleanSupplier until)
    {
        slowUntil = until;
    }

    /** Makes the handler throw at a record; with partition -1 at none. */
    public void failAt(final int partition, final long offset)
    {
        failingPartition = partition;
        failingOffset = offset;
    }

    @Override
    public void onRecord(final Record record)
    {
        if (record.partition() == failingPartition && record.offset() == failingOffset)
        {
            throw new IllegalStateException("the store is down");
        }
        final Long next = nextOffsets.put(record.partition(), record.offset() + 1);
        assertTrue(next != null && next <= record.offset(), () -> record + " was delivered in " + this);
        records.add((long)record.partition() << 32 | record.offset());
        epochs.put(record.partition(), record.ownershipEpoch());
        final long endNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(slowMs);
        while (slowMs > 0 && endNs - System.nanoTime() > 0 || !slowUntil.getAsBoolean())
        {
            if (Thread.currentThread().isInterrupted())
            {
                throw new IllegalStateException("interrupted in a slow handler");
            }
            noteCall();
            consumer.keepAlive();
            LockSupport.parkNanos(1_000_000);
        }
        slowMs = 0;
        slowUntil = () -> true;
    }

    @Override
    public void onPartitionAssigned(final int partition, final long nextOffset)
    {
        assertTrue(consumer == null || consumer.group().isOwned(partition));
        assertEquals(null, nextOffsets.put(partition, nextOffset));
        events.add("assigned " + partition + " at " + nextOffset);
    }

    @Override
    public void onPartitionRevoked(final int partition, final long nextOffset, final long committedOffset)
    {
        assertTrue(nextOffsets.remove(partition) >= 0);
        events.add("revoked " + partition + " at " + committedOffset);
        onRevoked.run();
    }

    @Override
    public void onPartitionLost(final int partition, final long nextOffset, final long committedOffset)
    {
        assertEquals(nextOffset, nextOffsets.remove(partition));
        events.add("lost " + partition + " at " + nextOffset);
    }

    @Override
    public void onAcknowledgementRefused(
        final int partition, final long acknowledgedOffset, final long nextOffset)
    {
        events.add("refused " + acknowledgedOffset + " of " + partition + " before " + nextOffset);
    }

    @Override
    public void onGroupState(final GroupState state, final int memberEpoch, final String reason)
    {
        states.add(state);
        events.add(state + " " + memberEpoch + ": " + reason);
    }

    @Override
    public void onGroupProtocol(final GroupProtocol protocol, final String reason)
    {
        events.add("protocol " + protocol + ": " + reason);
    }

    @Override
    public void onClassicGroupConverted(final String protocolType, final String groupState, final int memberCount)
    {
        events.add("converted " + protocolType + " " + groupState + " " + memberCount);
    }

    @Override
    public void onDeliveryFenced(final long unconfirmedNs)
    {
        events.add("fenced after " + TimeUnit.NANOSECONDS.toMillis(unconfirmedNs) + " ms");
    }

    @Override
    public void onDeliveryUnfenced(final long fencedNs)
    {
        events.add("unfenced");
    }

    /** The partitions between their events assigned and revoked or lost, sorted. */
    public List<Integer> owned()
    {
        return List.copyOf(new TreeSet<>(nextOffsets.keySet()));
    }

    public List<String> events()
    {
        return events;
    }

    public List<String> errors()
    {
        return errors;
    }

    public List<GroupState> states()
    {
        return states;
    }

    /** The epoch of the last record of a partition. */
    public int epoch(final int partition)
    {
        return epochs.get(partition);
    }

    public int count()
    {
        return records.size();
    }

    public long counter(final int id)
    {
        return consumer.counters().get(id);
    }

    @Override
    public String toString()
    {
        return records.size() + " records, owns " + nextOffsets + ", errors " + errors + ", events " + events + "\n" +
            consumer.describe();
    }

    @Override
    public void close()
    {
        isClosed = true;
        consumer.close();
    }
}
