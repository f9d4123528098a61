// SPDX-License-Identifier: Apache-2.0
package org.odradek.verification.chaos;

import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.errors.GroupNotEmptyException;
import org.apache.kafka.common.errors.TopicExistsException;
import org.odradek.testkit.Await;
import org.odradek.verification.chaos.MemberLedger.Entry;
import org.odradek.verification.chaos.MemberLedger.Kind;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A second group with a topic of its own and two members, for faults after which the offsets of the judged group would
 * mean something else. The sequences of a partition go on from each record to the next that is written.
 */
final class SideGroup implements AutoCloseable
{
    private static final int PARTITIONS = 4;
    private static final int MAX_RECORDS = 500;
    private static final AtomicInteger COUNT = new AtomicInteger();

    private final String topic;
    private final ChaosCluster cluster;
    private final List<GroupMemberProcess> members = new ArrayList<>();
    private final List<Long> expected = new ArrayList<>();
    private long sequence;
    /** Whether the brokers were told to create the topic again, and have not said that they have. */
    private boolean isCreating;

    private SideGroup(final ChaosGroup group, final String name)
    {
        topic = ChaosGroup.TOPIC + "-" + name + "-" + COUNT.incrementAndGet();
        cluster = group.cluster();
        cluster.brokers().createTopic(topic, PARTITIONS, Map.of());
        for (int i = 0; i < 2; i++)
        {
            members.add(group.start(topic));
            members.get(i).join();
        }
    }

    /** The members must deliver the records of the new topic from its beginning, although they know higher offsets. */
    static String recreateTopic(final ChaosGroup group, final Random random)
    {
        final int before = 2 + random.nextInt(MAX_RECORDS);
        final int after = 1 + random.nextInt(before - 1);
        try (SideGroup side = new SideGroup(group, "recreated"))
        {
            side.write(before);
            side.awaitDelivered();
            side.cluster.brokers().deleteTopic(side.topic);
            Await.until("the creation of " + side.topic, side::tryCreate);
            side.write(after);
            side.awaitDelivered();
            side.leave();
        }
        return "a topic with " + before + " records in each partition is created again, with " + after;
    }

    /** A group can be deleted when its members are gone, as far as the coordinator knows. They must join again. */
    static String deleteGroup(final ChaosGroup group, final Random random)
    {
        final int before = 1 + random.nextInt(MAX_RECORDS);
        final int after = 1 + random.nextInt(MAX_RECORDS);
        try (SideGroup side = new SideGroup(group, "deleted"))
        {
            side.write(before);
            side.awaitDelivered();
            if (side.tryDelete())
            {
                throw new IllegalStateException(side.topic + " was deleted although it has members");
            }
            side.members.forEach(GroupMemberProcess::suspend);
            Await.until("the deletion of " + side.topic, side::tryDelete);
            side.members.forEach(GroupMemberProcess::resume);
            // The committed offsets are gone, too.
            side.expected.addAll(List.copyOf(side.expected));
            side.write(after);
            side.awaitDelivered();
            side.leave();
        }
        return "a group is deleted whose members are stopped, and " + (before + after) + " records are read again";
    }

    /** Brokers with a ZooKeeper still delete the topic of the same name for a while, and may take long to create it. */
    private boolean tryCreate()
    {
        try
        {
            cluster.brokers().createTopic(topic, PARTITIONS, Map.of());
            return true;
        }
        catch (final org.apache.kafka.common.errors.TimeoutException ex)
        {
            isCreating = true;
            return false;
        }
        catch (final TopicExistsException ex)
        {
            return isCreating && ChaosCluster.holds(() ->
                cluster.brokers().client().partition(topic, PARTITIONS - 1).leader() != null);
        }
    }

    private boolean tryDelete()
    {
        final Admin admin = cluster.brokers().admin();
        try
        {
            admin.deleteConsumerGroups(List.of(topic)).all().get(ChaosCluster.LIMIT_MS, TimeUnit.MILLISECONDS);
            return true;
        }
        catch (final InterruptedException ex)
        {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(ex);
        }
        catch (final ExecutionException | TimeoutException ex)
        {
            if (ex.getCause() instanceof GroupNotEmptyException)
            {
                return false;
            }
            throw new IllegalStateException("The group cannot be deleted: " + ex, ex);
        }
    }

    private void write(final int count)
    {
        for (int p = 0; p < PARTITIONS; p++)
        {
            final int partition = p;
            final long first = sequence;
            cluster.brokers().client().produce(
                topic, p, count, (i) -> ChaosRecord.value(partition, first + i));
        }
        for (int i = 0; i < count; i++)
        {
            expected.add(sequence++);
        }
    }

    /** Waits until the members have delivered exactly what is expected of each partition, in this order. */
    private void awaitDelivered()
    {
        try
        {
            Await.until("the records of " + topic, () -> isDelivered(0) && isDelivered(1) && isDelivered(2) &&
                isDelivered(PARTITIONS - 1));
        }
        catch (final IllegalStateException ex)
        {
            final StringBuilder text = new StringBuilder(ex.getMessage());
            for (int p = 0; p < PARTITIONS; p++)
            {
                text.append("\nPartition ").append(p).append(": ").append(delivered(p).size()).append(" of ")
                    .append(expected.size()).append(" delivered.");
            }
            members.forEach((member) -> text.append('\n').append(member.output()));
            throw new IllegalStateException(text.toString(), ex);
        }
    }

    private boolean isDelivered(final int partition)
    {
        return delivered(partition).equals(expected);
    }

    private List<Long> delivered(final int partition)
    {
        return members.stream().flatMap((member) -> member.history().entries().stream())
            .filter((entry) -> entry.kind() == Kind.DELIVERED && entry.partition() == partition)
            .sorted(Comparator.comparingLong(Entry::ns)).map(Entry::sequence).toList();
    }

    /** Nothing may be delivered on the way out. */
    private void leave()
    {
        members.forEach(GroupMemberProcess::leave);
        awaitDelivered();
        cluster.brokers().deleteTopic(topic);
    }

    @Override
    public void close()
    {
        members.forEach(GroupMemberProcess::close);
    }
}
