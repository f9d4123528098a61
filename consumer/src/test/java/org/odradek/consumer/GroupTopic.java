// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.odradek.testkit.EmbeddedBroker;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

/**
 * A topic of a real broker for each test, with short heartbeat intervals and sessions, and the members of a group that
 * share it, all on one thread.
 */
abstract class GroupTopic
{
    static final int RECORDS = 40;

    private static final AtomicInteger TOPICS = new AtomicInteger();

    static EmbeddedBroker broker;

    final List<GroupReader> members = new ArrayList<>();
    String topic;
    String group;
    private final int partitions;

    GroupTopic(final int partitions)
    {
        this.partitions = partitions;
    }

    @BeforeAll
    static void start()
    {
        broker = EmbeddedBroker.start(GroupReader.SHORT_SESSIONS);
    }

    @AfterAll
    static void stop()
    {
        broker.close();
    }

    @BeforeEach
    void createTopic()
    {
        topic = "topic-" + TOPICS.incrementAndGet();
        group = "group-of-" + topic;
        broker.createTopic(topic, partitions);
        write();
    }

    @AfterEach
    void close()
    {
        members.forEach(GroupReader::close);
    }

    void write()
    {
        for (int p = 0; p < partitions; p++)
        {
            broker.produce(topic, p, RECORDS, (i) -> "value".getBytes());
        }
    }

    /** Deletes the topic, and creates it again with half as many records. */
    void createTopicAgain()
    {
        broker.client().deleteTopic(topic);
        broker.createTopic(topic, partitions);
        for (int p = 0; p < partitions; p++)
        {
            broker.produce(topic, p, RECORDS / 2, (i) -> "value".getBytes());
        }
    }

    ConsumerContext context()
    {
        return Reading.context(broker.bootstrapServers(), topic);
    }

    GroupReader join(final GroupSettings settings)
    {
        return join(context().group(settings));
    }

    GroupReader join(final ConsumerContext context)
    {
        final GroupReader member = new GroupReader(context);
        members.add(member);
        return member;
    }

    void until(final String what, final BooleanSupplier condition)
    {
        GroupReader.until(what, members, condition);
    }

    /** Reads everything, and expects each record once. */
    void readAllOnce(final int records)
    {
        until("all records", () -> GroupReader.total(members) >= partitions * records);
        GroupReader.assertEachOnce(members, partitions, records);
    }
}
