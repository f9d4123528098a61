// SPDX-License-Identifier: Apache-2.0
package org.odradek.harness.model;

import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Subscription;
import org.apache.kafka.clients.consumer.internals.ConsumerProtocol;
import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.message.JoinGroupRequestData;
import org.apache.kafka.common.message.JoinGroupRequestData.JoinGroupRequestProtocol;
import org.apache.kafka.common.message.JoinGroupRequestData.JoinGroupRequestProtocolCollection;
import org.apache.kafka.common.message.JoinGroupResponseData;
import org.apache.kafka.common.message.SyncGroupRequestData;
import org.apache.kafka.common.message.SyncGroupRequestData.SyncGroupRequestAssignment;
import org.apache.kafka.common.message.SyncGroupResponseData;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

/** Tests what a comparison with a real broker cannot show of classic groups: ids, time, a move of the coordinator. */
class ClassicGroupTest
{
    private static final String FIRST_ID = "test-00000000-0000-0000-0000-000000000001";
    private static final String SECOND_ID = "test-00000000-0000-0000-0000-000000000002";
    private static final String THIRD_ID = "test-00000000-0000-0000-0000-000000000003";
    private static final int REBALANCE_MS = 60_000;

    private long nowNs;
    private final ModelCluster cluster =
        new ModelCluster(() -> nowNs).withGroups(Map.of("group.initial.rebalance.delay.ms", 0));
    private final ModelBroker broker = cluster.addBroker(1, "b1", 9092, BrokerRelease.NEWEST);
    private final ModelClient client = new ModelClient(broker);
    private final ModelClient other = new ModelClient(broker);

    @Test
    void shouldCountMemberIdsAlsoAfterTheCoordinatorWasLoaded()
    {
        assertEquals(FIRST_ID, join(client, "").memberId());
        assertEquals(FIRST_ID, join(client, FIRST_ID).leader());
        sync(client, FIRST_ID);
        assertEquals(SECOND_ID, join(other, "").memberId());
        cluster.coordinator(1);
        assertEquals(List.of(FIRST_ID), cluster.groups().describe("g").memberIds());
        assertEquals("Stable", cluster.groups().describe("g").state());
        assertEquals(THIRD_ID, join(other, "").memberId());
    }

    @Test
    void shouldAnswerWaitingJoinsWhenTheLastMemberHasJoined()
    {
        begin();
        assertNull(join(other, SECOND_ID));
        assertEquals(2, join(client, FIRST_ID).members().size());
        assertEquals(2, ((JoinGroupResponseData)other.poll()).generationId());
        assertNull(sync(other, SECOND_ID));
        assertArrayEquals(new byte[]{1}, sync(client, FIRST_ID).assignment());
        assertArrayEquals(new byte[]{2}, ((SyncGroupResponseData)other.poll()).assignment());
    }

    @Test
    void shouldAnswerWaitingJoinsWithoutMembersThatDoNotJoinInTime()
    {
        begin();
        assertNull(join(other, SECOND_ID));
        while (other.connection.nextDeadline() < TimeUnit.MILLISECONDS.toNanos(REBALANCE_MS))
        {
            nowNs = other.connection.nextDeadline();
            assertNull(other.poll());
        }
        nowNs = other.connection.nextDeadline();
        assertEquals(TimeUnit.MILLISECONDS.toNanos(REBALANCE_MS), nowNs);
        assertEquals(SECOND_ID, ((JoinGroupResponseData)other.poll()).leader());
    }

    @Test
    void shouldRefuseWaitingJoinsWhenTheCoordinatorMoves()
    {
        begin();
        assertNull(join(other, SECOND_ID));
        cluster.coordinator(2);
        assertEquals(Errors.NOT_COORDINATOR.code(), ((JoinGroupResponseData)other.poll()).errorCode());
    }

    private void begin()
    {
        join(client, "");
        join(client, FIRST_ID);
        sync(client, FIRST_ID);
        join(other, "");
    }

    private static JoinGroupResponseData join(final ModelClient client, final String memberId)
    {
        final JoinGroupRequestProtocolCollection protocols = new JoinGroupRequestProtocolCollection();
        protocols.add(new JoinGroupRequestProtocol().setName("range").setMetadata(
            ConsumerProtocol.serializeSubscription(new Subscription(List.of("t"))).array()));
        return (JoinGroupResponseData)client.send(ApiMessageType.JOIN_GROUP, new JoinGroupRequestData()
            .setGroupId("g").setMemberId(memberId).setProtocolType("consumer").setProtocols(protocols)
            .setSessionTimeoutMs(2 * REBALANCE_MS).setRebalanceTimeoutMs(REBALANCE_MS)).poll();
    }

    private SyncGroupResponseData sync(final ModelClient client, final String memberId)
    {
        return (SyncGroupResponseData)client.send(ApiMessageType.SYNC_GROUP, new SyncGroupRequestData()
            .setGroupId("g").setMemberId(memberId).setProtocolType("consumer").setProtocolName("range")
            .setGenerationId(cluster.groups().describe("g").memberIds().size())
            .setAssignments(List.of(assign(FIRST_ID, 1), assign(SECOND_ID, 2)))).poll();
    }

    private static SyncGroupRequestAssignment assign(final String memberId, final int value)
    {
        return new SyncGroupRequestAssignment().setMemberId(memberId).setAssignment(new byte[]{(byte)value});
    }
}
