// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.group;

import org.apache.kafka.common.message.ConsumerGroupHeartbeatResponseData;
import org.apache.kafka.common.message.DescribeGroupsResponseData;
import org.apache.kafka.common.message.DescribeGroupsResponseData.DescribedGroup;
import org.apache.kafka.common.message.DescribeGroupsResponseData.DescribedGroupMember;
import org.apache.kafka.common.message.FindCoordinatorResponseData;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.odradek.client.cluster.PartitionLeaders;
import org.odradek.consumer.core.ConsumerSettings;
import org.odradek.consumer.handler.CommittedOffsets;
import org.odradek.consumer.handler.ConsumerCounters;
import org.odradek.consumer.handler.GroupProtocol;
import org.odradek.consumer.handler.GroupState;

import java.util.List;

import static org.apache.kafka.common.message.ApiMessageType.CONSUMER_GROUP_HEARTBEAT;
import static org.apache.kafka.common.message.ApiMessageType.DESCRIBE_GROUPS;
import static org.apache.kafka.common.message.ApiMessageType.FIND_COORDINATOR;
import static org.apache.kafka.common.message.ApiMessageType.HEARTBEAT;
import static org.apache.kafka.common.message.ApiMessageType.JOIN_GROUP;
import static org.apache.kafka.common.message.ApiMessageType.OFFSET_COMMIT;
import static org.apache.kafka.common.message.ApiMessageType.OFFSET_FETCH;
import static org.apache.kafka.common.message.ApiMessageType.SYNC_GROUP;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Tests what follows from each error of a coordinator, for its connection, for what waits, and for the user. */
class CoordinatorErrorsTest extends CoordinatorFixture
{
    private static final String NODE = "from broker 7 (127.0.0.1:9007): ";

    @Test
    void shouldGiveUpAllThatWaitsWhenTheGroupCannotBeFound()
    {
        settings.group = new ConsumerSettings.Group("group");
        fail(FIND_COORDINATOR, 30);
        beginMember();
        commit(1);
        final CommittedOffsets query = coordinator.fetch();
        until(FIND_COORDINATOR);
        cycle();
        assertEquals(30, coordinator.commits().errorCode(0));
        assertTrue(coordinator.commits().isIdle());
        assertEquals(30, query.errorCode());
        assertEquals(GroupState.FAILED, member.state());
        assertEquals("The coordinator answered a find coordinator with GROUP_AUTHORIZATION_FAILED.", member.failure());
        assertTrue(errors.get(0).startsWith("Group group, from broker 1 (127.0.0.1:9001): "), errors::toString);
    }

    @Test
    void shouldFailWithoutAMemberToo()
    {
        fail(FIND_COORDINATOR, 30);
        begin();
        commit(1);
        until(FIND_COORDINATOR);
        cycle();
        assertEquals(30, coordinator.commits().errorCode(0));
    }

    /** The heartbeat before has failed, and its broker had something to say. */
    @Test
    void shouldNameTheRequestWithWhichTheMembershipEnds()
    {
        beginJoined();
        script(CONSUMER_GROUP_HEARTBEAT, (request) -> new ConsumerGroupHeartbeatResponseData()
            .setErrorCode((short)16).setErrorMessage("has moved"));
        fail(FIND_COORDINATOR, 30);
        timeMs(INTERVAL_MS);
        until(FIND_COORDINATOR);
        cycle();
        assertEquals("The coordinator answered a find coordinator with GROUP_AUTHORIZATION_FAILED.", member.failure());
    }

    @Test
    void shouldGoOnAfterAnErrorOfTheSearchThatMayPass()
    {
        fail(FIND_COORDINATOR, -1);
        begin();
        commit(1);
        until(FIND_COORDINATOR);
        cycle();
        assertEquals(1, errors.size(), errors::toString);
        assertEquals(100, deadlineMs());
        timeMs(100);
        until(OFFSET_COMMIT);
    }

    @Test
    void shouldGiveUpOnlyWhatIsRefused()
    {
        beginKnown();
        fail(OFFSET_COMMIT, 30);
        commit(2);
        final CommittedOffsets query = coordinator.fetch();
        until(OFFSET_FETCH);
        settle();
        assertEquals(30, coordinator.commits().errorCode(0));
        assertEquals(0, query.errorCode());
        assertEquals(5, query.offset(0));
        assertTrue(errors.get(0).startsWith("Offsets of group group, " + NODE), errors::toString);
    }

    @ParameterizedTest
    @ValueSource(ints = {15, 16, 7})
    void shouldLookForTheCoordinatorAgainIfItHasMoved(final int code)
    {
        beginKnown();
        fail(OFFSET_COMMIT, code);
        commitAnswered(2);
        assertEquals(0, count(FIND_COORDINATOR));
        assertState("being found");
        timeMs(100);
        until(OFFSET_COMMIT);
        assertEquals(1, count(FIND_COORDINATOR));
        assertEquals(List.of(), errors);
    }

    @Test
    void shouldStayWithACoordinatorThatLoadsItsGroups()
    {
        beginKnown();
        fail(OFFSET_COMMIT, 14);
        commitAnswered(2);
        assertState("known");
        timeMs(100);
        until(OFFSET_COMMIT);
        assertEquals(0, count(FIND_COORDINATOR));
        assertEquals(List.of(), errors);
    }

    // Behaviour O189.
    @Test
    void shouldRequestMetadataOnlyWhereTheTopicIsNotKnown()
    {
        beginKnown();
        assertEquals(PartitionLeaders.Need.NONE, table.takeMetadataNeed());
        fail(OFFSET_FETCH, 3);
        coordinator.fetch();
        until(OFFSET_FETCH);
        cycle();
        assertNotEquals(PartitionLeaders.Need.NONE, table.takeMetadataNeed());
        commitAnswered(2);
        assertEquals(PartitionLeaders.Need.NONE, table.takeMetadataNeed());
        // Without a delay after the success.
        fail(OFFSET_COMMIT, 3, 30);
        commitAnswered(3);
        assertNotEquals(PartitionLeaders.Need.NONE, table.takeMetadataNeed());
        topic.confirm();
        timeMs(1_000);
        until(OFFSET_COMMIT);
        cycle();
        assertEquals(PartitionLeaders.Need.NONE, table.takeMetadataNeed());
    }

    @ParameterizedTest
    @CsvSource({"7, 70000", "-1, 9007"})
    void shouldNotConnectToAnImpossibleAddress(final int nodeId, final int port)
    {
        script(FIND_COORDINATOR, (request) ->
            new FindCoordinatorResponseData().setNodeId(nodeId).setHost("127.0.0.1").setPort(port));
        begin();
        commit(1);
        until(FIND_COORDINATOR);
        settle();
        assertEquals(1, errors.size(), errors::toString);
        assertTrue(errors.get(0).contains("FindCoordinator response from "), errors::toString);
        timeMs(1_000);
        until(OFFSET_COMMIT);
    }

    @Test
    void shouldReportNothingOfACommitThatAskedTheMembershipOnly()
    {
        beginJoined();
        fail(OFFSET_COMMIT, 25);
        commit(2);
        until(OFFSET_COMMIT);
        sent.clear();
        cycle();
        assertEquals(List.of(), errors);
        assertEquals(List.of(CONSUMER_GROUP_HEARTBEAT), sent);
    }

    @Test
    void shouldReportAHeartbeatThatNoRetryCanHelp()
    {
        beginJoined();
        fail(CONSUMER_GROUP_HEARTBEAT, 42);
        timeMs(INTERVAL_MS);
        until(CONSUMER_GROUP_HEARTBEAT);
        cycle();
        assertEquals(GroupState.FAILED, member.state());
        assertEquals(1, errors.size(), errors::toString);
        assertTrue(errors.get(0).startsWith("Group group, " + NODE), errors::toString);
        settle();
        assertEquals(1, errors.size(), errors::toString);
    }

    @Test
    void shouldCheckTheMembershipAtOnceWhereTheCoordinatorHasMoved()
    {
        beginJoined();
        settle();
        fail(OFFSET_COMMIT, 16);
        commit(2);
        until(OFFSET_COMMIT);
        until(CONSUMER_GROUP_HEARTBEAT);
        assertEquals(1, count(FIND_COORDINATOR));
        fail(CONSUMER_GROUP_HEARTBEAT, 16);
        sent.clear();
        timeMs(INTERVAL_MS);
        until(CONSUMER_GROUP_HEARTBEAT);
        cycle();
        timeMs(INTERVAL_MS + 100);
        until(CONSUMER_GROUP_HEARTBEAT);
        assertEquals(1, count(FIND_COORDINATOR));
        assertEquals(List.of(), errors);
    }

    /** The heartbeat waits for its backoff meanwhile. */
    @Test
    void shouldLookForTheCoordinatorOnceAfterOneAnswer()
    {
        beginJoined();
        settle();
        fail(CONSUMER_GROUP_HEARTBEAT, 16);
        timeMs(INTERVAL_MS);
        until(CONSUMER_GROUP_HEARTBEAT);
        commitAnswered(2);
        assertState("known");
    }

    @Test
    void shouldLookForTheCoordinatorThatCanDescribeTheGroup()
    {
        settings.group = new ConsumerSettings.Group("group");
        fail(DESCRIBE_GROUPS, 16);
        beginMember();
        until(DESCRIBE_GROUPS);
        cycle();
        assertState("being found");
        timeMs(100);
        until(CONSUMER_GROUP_HEARTBEAT);
        assertEquals(2, count(DESCRIBE_GROUPS));
    }

    @ParameterizedTest
    @CsvSource({"0, 2, 1", "0, 0, 0", "30, 2, 0"})
    void shouldReportAClassicGroupThatItsJoinConverts(final int code, final int memberCount, final int expected)
    {
        script(DESCRIBE_GROUPS, (request) ->
        {
            final DescribedGroup described = new DescribedGroup().setErrorCode((short)code).setGroupId("group")
                .setGroupState("Stable").setProtocolType("consumer");
            for (int m = 0; m < memberCount; m++)
            {
                described.members().add(new DescribedGroupMember().setMemberId("member-" + m));
            }
            return new DescribeGroupsResponseData().setGroups(List.of(described));
        });
        beginJoined();
        timeMs(INTERVAL_MS);
        until(CONSUMER_GROUP_HEARTBEAT);
        cycle();
        assertEquals(expected, counters.get(ConsumerCounters.CLASSIC_GROUPS_CONVERTED));
        assertEquals(expected, events.stream().filter("converted consumer Stable 2"::equals).count());
        assertEquals(List.of(), errors);
    }

    @ParameterizedTest
    @ValueSource(ints = {14, 15, 16})
    void shouldDescribeTheGroupAgainWhereTheJoinWouldFailToo(final int code)
    {
        fail(DESCRIBE_GROUPS, code);
        settings.group = new ConsumerSettings.Group("group");
        beginMember();
        until(DESCRIBE_GROUPS);
        settle();
        assertEquals(0, count(CONSUMER_GROUP_HEARTBEAT));
        timeMs(100);
        until(CONSUMER_GROUP_HEARTBEAT);
        assertEquals(2, count(DESCRIBE_GROUPS));
    }

    @Test
    void shouldDescribeTheGroupOnceAndReportTheProtocolOnce()
    {
        beginJoined();
        for (int i = 1; i <= 3; i++)
        {
            timeMs(i * INTERVAL_MS);
            until(CONSUMER_GROUP_HEARTBEAT);
            cycle();
        }
        assertEquals(0, count(DESCRIBE_GROUPS));
        assertEquals(List.of("CONSUMER The coordinator has the newer protocol."), events);
    }

    @Test
    void shouldJoinWithoutADescriptionThatTheCoordinatorCannotMake()
    {
        versions.put(DESCRIBE_GROUPS, -1);
        beginJoined();
        assertEquals(GroupState.STABLE, member.state());
        assertEquals(List.of(), errors);
    }

    @ParameterizedTest
    @EnumSource(names = {"AUTO", "CONSUMER"})
    void shouldUseTheClassicProtocolOnlyIfItMay(final GroupProtocol protocol)
    {
        settings.group = new ConsumerSettings.Group("group");
        settings.group.protocol = protocol;
        versions.put(CONSUMER_GROUP_HEARTBEAT, -1);
        supportClassicGroups();
        beginMember();
        if (protocol == GroupProtocol.CONSUMER)
        {
            settle();
            assertEquals(GroupState.FAILED, member.state());
            assertEquals(1, errors.size(), errors::toString);
            return;
        }
        until(SYNC_GROUP);
        cycle();
        for (int i = 1; i <= 2; i++)
        {
            timeMs(i * INTERVAL_MS);
            until(HEARTBEAT);
            cycle();
        }
        assertEquals(1, count(JOIN_GROUP));
        assertEquals(1, count(SYNC_GROUP));
        assertEquals(List.of("CLASSIC The coordinator, broker 7 (127.0.0.1:9007), does not have the protocol " +
            "consumer."), events);
        assertEquals(List.of(), errors);
    }

    @Test
    void shouldGiveUpWhatABrokerCannotDo()
    {
        versions.put(OFFSET_FETCH, -1);
        begin();
        final CommittedOffsets query = coordinator.fetch();
        settle();
        assertEquals(35, query.errorCode());
        assertEquals(1, errors.size(), errors::toString);
        assertTrue(errors.get(0).startsWith("Offsets of group group, " + NODE), errors::toString);
    }
}
