// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.support;

import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.common.config.ConfigResource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.odradek.consumer.ConsumerContext;
import org.odradek.consumer.GroupSettings;
import org.odradek.testkit.EmbeddedBroker;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

import static org.junit.jupiter.api.Assertions.assertEquals;

/**
 * A topic of a real broker for each test, with short heartbeat intervals, and the members of a group that share it,
 * all on one thread.
 */
public abstract class GroupTopic
{
    public static final int RECORDS = 40;

    private static final AtomicInteger TOPICS = new AtomicInteger();

    public static EmbeddedBroker broker;

    public final List<GroupReader> members = new ArrayList<>();
    public String topic;
    public String group;
    private final int partitions;
    private boolean areSessionsShort;

    public GroupTopic(final int partitions)
    {
        this.partitions = partitions;
    }

    @BeforeAll
    public static void start()
    {
        broker = EmbeddedBroker.start(GroupReader.SHORT_INTERVALS);
    }

    @AfterAll
    public static void stop()
    {
        broker.close();
    }

    @BeforeEach
    public void createTopic()
    {
        topic = "topic-" + TOPICS.incrementAndGet();
        group = "group-of-" + topic;
        broker.createTopic(topic, partitions);
        write();
    }

    @AfterEach
    public void close()
    {
        members.forEach(GroupReader::close);
    }

    public void write()
    {
        for (int p = 0; p < partitions; p++)
        {
            broker.produce(topic, p, RECORDS, (i) -> "value".getBytes());
        }
    }

    /** Shortens the session timeout of members of the group that use the newer protocol. */
    public void shortenSessions() throws Exception
    {
        final ConfigResource resource = new ConfigResource(ConfigResource.Type.GROUP, group);
        final ConfigEntry entry =
            new ConfigEntry("consumer.session.timeout.ms", String.valueOf(GroupReader.SESSION_MS));
        broker.client().admin().incrementalAlterConfigs(
            Map.of(resource, List.of(new AlterConfigOp(entry, AlterConfigOp.OpType.SET)))).all().get();
        expectShortSessions();
    }

    /** From now on members may be removed while the machine stands still. */
    public void expectShortSessions()
    {
        areSessionsShort = true;
    }

    /** Whether members may have been removed although they were polled. */
    public boolean mayHaveBeenRemoved()
    {
        return areSessionsShort && members.stream().anyMatch(GroupReader::hasStoodStill);
    }

    /** Waits until the coordinator knows no member of the group; the limit is less than a session. */
    public void awaitNoMembers() throws Exception
    {
        final long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(40);
        int members = 1;
        while (members > 0 && deadlineNs - System.nanoTime() > 0)
        {
            members = broker.client().admin().describeConsumerGroups(List.of(group)).all().get().get(group)
                .members().size();
        }
        assertEquals(0, members);
    }

    /** Closes a member in a close that waits for no answer. It leaves nevertheless, as a session is much longer. */
    public void closeWithoutTime(final GroupReader member) throws Exception
    {
        member.consumer().close(0);
        member.close();
        awaitNoMembers();
    }

    /** Expects that so many records of each partition were committed: the next member continues after them. */
    public void assertCommitted(final int records, final GroupSettings settings)
    {
        final GroupReader next = join(settings);
        until("all partitions", () -> next.owned().size() == partitions);
        for (int p = 0; p < partitions; p++)
        {
            assertEquals(records, next.consumer().nextOffset(p));
        }
    }

    /** Deletes the topic, and creates it again with half as many records. */
    public void createTopicAgain()
    {
        broker.client().deleteTopic(topic);
        broker.createTopic(topic, partitions);
        for (int p = 0; p < partitions; p++)
        {
            broker.produce(topic, p, RECORDS / 2, (i) -> "value".getBytes());
        }
    }

    public ConsumerContext context()
    {
        return Reading.context(broker.bootstrapServers(), topic);
    }

    public GroupReader join(final GroupSettings settings)
    {
        return join(context().group(settings));
    }

    public GroupReader join(final ConsumerContext context)
    {
        final GroupReader member = new GroupReader(context);
        members.add(member);
        return member;
    }

    public void until(final String what, final BooleanSupplier condition)
    {
        GroupReader.until(what, members, condition);
    }

    /** Reads everything, and expects each record once, unless a member may have been removed: then at least once. */
    public void readAllOnce(final int records)
    {
        until("all records", () -> GroupReader.distinct(members) >= partitions * records);
        if (!mayHaveBeenRemoved())
        {
            GroupReader.assertEachOnce(members, partitions, records);
        }
    }
}
