// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.support;

import org.apache.kafka.common.message.ApiMessageType;
import org.odradek.consumer.ConsumerContext;
import org.odradek.consumer.StartPosition;
import org.odradek.consumer.TopicConsumer;
import org.odradek.consumer.handler.ConsumerCounters;
import org.odradek.consumer.handler.ConsumerListener;
import org.odradek.consumer.handler.GapReason;
import org.odradek.consumer.handler.RecordHandler;
import org.odradek.consumer.handler.StopReason;
import org.odradek.protocol.record.Record;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * A consumer with the records and events that it has delivered. Each record must have a higher offset than the last
 * one.
 */
public final class Reading implements AutoCloseable, RecordHandler, ConsumerListener
{
    private static final long TIMEOUT_NS = TimeUnit.SECONDS.toNanos(60);
    /** On a busy machine a yield takes milliseconds, and the clocks of tests move with each poll. */
    private static final int POLLS_PER_YIELD = 16;
    private static final long POLL_TIMEOUT_NS = TimeUnit.MILLISECONDS.toNanos(5);

    private final Map<Integer, List<Long>> offsets = new TreeMap<>();
    private final Map<Integer, List<String>> values = new TreeMap<>();
    private final List<String> errors = new ArrayList<>();
    private final List<String> events = new ArrayList<>();
    private final boolean isWaiting;
    private long polls;
    private Runnable onTruncation = () -> { };
    private final TopicConsumer consumer;

    private Reading(final ConsumerContext context)
    {
        isWaiting = context.nanoClock() == null;
        consumer = TopicConsumer.connect(
            context.listener(this).errorHandler((error) -> errors.add(error.getMessage())));
    }

    /** Connects with the settings of the context. If these include a clock, polls do not wait. */
    public static Reading start(final ConsumerContext context)
    {
        return new Reading(context);
    }

    /** Returns a context that reads from the beginning with short backoffs. */
    public static ConsumerContext context(final String bootstrapServers, final String topic)
    {
        return new ConsumerContext().bootstrapServers(bootstrapServers).topic(topic)
            .startPosition(StartPosition.earliest()).fetchMaxWaitMs(20)
            .reconnectBackoffMs(5, 50).retryBackoffMs(20, 100);
    }

    public static ConsumerContext context(final OneTopicBroker broker)
    {
        return context(broker.address(), OneTopicBroker.TOPIC);
    }

    /**
     * Has nothing time out, for a clock that moves with each poll: while the thread of a broker stands still, such a
     * clock may pass any timeout.
     */
    public static ConsumerContext withoutTimeouts(final ConsumerContext context)
    {
        return context.requestTimeoutMs(Integer.MAX_VALUE).connectTimeoutMs(Integer.MAX_VALUE)
            .rebootstrapTriggerMs(Integer.MAX_VALUE);
    }

    public TopicConsumer consumer()
    {
        return consumer;
    }

    /** Polls until a condition is true. */
    public void until(final String what, final BooleanSupplier condition)
    {
        until(what, 1_000, condition);
    }

    /** Polls with a record limit until a condition is true; with 0 nothing is delivered. */
    public void until(final String what, final int recordLimit, final BooleanSupplier condition)
    {
        final long deadlineNs = System.nanoTime() + TIMEOUT_NS;
        while (!condition.getAsBoolean())
        {
            if (deadlineNs - System.nanoTime() < 0 || Thread.currentThread().isInterrupted())
            {
                throw new AssertionError("timed out: " + what + "; read " + counts() + "; errors " + errors +
                    "; events " + events + "\n" + consumer.describe());
            }
            if (recordLimit > 0)
            {
                consumer.poll(this, recordLimit, isWaiting ? POLL_TIMEOUT_NS : 0);
            }
            else
            {
                consumer.awaitReady(0);
            }
            polls++;
            if (!isWaiting && polls % POLLS_PER_YIELD == 0)
            {
                Thread.yield();
            }
        }
    }

    /**
     * Polls until metadata has been received twice: it is also requested when the first connection to a leader opens.
     * Later requests have another reason.
     */
    public void untilRefreshed()
    {
        until("metadata after the first connection to a leader",
            () -> consumer.counters().get(ConsumerCounters.METADATA_REFRESHES) > 1);
    }

    /** Returns how many fetches have not been answered; a fetch counts for ever if its connection was lost. */
    public long fetchesInFlight()
    {
        final ConsumerCounters counters = consumer.counters();
        return counters.get(ConsumerCounters.FULL_FETCHES) + counters.get(ConsumerCounters.INCREMENTAL_FETCHES) -
            counters.fetches();
    }

    /** Polls until no request of this kind is in flight over a connection for requests other than fetches. */
    public void untilAnswered(final ApiMessageType type)
    {
        until("the answer to " + type, () -> !isInFlight(type));
    }

    /** Polls until a broker has answered one more request of this kind. */
    public void untilRepeated(final OneTopicBroker broker, final ApiMessageType type)
    {
        final int before = broker.requestCount(type);
        until("another " + type, () -> broker.requestCount(type) > before && !isInFlight(type));
    }

    public boolean isInFlight(final ApiMessageType type)
    {
        return consumer.describe().contains(type + " in flight");
    }

    public void untilCount(final int partition, final int count)
    {
        until(count + " records of partition " + partition, () -> count(partition) >= count);
    }

    @Override
    public void onRecord(final Record record)
    {
        final List<Long> seen = offsets.computeIfAbsent(record.partition(), (p) -> new ArrayList<>());
        if (!seen.isEmpty() && seen.get(seen.size() - 1) >= record.offset())
        {
            throw new AssertionError("partition " + record.partition() + " delivered offset " + record.offset() +
                " after " + seen.get(seen.size() - 1));
        }
        seen.add(record.offset());
        values.computeIfAbsent(record.partition(), (p) -> new ArrayList<>()).add(
            record.buffer().getStringWithoutLengthUtf8(record.valueIndex(), record.valueLength()));
    }

    /** Allows the offsets of a partition to begin again, as after a seek. */
    public void forget(final int partition)
    {
        offsets.remove(partition);
        values.remove(partition);
    }

    public int count(final int partition)
    {
        return offsets(partition).size();
    }

    public List<Long> offsets(final int partition)
    {
        return offsets.getOrDefault(partition, List.of());
    }

    public List<String> values(final int partition)
    {
        return values.getOrDefault(partition, List.of());
    }

    private String counts()
    {
        final StringBuilder text = new StringBuilder();
        offsets.forEach((partition, seen) -> text.append(partition).append(": ").append(seen.size()).append(' '));
        return text.toString();
    }

    public List<String> errors()
    {
        return errors;
    }

    public boolean hasError(final String part)
    {
        return errors.stream().anyMatch((error) -> error.contains(part));
    }

    public List<String> events()
    {
        return events;
    }

    public boolean hasEvent(final String beginning)
    {
        return events.stream().anyMatch((event) -> event.startsWith(beginning));
    }

    public void onTruncation(final Runnable action)
    {
        onTruncation = action;
    }

    /** Returns the events of partitions, without those of leaders and of catching up. */
    public List<String> turns()
    {
        return events.stream().filter((event) -> event.matches("(gap|reset|truncation|stopped).*")).toList();
    }

    @Override
    public void onConnectionLost(final int nodeId, final String address, final String reason)
    {
        events.add("lost " + nodeId + ": " + reason);
    }

    @Override
    public void onConnectionRestored(final int nodeId, final String address)
    {
        events.add("restored " + nodeId);
    }

    @Override
    public void onThrottled(final int nodeId, final int throttleTimeMs)
    {
        events.add("throttled " + throttleTimeMs);
    }

    @Override
    public void onRebootstrap(final String reason)
    {
        events.add("rebootstrap: " + reason);
    }

    @Override
    public void onCertificatesNotReloaded(final String reason)
    {
        events.add("not reloaded: " + reason);
    }

    @Override
    public void onPartitionAdded(final int partition)
    {
        events.add("added " + partition);
    }

    @Override
    public void onLeaderChanged(final int partition, final int leaderId, final int leaderEpoch)
    {
        events.add("leader of " + partition + " is " + leaderId + " epoch " + leaderEpoch);
    }

    /** After a reset to a lower offset, records have lower offsets than before. */
    @Override
    public void onReset(final int partition, final long fromOffset, final long toOffset)
    {
        events.add("reset " + partition + " from " + fromOffset + " to " + toOffset);
        if (toOffset < fromOffset)
        {
            forget(partition);
        }
    }

    @Override
    public void onTruncation(
        final int partition, final long nextOffset, final long divergentOffset, final int leaderEpoch)
    {
        events.add("truncation of " + partition + " at " + nextOffset + " from " + divergentOffset + " epoch " +
            leaderEpoch);
        onTruncation.run();
    }

    @Override
    public void onCaughtUp(final int partition, final long nextOffset)
    {
        events.add("caught up " + partition + " at " + nextOffset + " with " + count(partition));
    }

    @Override
    public void onPartitionStopped(
        final int partition, final long nextOffset, final StopReason reason, final short errorCode)
    {
        events.add("stopped " + partition + " at " + nextOffset + " for " + reason + " error " + errorCode);
    }

    @Override
    public void onGap(final int partition, final long fromOffset, final long toOffset, final GapReason reason)
    {
        events.add("gap " + partition + " from " + fromOffset + " to " + toOffset + " " + reason);
    }

    @Override
    public void close()
    {
        consumer.close();
    }
}
