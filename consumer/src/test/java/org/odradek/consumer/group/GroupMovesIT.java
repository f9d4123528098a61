// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.group;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.odradek.consumer.CommitPolicy;
import org.odradek.consumer.GroupSettings;
import org.odradek.consumer.handler.ConsumerCounters;
import org.odradek.consumer.handler.GroupState;
import org.odradek.consumer.support.GroupReader;
import org.odradek.consumer.support.Reading;
import org.odradek.consumer.support.SharedCluster;
import org.odradek.testkit.BrokerCluster;

import java.util.List;
import java.util.Map;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** A member of a group reads from three brokers while the broker that coordinates the group stops. */
@ExtendWith(SharedCluster.class)
public class GroupMovesIT
{
    private static final String OFFSETS_TOPIC = "__consumer_offsets";
    private static final int PARTITIONS = 3;
    private static final int RECORDS = 20;

    // Behaviour O182.
    @Test
    void shouldStayAMemberAndLoseNothingWhenTheCoordinatorMoves()
    {
        final BrokerCluster cluster = SharedCluster.cluster();
        final String topic = SharedCluster.newTopic();
        cluster.createTopic(topic, PARTITIONS, Map.of("min.insync.replicas", "2"));
        write(cluster, topic);
        try (GroupReader member = new GroupReader(Reading.context(cluster.bootstrapServers(), topic)
            .group(new GroupSettings("group-of-" + topic).heartbeatIntervalMs(200)
                .commitPolicy(CommitPolicy.delivered(100)))))
        {
            final List<GroupReader> members = List.of(member);
            GroupReader.until("the records", members, () -> member.count() == PARTITIONS * RECORDS);
            // There is one partition of offsets, and its leader coordinates all groups.
            final int before = cluster.leaderOf(OFFSETS_TOPIC, 0);
            final String memberId = member.consumer().group().memberId();
            final Thread stopping = new Thread(() ->
            {
                cluster.broker(before).stop();
                cluster.awaitLeaderOtherThan(OFFSETS_TOPIC, 0, before);
                write(cluster, topic);
            });
            stopping.start();
            GroupReader.until("the other coordinator", members, () -> !stopping.isAlive());
            GroupReader.until("the records", members, () -> member.count() == 2 * PARTITIONS * RECORDS);
            final long heartbeats = member.counter(ConsumerCounters.HEARTBEATS);
            GroupReader.until("a confirmed heartbeat and commits", members, () ->
                member.counter(ConsumerCounters.HEARTBEATS) > heartbeats + 1 &&
                member.consumer().group().state() == GroupState.STABLE && isCommitted(member));

            assertEquals(memberId, member.consumer().group().memberId());
            assertEquals(0, member.counter(ConsumerCounters.PARTITIONS_LOST));
            assertEquals(0, member.counter(ConsumerCounters.PARTITIONS_REVOKED));
            assertEquals(List.of(0, 1, 2), member.owned());
            assertTrue(member.consumer().describe().contains("coordinator known, broker " +
                cluster.leaderOf(OFFSETS_TOPIC, 0)), member::toString);
            cluster.broker(before).restart();
        }
    }

    private static void write(final BrokerCluster cluster, final String topic)
    {
        for (int p = 0; p < PARTITIONS; p++)
        {
            cluster.produce(topic, p, RECORDS, (i) -> "value".getBytes());
        }
    }

    private static boolean isCommitted(final GroupReader member)
    {
        for (int p = 0; p < PARTITIONS; p++)
        {
            if (member.consumer().group().committedOffset(p) != 2 * RECORDS)
            {
                return false;
            }
        }
        return true;
    }
}
