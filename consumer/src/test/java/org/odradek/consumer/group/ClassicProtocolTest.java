// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.group;

import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Subscription;
import org.apache.kafka.clients.consumer.RangeAssignor;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.message.ConsumerGroupHeartbeatResponseData;
import org.apache.kafka.common.message.JoinGroupResponseData;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.odradek.consumer.CommitPolicy;
import org.odradek.consumer.GroupSettings;
import org.odradek.consumer.handler.ConsumerCounters;
import org.odradek.consumer.handler.GroupProtocol;
import org.odradek.consumer.handler.GroupState;
import org.odradek.consumer.support.OneTopicBroker;
import org.odradek.consumer.support.ScriptedClassicGroup;
import org.odradek.harness.Answer;
import org.odradek.harness.model.ModelPeer;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Tests what a member of a classic group does after each answer of a coordinator.
 */
class ClassicProtocolTest
{
    private static final List<Integer> BOTH = List.of(0, 1);

    private final ScriptedClassicGroup group = new ScriptedClassicGroup();

    @AfterEach
    void close()
    {
        group.close();
    }

    // Behaviour O192.
    @Test
    void shouldJoinWithTheIdThatItIsGivenAndCommitAndLeaveWithIt()
    {
        group.startStable();
        assertEquals(List.of("join", "join m1", "sync 1"), group.changes().subList(0, 3));
        assertEquals("m1", group.member().consumer().group().memberId());
        assertEquals(GroupProtocol.CLASSIC, group.member().consumer().group().protocol());
        assertEquals(45_000, group.lastJoin().sessionTimeoutMs());
        // The member learns of a rebalance up to an interval after it has begun.
        assertEquals(60_020, group.lastJoin().rebalanceTimeoutMs());
        group.until("the records", () -> group.member().count() == 4);
        group.member().close();
        final List<String> changes = group.changes();
        assertEquals(List.of("commit 1 m1 {0=2, 1=2}", "leave m1"),
            changes.subList(changes.size() - 2, changes.size()));
        assertEquals(0, group.member().counter(ConsumerCounters.HEARTBEAT_FAILURES));
    }

    // Behaviour O192.
    @ParameterizedTest
    @CsvSource({"5, 3, 3, 1", "5, 3, 3, 2", "5, 3, 3, 3", "6, 4, 4, 4", "7, 5, 4, 5", "8, 5, 4, 5"})
    void shouldSpeakEachVersion(final int join, final int sync, final int heartbeat, final int leave)
    {
        group.broker().maxVersion(ApiMessageType.JOIN_GROUP, join).maxVersion(ApiMessageType.SYNC_GROUP, sync)
            .maxVersion(ApiMessageType.HEARTBEAT, heartbeat).maxVersion(ApiMessageType.LEAVE_GROUP, leave);
        group.startStable();
        group.member().close();
        assertEquals(1, group.count("leave m1"));
    }

    // Behaviour O197.
    @ParameterizedTest
    @ValueSource(ints = {14, 15, 16, 7, -1})
    void shouldKeepEverythingAfterAnErrorOfAHeartbeatThatMayPass(final int code)
    {
        group.startStable();
        group.failNext(ApiMessageType.HEARTBEAT, code, code);
        group.until("two failures", () -> group.member().counter(ConsumerCounters.HEARTBEAT_FAILURES) == 2);
        final long confirmed = group.member().counter(ConsumerCounters.HEARTBEATS);
        group.until("heartbeats", () -> group.member().counter(ConsumerCounters.HEARTBEATS) > confirmed + 2);
        assertEquals(BOTH, group.member().owned());
        assertEquals(2, group.count("join"));
    }

    // Behaviour O197.
    @Test
    void shouldKeepEverythingWhenTheAnswerToAHeartbeatIsLostOrCannotBeRead()
    {
        group.startStable();
        for (final Answer answer : List.of(Answer.close(), Answer.reset(), Answer.reply(new byte[] {0, 0, 0})))
        {
            group.answerNext(ApiMessageType.HEARTBEAT, (call) -> answer);
        }
        group.until("three failures", () -> group.member().counter(ConsumerCounters.HEARTBEAT_FAILURES) == 3);
        group.forgetRequests();
        group.untilRequest("heartbeat 1");
        assertEquals(BOTH, group.member().owned());
        assertEquals(0, group.count("join"));
    }

    /** 22 leaves the id, which the coordinator may still know. */
    // Behaviour O197, tried 2026-11-29: After ILLEGAL_GENERATION or UNKNOWN_MEMBER_ID in response to a heartbeat, all
    // partitions are lost. After a retriable error of a heartbeat, or a lost response, no partition is lost.
    @ParameterizedTest
    @CsvSource({"22, join m1", "25, join"})
    void shouldLoseEverythingWhenTheGroupHasGoneOnWithoutIt(final int code, final String join)
    {
        group.startStable();
        group.until("the records", () -> group.member().count() == 4);
        group.forgetRequests();
        group.failNext(ApiMessageType.HEARTBEAT, code);
        group.until("lost", () -> group.member().counter(ConsumerCounters.PARTITIONS_LOST) == 2);
        group.untilStable();
        assertEquals(join, group.changes().get(0));
        assertTrue(group.member().states().contains(GroupState.FENCED));
    }

    // Behaviour O196, tried 2026-11-29: After a retriable error of a join or a sync, for example when the leader has
    // failed between them, the member joins again.
    @ParameterizedTest
    @ValueSource(ints = {14, 15, 16, 22, 27, 7, -1})
    void shouldJoinAgainAfterAnErrorOfAJoinThatMayPass(final int code)
    {
        group.answerNext(ApiMessageType.JOIN_GROUP, (call) -> null);
        group.failNext(ApiMessageType.JOIN_GROUP, code, code);
        group.start(ScriptedClassicGroup.settings());
        group.untilStable();
        assertEquals(List.of("join", "join m1", "join m1", "join m1", "sync 3"), group.changes().subList(0, 5));
        assertEquals(code < 0 ? 1 : 0, group.member().errors().size());
    }

    // Behaviour O196.
    @Test
    void shouldTakeANewIdWhenTheCoordinatorDoesNotKnowTheOneItGave()
    {
        group.answerNext(ApiMessageType.JOIN_GROUP, (call) -> null);
        group.failNext(ApiMessageType.JOIN_GROUP, 25);
        group.start(ScriptedClassicGroup.settings());
        group.untilStable();
        final List<String> joins = group.changes().stream().filter((line) -> line.startsWith("join")).toList();
        assertEquals(List.of("join", "join m1", "join", "join m2"), joins.subList(joins.size() - 4, joins.size()));
    }

    // A leader that dies between its join and its sync ends the sync of the others with 27.
    // Behaviour O196.
    @ParameterizedTest
    @ValueSource(ints = {14, 16, 22, 25, 27, -1, 0})
    void shouldJoinAgainAfterASyncThatFails(final int code)
    {
        if (code == 0)
        {
            group.answerNext(ApiMessageType.SYNC_GROUP, (call) -> Answer.close());
        }
        else
        {
            group.failNext(ApiMessageType.SYNC_GROUP, code);
        }
        group.start(ScriptedClassicGroup.settings());
        group.untilStable();
        assertEquals(1, group.count("sync 1"));
        assertEquals(1, group.count("sync 2"));
        assertEquals(code == 25 ? 2 : 1, group.changes().stream().filter("join"::equals).count());
        assertEquals(0, group.member().counter(ConsumerCounters.PARTITIONS_LOST));
    }

    // Behaviour O200, tried 2026-11-29: After a non-retriable error of a join the membership fails, and the error names
    // the reason; a full group is reported, and the join is repeated.
    @ParameterizedTest
    @CsvSource({"23, assignor range", "24, INVALID_GROUP_ID", "26, sessionTimeoutMs",
        "30, GROUP_AUTHORIZATION_FAILED", "35, brokers from 2.3 on", "42, INVALID_REQUEST", "82, another process"})
    void shouldFailAfterAnErrorThatNoRetryCanEnd(final int code, final String text)
    {
        group.failNext(ApiMessageType.JOIN_GROUP, code);
        group.start(ScriptedClassicGroup.settings());
        group.until("failed", () -> group.state() == GroupState.FAILED);
        group.poll(30);
        assertEquals(List.of("join"), group.requests());
        assertEquals(1, group.member().errors().size());
        final String error = group.member().errors().get(0);
        assertTrue(error.contains(text) && error.contains(ScriptedClassicGroup.GROUP) &&
            error.contains("the join group failed"), error);
    }

    // Behaviour O199.
    @Test
    void shouldLoseEverythingWhenAnotherProcessTakesItsInstanceId()
    {
        group.start(ScriptedClassicGroup.settings().instanceId("one").commitPolicy(CommitPolicy.explicit()));
        group.untilStable();
        assertEquals("one", group.lastJoin().groupInstanceId());
        group.failNext(ApiMessageType.HEARTBEAT, 82);
        group.until("failed", () -> group.state() == GroupState.FAILED);
        group.until("lost", () -> group.member().owned().isEmpty());
        assertFalse(group.member().consumer().group().commitAsync(0, 1));
    }

    // Behaviour O200.
    @Test
    void shouldReportAFullGroupAndTryAgain()
    {
        group.failNext(ApiMessageType.JOIN_GROUP, 81, 81);
        group.start(ScriptedClassicGroup.settings().heartbeatIntervalMs(10_000));
        group.until("an error", () -> group.member().errors().size() == 1);
        group.skipMs(1_000);
        group.poll(20);
        assertEquals(1, group.count("join"));
        group.skipMs(10_000);
        group.until("a retry", () -> group.count("join") == 2);
        group.skipMs(10_000);
        group.untilStable();
        assertEquals(1, group.member().errors().size());
    }

    // The heartbeat, which is sent at once, tells what a refused commit means.
    // Behaviour O198.
    @ParameterizedTest
    @ValueSource(ints = {22, 25})
    void shouldNotCommitAgainWhatItHasLost(final int code)
    {
        group.start(ScriptedClassicGroup.settings().heartbeatIntervalMs(10_000).commitPolicy(CommitPolicy.explicit()));
        group.untilStable();
        group.failNext(ApiMessageType.OFFSET_COMMIT, code);
        group.failNext(ApiMessageType.HEARTBEAT, code);
        // Another member has the partition after the join, so nothing but the loss discards its offset.
        group.rebalance(1);
        group.member().consumer().group().commitAsync(0, 1);
        group.until("fenced", () -> group.member().states().contains(GroupState.FENCED));
        group.until("joined", () -> group.member().owned().equals(List.of(1)) && group.state() == GroupState.STABLE);
        group.poll(50);
        assertEquals(1, group.count("commit"), group.requests()::toString);
        assertTrue(group.member().consumer().group().areCommitsDone());
    }

    /** A coordinator that knows topics by name would take the offset for a new topic of the same name. */
    // Behaviour O190.
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldHoldAnOffsetUntilMetadataShowsWhetherTheTopicIsANewOne(final boolean isNew)
    {
        commitWithoutTopic(ScriptedClassicGroup.settings());
        assertEquals(1, group.count("commit"), group.requests()::toString);
        group.broker().script(ApiMessageType.METADATA,
            (call) -> metadata(call, 0, isNew ? new Uuid(1, 2) : OneTopicBroker.TOPIC_ID));
        group.until("no offset waits", () -> group.member().consumer().group().areCommitsDone());
        assertEquals(isNew ? 1 : 2, group.count("commit"), group.requests()::toString);
    }

    @Test
    void shouldCommitAgainAfterAMinuteInWhichMetadataHasNotNamedTheTopic()
    {
        commitWithoutTopic(ScriptedClassicGroup.settings().fenceAfterMs(0));
        group.skipMs(61_000);
        group.until("no offset waits", () -> group.member().consumer().group().areCommitsDone());
        assertEquals(2, group.count("commit"), group.requests()::toString);
    }

    /** The other members wait for its join. */
    @Test
    void shouldJoinAgainAlthoughAnOffsetOfATopicThatIsDeletedWaits()
    {
        commitWithoutTopic(ScriptedClassicGroup.settings());
        group.forgetRequests();
        group.rebalance();
        group.skipMs(11_000);
        group.untilRequest("join m1");
        assertEquals(0, group.count("commit"), group.requests()::toString);
    }

    private void commitWithoutTopic(final GroupSettings settings)
    {
        group.broker().maxVersion(ApiMessageType.OFFSET_COMMIT, 9);
        group.start(settings.heartbeatIntervalMs(10_000).commitPolicy(CommitPolicy.explicit()));
        group.untilStable();
        group.broker().script(ApiMessageType.METADATA, (call) -> metadata(call, 3, OneTopicBroker.TOPIC_ID));
        group.failNext(ApiMessageType.OFFSET_COMMIT, 3);
        final int before = group.broker().requestCount(ApiMessageType.METADATA);
        group.member().consumer().group().commitAsync(0, 1);
        group.until("several requests for metadata",
            () -> group.broker().requestCount(ApiMessageType.METADATA) > before + 3);
    }

    private Answer metadata(final ModelPeer.Call call, final int topicErrorCode, final Uuid topicId)
    {
        final MetadataResponseData response = group.broker().metadata(call);
        response.topics().forEach((topic) -> topic.setErrorCode((short)topicErrorCode).setTopicId(topicId));
        return call.answer(response);
    }

    /** 27 while it is still owned, and 22 that crosses with a rebalance of which the heartbeat tells. */
    // Behaviour O198, tried 2026-11-29: A commit that is refused because of a rebalance is repeated while the member
    // owns the partition, and never after the partition is lost.
    @ParameterizedTest
    @ValueSource(ints = {22, 27})
    void shouldCommitAgainBeforeItJoinsWhatItStillOwns(final int code)
    {
        group.start(ScriptedClassicGroup.settings().heartbeatIntervalMs(10_000).commitPolicy(CommitPolicy.explicit()));
        group.untilStable();
        group.forgetRequests();
        group.failNext(ApiMessageType.OFFSET_COMMIT, code);
        group.rebalance(0, 1);
        group.member().consumer().group().commitAsync(0, 1);
        group.untilRequest("sync 2");
        assertEquals(List.of("commit 1 m1 {0=1}", "commit 1 m1 {0=1}", "join m1", "sync 2"), group.changes());
        assertEquals(0, group.member().counter(ConsumerCounters.PARTITIONS_LOST));
    }

    // 90 s: the rebalance timeout and the request timeout.
    // Behaviour O195, tried 2026-11-29: While the coordinator delays its response to a join, polls and close are not
    // delayed, except a close during the first join, which waits for the id of the member. The join times out after the
    // sum of the rebalance timeout and the request timeout.
    @Test
    void shouldWaitForAJoinThatIsHeldUntilTheRebalanceTimeout()
    {
        group.answerNext(ApiMessageType.JOIN_GROUP, (call) -> null);
        group.answerNext(ApiMessageType.JOIN_GROUP, (call) -> Answer.never());
        group.start(ScriptedClassicGroup.settings().revocationTimeoutMs(60_000));
        group.untilRequest("join m1");
        for (int s = 0; s < 70; s++)
        {
            group.skipMs(1_000);
            group.poll(1);
        }
        assertEquals(1, group.count("join m1"));
        for (int s = 0; s < 25; s++)
        {
            group.skipMs(1_000);
            group.poll(1);
        }
        group.untilStable();
        assertEquals(2, group.count("join m1"));
    }

    // Behaviour O195.
    @Test
    void shouldLeaveWithinACloseWhileItsJoinIsHeld()
    {
        group.answerNext(ApiMessageType.JOIN_GROUP, (call) -> null);
        group.answerNext(ApiMessageType.JOIN_GROUP, (call) -> Answer.never());
        group.start(ScriptedClassicGroup.settings());
        group.untilRequest("join m1");
        group.member().close();
        assertEquals(1, group.count("leave m1"));
        assertEquals(List.of(GroupState.JOINING, GroupState.LEFT), group.member().states());
    }

    // Behaviour O177, O199.
    @Test
    void shouldNotLeaveAsAStaticMember()
    {
        group.start(ScriptedClassicGroup.settings().instanceId("one"));
        group.untilStable();
        group.member().close();
        assertEquals(0, group.count("leave"));
        assertEquals(GroupState.LEFT, group.member().states().get(group.member().states().size() - 1));
    }

    /** It has tried to join by the other protocol before. */
    @Test
    void shouldNotLeaveAsAStaticMemberThatUsesTheOnlyProtocolOfTheCoordinator()
    {
        group.broker().maxVersion(ApiMessageType.CONSUMER_GROUP_HEARTBEAT, 1);
        group.broker().script(ApiMessageType.CONSUMER_GROUP_HEARTBEAT,
            (call) -> call.answer(new ConsumerGroupHeartbeatResponseData().setErrorCode((short)35)));
        group.start(ScriptedClassicGroup.settings().protocol(GroupProtocol.AUTO).instanceId("one"));
        group.untilStable();
        group.member().close();
        assertEquals(0, group.count("leave"));
        assertEquals(GroupState.LEFT, group.member().states().get(group.member().states().size() - 1));
    }

    // Behaviour O194, tried 2026-11-29: The leader assigns the topics of all members as Kafka's RangeAssignor does, and
    // assigns them again when a topic has new partitions.
    @Test
    void shouldDivideTheTopicsOfAllMembersAsKafkasAssignorDoes()
    {
        final String topic = OneTopicBroker.TOPIC;
        group.lead("z", "static-b", topic);
        group.lead("a", null, topic, "unknown", topic);
        group.lead("y", "static-a", topic, "unknown");
        group.lead("n", null);
        group.start(ScriptedClassicGroup.settings());
        group.untilStable();
        final Subscription alone = new Subscription(List.of(topic));
        final Subscription first = new Subscription(List.of(topic));
        first.setGroupInstanceId(Optional.of("static-a"));
        final Subscription second = new Subscription(List.of(topic));
        second.setGroupInstanceId(Optional.of("static-b"));
        final Map<String, List<TopicPartition>> expected = new RangeAssignor().assign(
            Map.of(topic, ScriptedClassicGroup.PARTITIONS), Map.of("z", second, "a", alone, "y", first, "m1", alone));
        expected.put("n", List.of());
        assertEquals(expected, group.assignments());
    }

    // Behaviour O194.
    @Test
    void shouldAssignNothingWhenTheCoordinatorKeepsTheAssignment()
    {
        group.lead("a", null, OneTopicBroker.TOPIC);
        group.skipAssignment();
        group.start(ScriptedClassicGroup.settings().instanceId("one"));
        group.untilStable();
        assertEquals(Map.of(), group.assignments());
        assertEquals(1, group.count("sync"));
    }

    /** They would need 200 MB of heap. */
    @Test
    void shouldLeaveOutAMemberWithMoreTopicsThanThereIsRoomForAndNameIt()
    {
        group.lead("zz", null, IntStream.range(0, 1_500_000).mapToObj(Integer::toString).toArray(String[]::new));
        assertLeftOut("zz: its subscription to 1500000 topics is too large");
    }

    /** A member writes its metadata itself: the broker is not to blame, and must not be left. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 5, 8})
    void shouldLeaveOutAMemberWhoseMetadataCannotBeReadAndNameIt(final int length)
    {
        group.lead("b\rken", null, Arrays.copyOf(new byte[] {0, 0, 0, 0, 0, 1, 0, 7}, length));
        group.lead("a", null, OneTopicBroker.TOPIC);
        assertLeftOut("b?ken: its subscription cannot be read: ");
    }

    private void assertLeftOut(final String text)
    {
        group.start(ScriptedClassicGroup.settings());
        group.untilStable();
        group.rebalance(0);
        group.until("a second assignment", () -> group.count("sync 2") == 1);
        assertEquals(1, group.member().errors().size(), group.member().errors()::toString);
        assertTrue(group.member().errors().get(0).contains(text), group.member().errors()::toString);
        assertEquals(ScriptedClassicGroup.PARTITIONS,
            group.assignments().values().stream().mapToInt(List::size).sum());
        assertFalse(group.assignments().isEmpty());
        assertEquals(List.of(), group.assignments().getOrDefault("zz", List.of()));
    }

    /** As a string, an id that is no valid UTF-8 is three times as long, and is sent back as that. */
    @ParameterizedTest
    @CsvSource({"10922, false", "10923, true", "32767, true"})
    void shouldRefuseAMemberIdThatCannotBeSentBack(final int length, final boolean isRefused)
    {
        group.answerNext(ApiMessageType.JOIN_GROUP, (call) ->
        {
            final byte[] body = call.body(new JoinGroupResponseData().setErrorCode(Errors.MEMBER_ID_REQUIRED.code())
                .setMemberId("X".repeat(length)));
            for (int i = 0; i < body.length; i++)
            {
                body[i] = isRefused && body[i] == 'X' ? (byte)0xFF : body[i];
            }
            return Answer.reply(body);
        });
        group.start(ScriptedClassicGroup.settings());
        group.untilStable();
        assertEquals(isRefused, group.member().errors().stream().anyMatch((error) ->
            error.contains("memberId at index") && error.contains("expected at most 10922")),
            group.member().errors()::toString);
    }

    // Behaviour O191.
    @Test
    void shouldFailClearlyWhereTheBrokerIsTooOld()
    {
        group.broker().maxVersion(ApiMessageType.JOIN_GROUP, 4);
        group.start(ScriptedClassicGroup.settings().protocol(GroupProtocol.AUTO));
        group.until("failed", () -> group.state() == GroupState.FAILED);
        assertEquals(1, group.member().errors().size());
        assertTrue(group.member().errors().get(0).contains("classic groups need brokers from 2.3 on"),
            group.member().errors()::toString);
        assertEquals(List.of(), group.requests());
    }

    /** The API is missing, or its feature is off, or the coordinator does not convert a classic group. */
    // Behaviour O191, tried 2026-11-29: If brokers do not support KIP-848, have turned it off, or do not convert a
    // classic group, members with `GroupProtocol.AUTO` use the classic protocol, and an event reports this. Brokers
    // without static membership are refused, and the error names the reason.
    @ParameterizedTest
    @CsvSource({"0, does not have the protocol consumer", "35, does not have the protocol consumer",
        "69, does not convert the group"})
    void shouldJoinByTheClassicProtocolWhereThereIsNoOther(final short errorCode, final String reason)
    {
        if (errorCode != 0)
        {
            group.broker().maxVersion(ApiMessageType.CONSUMER_GROUP_HEARTBEAT, 1);
            group.broker().script(ApiMessageType.CONSUMER_GROUP_HEARTBEAT,
                (call) -> call.answer(new ConsumerGroupHeartbeatResponseData().setErrorCode(errorCode)));
        }
        group.start(ScriptedClassicGroup.settings().protocol(GroupProtocol.AUTO));
        group.untilStable();
        assertEquals(GroupProtocol.CLASSIC, group.member().consumer().group().protocol());
        assertEquals(1, group.member().events().stream().filter((event) -> event.startsWith(
            "protocol CLASSIC: The coordinator, broker " + OneTopicBroker.NODE_ID) &&
            event.contains(reason)).count());
        assertTrue(group.member().consumer().describe().contains("protocol CLASSIC"));
        assertEquals(List.of(), group.member().errors());
        assertFalse(group.member().states().contains(GroupState.FAILED));
    }
}
