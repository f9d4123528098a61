// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.support;

import org.agrona.concurrent.NanoClock;
import org.apache.kafka.common.message.OffsetCommitRequestData;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestPartition;
import org.apache.kafka.common.message.OffsetCommitResponseData;
import org.apache.kafka.common.message.OffsetCommitResponseData.OffsetCommitResponsePartition;
import org.apache.kafka.common.message.OffsetCommitResponseData.OffsetCommitResponseTopic;
import org.odradek.client.Poller;
import org.odradek.consumer.ConsumerContext;
import org.odradek.consumer.GroupSettings;
import org.odradek.consumer.handler.GroupState;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;

/**
 * The coordinator of a group with one member of ours, at a {@link OneTopicBroker}, and that member. A subclass answers
 * the requests of a protocol, and keeps each as a line.
 */
public abstract class ScriptedCoordinator implements AutoCloseable
{
    public static final int PARTITIONS = 3;

    private final OneTopicBroker broker = OneTopicBroker.start(PARTITIONS);
    private final List<String> requests = new ArrayList<>();
    private final AtomicLong skippedNs = new AtomicLong();
    private GroupReader member;

    public ScriptedCoordinator()
    {
        for (int p = 0; p < PARTITIONS; p++)
        {
            broker.append(p, "a", "b");
        }
    }

    /** Starts the member. Its clock is that of the system plus what the test skips, its random numbers are all 0.5. */
    public GroupReader start(final GroupSettings settings)
    {
        return start(context(settings, () -> System.nanoTime() + skippedNs.get()));
    }

    /** Starts the member without timeouts, because the clock may pass any of them while a broker does not answer. */
    public GroupReader start(final GroupSettings settings, final NanoClock clock)
    {
        return start(Reading.withoutTimeouts(context(settings, clock)));
    }

    private ConsumerContext context(final GroupSettings settings, final NanoClock clock)
    {
        return Reading.context(broker).group(settings).nanoClock(clock).random(() -> Long.MIN_VALUE);
    }

    /** Starts the member with the time of the system. */
    public GroupReader start(final GroupSettings settings, final Poller poller)
    {
        return start(Reading.context(broker).group(settings).poller(poller));
    }

    private GroupReader start(final ConsumerContext context)
    {
        member = new GroupReader(context);
        return member;
    }

    public GroupReader member()
    {
        return member;
    }

    public OneTopicBroker broker()
    {
        return broker;
    }

    public GroupState state()
    {
        return member.consumer().group().state();
    }

    public void skipMs(final long ms)
    {
        skippedNs.addAndGet(TimeUnit.MILLISECONDS.toNanos(ms));
    }

    public void until(final String what, final BooleanSupplier condition)
    {
        GroupReader.until(what + "; requests " + requests(), List.of(member), condition);
    }

    public void untilRequest(final String request)
    {
        until(request, () -> count(request) > 0);
    }

    /** Polls until the member owns the first two partitions, and the coordinator knows. */
    public void untilStable()
    {
        until("stable", () -> member.owned().equals(List.of(0, 1)) && state() == GroupState.STABLE);
    }

    public void poll(final int count)
    {
        for (int i = 0; i < count; i++)
        {
            member.poll();
        }
    }

    public synchronized void keep(final String request)
    {
        requests.add(request);
    }

    public synchronized List<String> requests()
    {
        return List.copyOf(requests);
    }

    public synchronized void forgetRequests()
    {
        requests.clear();
    }

    public synchronized int count(final String request)
    {
        return (int)requests.stream().filter((line) -> line.startsWith(request)).count();
    }

    /** The offsets of a commit, by partition. */
    public static String offsets(final OffsetCommitRequestData request)
    {
        return request.topics().get(0).partitions().stream().collect(
            Collectors.toMap(OffsetCommitRequestPartition::partitionIndex,
                OffsetCommitRequestPartition::committedOffset, (a, b) -> a, TreeMap::new)).toString();
    }

    /** Answers a commit with the same code for each partition. */
    public static OffsetCommitResponseData committed(final OffsetCommitRequestData request, final int code)
    {
        return new OffsetCommitResponseData().setTopics(List.of(
            new OffsetCommitResponseTopic().setName(request.topics().get(0).name())
                .setTopicId(request.topics().get(0).topicId())
                .setPartitions(request.topics().get(0).partitions().stream().map((partition) ->
                    new OffsetCommitResponsePartition().setPartitionIndex(partition.partitionIndex())
                        .setErrorCode((short)code)).toList())));
    }

    @Override
    public void close()
    {
        if (member != null)
        {
            member.close();
        }
        broker.close();
    }
}
