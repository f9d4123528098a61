// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.group;

import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.message.ConsumerGroupHeartbeatRequestData;
import org.apache.kafka.common.message.ConsumerGroupHeartbeatResponseData;
import org.apache.kafka.common.message.OffsetFetchRequestData;
import org.apache.kafka.common.message.OffsetFetchResponseData;
import org.apache.kafka.common.message.OffsetFetchResponseData.OffsetFetchResponseGroup;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.odradek.consumer.CommitPolicy;
import org.odradek.consumer.handler.ConsumerCounters;
import org.odradek.consumer.handler.GroupState;
import org.odradek.consumer.support.ScriptedGroup;
import org.odradek.harness.Answer;
import org.odradek.harness.model.ModelPeer;
import org.odradek.testkit.Await;

import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Tests what a member of a group does after answers that a real coordinator does not send on request: the rules that
 * other clients learned.
 */
class GroupMemberTest
{
    private static final List<Integer> BOTH = List.of(0, 1);

    private final ScriptedGroup group = new ScriptedGroup();

    @AfterEach
    void close()
    {
        group.close();
    }

    // Rule 1, and errors that are retried.
    // Behaviour O166, tried 2026-11-29: With the protocol `consumer`, the next heartbeat after a lost response, an
    // error or a broken connection contains all fields.
    @ParameterizedTest
    @ValueSource(ints = {14, 15, 16, 7, -1})
    void shouldSendEverythingAfterAnErrorThatMayPass(final int code)
    {
        group.startStable();
        group.forgetRequests();
        group.failNext(code, code);
        group.untilRequest("keepalive");
        group.until("another keepalive", () -> group.after("full 1 [0, 1]").contains("keepalive 1"));
        final List<String> requests = group.requests().stream().distinct().toList();
        assertEquals(List.of("keepalive 1", "full 1 [0, 1]"), requests);
        assertEquals(2, group.count("full"));
        assertEquals(BOTH, group.member().owned());
        assertEquals(0, group.member().counter(ConsumerCounters.PARTITIONS_LOST));
        assertEquals(2, group.member().counter(ConsumerCounters.HEARTBEAT_FAILURES));
    }

    // Behaviour O166.
    @Test
    void shouldSendEverythingAfterAResponseWasLostOrCannotBeRead()
    {
        group.startStable();
        for (final Answer answer : List.of(Answer.close(), Answer.reset(), Answer.reply(new byte[] {0, 0, 0})))
        {
            group.forgetRequests();
            group.answerNext((call) -> answer);
            group.untilRequest("full 1 [0, 1]");
            group.until("another keepalive", () -> group.after("full").contains("keepalive 1"));
            assertEquals(BOTH, group.member().owned());
        }
        assertEquals(3, group.member().counter(ConsumerCounters.HEARTBEAT_FAILURES));
    }

    // Rule 2.
    // Behaviour O167, tried 2026-11-29: With the protocol `consumer`, a member that owns no partition sends an empty
    // list of owned partitions in each heartbeat until it leaves.
    @Test
    void shouldListNothingAsOwnedWhileItOwnsNothing()
    {
        group.assign(1);
        group.start();
        group.until("some heartbeats", () -> group.requests().size() > 4);
        assertEquals(List.of("join 0 []", "full 1 []"), group.requests().stream().distinct().toList());
        assertEquals(GroupState.STABLE, group.state());
        group.assign(2, 0, 1);
        group.untilStable();
        assertEquals(2, group.member().consumer().group().memberEpoch());
    }

    // Rule 3: the clock stands still, so only an acknowledgement can be due.
    // Behaviour O168, tried 2026-11-29: When a member has taken its assigned partitions, it acknowledges the partitions
    // at once.
    @Test
    void shouldAcknowledgeAtOnceWhatItHasTaken()
    {
        final long nowNs = System.nanoTime();
        group.start(ScriptedGroup.settings(), () -> nowNs);
        group.untilStable();
        assertEquals("join 0 []", group.requests().get(0));
        assertEquals("owned 1 [0, 1]", group.requests().get(1));
        assertEquals(2, group.requests().size());
    }

    // The same: the member learns of two assignments before it can take the first, and the second is what it owns.
    @Test
    void shouldAcknowledgeAnAssignmentThatWasTakenBack()
    {
        group.startStable();
        group.assign(2, 0, 1, 2);
        keepAliveUntil("keepalive 2");
        group.assign(3, 0, 1);
        keepAliveUntil("keepalive 3");
        group.untilRequest("owned 3 [0, 1]");
        group.until("stable", () -> group.state() == GroupState.STABLE);
        assertEquals(BOTH, group.member().owned());
        assertEquals(0, group.count("owned 2"));
    }

    // The rest of the batch may follow, but not the batch of the other partition in the same response.
    @Test
    void shouldDeliverNoOtherBatchOnceAHandlerHasLearntThatItWasRemoved()
    {
        group.startStable();
        group.until("the records", () -> group.member().count() == 4);
        final AtomicBoolean isFailing = new AtomicBoolean();
        group.member().slowRecord(() ->
        {
            // Not earlier, or a heartbeat between two polls may be the one that fails.
            if (!isFailing.getAndSet(true))
            {
                group.failNext(25);
            }
            return group.state() == GroupState.FENCED;
        });
        group.broker().change(() -> group.broker().append(0, "c").append(1, "c"));
        group.until("a record", () -> group.member().count() > 4);
        assertEquals(5, group.member().count());
        group.until("stable", () -> group.state() == GroupState.STABLE);
    }

    /** Sends heartbeats as a handler does that takes long, until a request was sent. */
    private void keepAliveUntil(final String request)
    {
        Await.until(request, () ->
        {
            group.member().consumer().keepAlive();
            return group.count(request) > 0;
        });
    }

    // Rule 4.
    // Behaviour O169, tried 2026-11-29: A revoked partition is listed as owned until the commit of its offset has
    // ended. A heartbeat does not wait for the response to a commit, but is sent after the commit. After a heartbeat,
    // no request is sent before the response to the heartbeat. After STALE_MEMBER_EPOCH a heartbeat is sent before the
    // commit is repeated. No other request is in flight together with a JoinGroup or a SyncGroup.
    @Test
    void shouldListAPartitionAsOwnedUntilItsOffsetIsCommitted()
    {
        group.startStable();
        group.until("the records", () -> group.member().count() == 4);
        group.failCommits(14, 14, 113);
        group.forgetRequests();
        group.assign(2, 0);
        group.untilRequest("owned 2 [0]");
        group.until("stable", () -> group.state() == GroupState.STABLE);
        final List<String> before =
            group.requests().stream().takeWhile((line) -> !line.equals("owned 2 [0]")).toList();
        assertEquals(4, before.stream().filter((line) -> line.equals("commit 2 {1=2}")).count(), before.toString());
        // After error 113, a heartbeat is answered before the commit is sent again.
        final List<String> last = before.subList(0, before.lastIndexOf("commit 2 {1=2}"));
        assertTrue(last.lastIndexOf("commit 2 {1=2}") < last.size() - 1, before.toString());
        assertEquals(0, before.stream().filter((line) -> line.endsWith("[0]")).count());
        assertTrue(group.member().events().contains("revoked 1 at 2"), group.member().events().toString());
        assertEquals(List.of(0), group.member().owned());
        assertEquals(1, group.memberIds().size());
    }

    // Rule 5.
    // Behaviour O170, tried 2026-11-29: A lost request for committed offsets is repeated, and a member also repeats a
    // request that has failed.
    @ParameterizedTest
    @ValueSource(ints = {30, 42, 3})
    void shouldFetchOffsetsAgainAfterAnyError(final int code)
    {
        final AtomicInteger failures = new AtomicInteger(2);
        group.broker().script(ApiMessageType.OFFSET_FETCH, (call) ->
            failures.getAndDecrement() <= 0 ? null : call.answer(new OffsetFetchResponseData().setGroups(List.of(
                new OffsetFetchResponseGroup().setErrorCode((short)code).setGroupId(
                    ((OffsetFetchRequestData)call.request()).groups().get(0).groupId())))));
        group.start();
        group.until("the records", () -> group.member().count() == 4);
        assertEquals(BOTH, group.member().owned());
    }

    // Rule 6.
    // Behaviour O171, tried 2026-11-29: Negative epochs, assignments that arrive while the member leaves, and heartbeat
    // intervals of 0 or less are ignored.
    @Test
    void shouldIgnoreANegativeEpoch()
    {
        group.startStable();
        group.forgetRequests();
        group.answerNext((call) -> call.answer(group.response(-1, null)));
        group.untilRequest("full 1 [0, 1]");
        assertEquals(1, group.member().consumer().group().memberEpoch());
        assertEquals(BOTH, group.member().owned());
    }

    // Behaviour O171.
    @Test
    void shouldIgnoreAnAssignmentThatArrivesWhileItLeaves()
    {
        group.startStable();
        final CountDownLatch isLeaving = new CountDownLatch(1);
        group.broker().script(ApiMessageType.CONSUMER_GROUP_HEARTBEAT, (call) ->
        {
            final int epoch = ((ConsumerGroupHeartbeatRequestData)call.request()).memberEpoch();
            group.keep(epoch < 0 ? "leave " + epoch : "held");
            if (epoch >= 0)
            {
                awaitQuietly(isLeaving);
            }
            return call.answer(epoch < 0 ? group.response(epoch, null) : group.response(2, new int[] {0, 1, 2}));
        });
        group.untilRequest("held");
        group.member().consumer().group().leave();
        isLeaving.countDown();
        group.until("left", () -> group.state() == GroupState.LEFT);
        assertEquals(List.of(), group.member().owned());
        assertEquals(1, group.count("leave -1"));
        assertFalse(group.member().events().stream().anyMatch((event) -> event.startsWith("assigned 2")));
        group.poll(50);
        assertEquals(GroupState.LEFT, group.state());
        assertEquals(List.of(), group.after("leave -1"));
    }

    private static void awaitQuietly(final CountDownLatch latch)
    {
        try
        {
            latch.await();
        }
        catch (final InterruptedException ex)
        {
            throw new IllegalStateException(ex);
        }
    }

    // Behaviour O171.
    @ParameterizedTest
    @ValueSource(ints = {0, -1, Integer.MIN_VALUE})
    void shouldKeepTheLastIntervalWithoutAValidOne(final int intervalMs)
    {
        group.start(ScriptedGroup.settings().heartbeatIntervalMs(0).commitPolicy(CommitPolicy.explicit()));
        group.untilStable();
        group.intervalMs(intervalMs);
        untilNoHeartbeatIsInFlight();
        group.forgetRequests();
        // Over two intervals after a change, the member sends one every 500 ms.
        group.skipMs(120_001);
        untilKeptAlive(1);
        group.poll(50);
        assertEquals(1, group.requests().size(), group.requests().toString());
        group.skipMs(60_001);
        group.until("the next", () -> group.count("keepalive") == 2);
    }

    private void untilNoHeartbeatIsInFlight()
    {
        group.until("no heartbeat in flight",
            () -> !group.member().consumer().describe().contains("HEARTBEAT in flight"));
    }

    /** The interval begins with the answer to the last of so many heartbeats. */
    private void untilKeptAlive(final int count)
    {
        final long confirmed = group.member().counter(ConsumerCounters.HEARTBEATS);
        group.until("heartbeat " + count, () -> group.count("keepalive") == count &&
            group.member().counter(ConsumerCounters.HEARTBEATS) > confirmed);
    }

    /** Members that learn of a change together would otherwise send their heartbeats together from then on. */
    @Test
    void shouldSendTheFirstUsualHeartbeatAfterARandomPartOfTheInterval()
    {
        // Without a fence, which would shorten the interval.
        group.start(ScriptedGroup.settings().heartbeatIntervalMs(0).fenceAfterMs(0)
            .commitPolicy(CommitPolicy.explicit()));
        group.untilStable();
        untilNoHeartbeatIsInFlight();
        group.forgetRequests();
        group.skipMs(120_001);
        untilKeptAlive(1);
        // The random number is 0.5, so the part is 33 s.
        group.skipMs(20_000);
        group.poll(50);
        assertEquals(1, group.count("keepalive"), group.requests().toString());
        group.skipMs(13_001);
        untilKeptAlive(2);
        group.skipMs(40_000);
        group.poll(50);
        assertEquals(2, group.count("keepalive"), group.requests().toString());
        group.skipMs(20_001);
        group.until("the one after the whole interval", () -> group.count("keepalive") == 3);
    }

    // Rule 7.
    // Behaviour O172, tried 2026-11-29: Repeated, unsorted and negative partitions of an assignment change nothing.
    @Test
    void shouldTakeEachPartitionOnceWhateverTheOrder()
    {
        group.assign(1, 1, 0, 0, -5, Integer.MIN_VALUE, 1, Integer.MAX_VALUE);
        group.startStable();
        group.until("the records", () -> group.member().count() == 4);
        group.forgetRequests();
        group.assign(1, 0, 1, 0, 0);
        group.until("heartbeats", () -> group.count("keepalive") > 2);
        assertEquals(1, group.member().counter(ConsumerCounters.REBALANCES));
        assertEquals(4, group.member().count());
        assertEquals(2, group.member().events().stream().filter((event) -> event.startsWith("assigned")).count());
    }

    // Rule 8.
    // Behaviour O173, tried 2026-11-29: An unknown topic id in an assignment revokes nothing; metadata is requested.
    @Test
    void shouldGiveUpNothingForAnUnknownTopicId()
    {
        group.startStable();
        group.forgetRequests();
        final int metadata = group.broker().requestCount(ApiMessageType.METADATA);
        group.answerNext((call) -> call.answer(group.response(1, new int[] {2}, new Uuid(1, 2))));
        group.untilRequest("full 1 [0, 1]");
        group.until("metadata", () -> group.broker().requestCount(ApiMessageType.METADATA) > metadata);
        assertEquals(BOTH, group.member().owned());
        assertEquals(1, group.member().counter(ConsumerCounters.REBALANCES));
    }

    // Rules 9 and 10.
    // Behaviour O174, tried 2026-11-29: With the protocol `consumer`, a member that was removed or fenced reports its
    // partitions as lost, commits nothing, and joins again under the same id, without its former state.
    @ParameterizedTest
    @CsvSource({"25, UNKNOWN_MEMBER_ID", "110, FENCED_MEMBER_EPOCH", "69, GROUP_ID_NOT_FOUND"})
    void shouldLoseEverythingAndJoinAgainUnderItsId(final int code, final String name)
    {
        group.startStable();
        group.until("the records", () -> group.member().count() == 4);
        group.forgetRequests();
        group.failNext(code);
        group.untilRequest("join 0 []");
        group.untilStable();
        assertTrue(group.member().events().contains("lost 0 at 2") && group.member().events().contains("lost 1 at 2"),
            group.member().events().toString());
        assertTrue(group.member().events().stream().anyMatch((event) -> event.startsWith("FENCED 0") &&
            event.contains(name) && event.contains("words of the broker")), group.member().events().toString());
        assertEquals(1, group.memberIds().size());
        assertEquals(0, group.count("commit"));
        // Nothing was committed: both partitions are read again.
        group.until("the records again", () -> group.member().count() == 8);
        final String id = group.member().consumer().group().memberId();
        assertEquals(1, group.member().errors().size(), group.member().errors()::toString);
        assertTrue(group.member().errors().get(0).contains(
            "has removed member " + id + ": The coordinator answered a heartbeat with " + name),
            group.member().errors()::toString);
    }

    // Behaviour O175, tried 2026-11-29: After FENCED_MEMBER_EPOCH in response to a join, the member leaves and then
    // joins again.
    @Test
    void shouldLeaveBeforeItJoinsIfTheCoordinatorKnowsItUnderAnotherEpoch()
    {
        group.failNext(110);
        group.start();
        group.untilStable();
        assertEquals(List.of("join 0 []", "leave -1", "join 0 []", "owned 1 [0, 1]"), group.requests().subList(0, 4));
        assertEquals(1, group.memberIds().size());
    }

    // Rule 11.
    // Behaviour O176.
    @Test
    void shouldHaveLeftWhenTheCoordinatorDoesNotKnowIt()
    {
        group.startStable();
        group.until("the records", () -> group.member().count() == 4);
        final AtomicInteger leaves = answerLeaves((call) ->
            call.answer(new ConsumerGroupHeartbeatResponseData().setErrorCode((short)25)));
        group.member().consumer().group().leave();
        group.until("left", () -> group.state() == GroupState.LEFT);
        assertEquals(1, leaves.get());
        assertEquals(List.of(), group.member().errors());
    }

    /** Answers leaves with the result of a function, and other heartbeats without an assignment; counts the leaves. */
    private AtomicInteger answerLeaves(final Function<ModelPeer.Call, Answer> answer)
    {
        final AtomicInteger leaves = new AtomicInteger();
        group.broker().script(ApiMessageType.CONSUMER_GROUP_HEARTBEAT, (call) ->
        {
            final boolean isLeave = ((ConsumerGroupHeartbeatRequestData)call.request()).memberEpoch() < 0;
            leaves.addAndGet(isLeave ? 1 : 0);
            return isLeave ? answer.apply(call) : call.answer(group.response(1, null));
        });
        return leaves;
    }

    // Behaviour O176, tried 2026-11-29: A leave whose response is lost is sent again; UNKNOWN_MEMBER_ID counts as a
    // success.
    @Test
    void shouldSendALeaveAgainWhoseAnswerWasLost()
    {
        group.startStable();
        group.member().consumer().group().leave();
        final AtomicBoolean isLost = new AtomicBoolean();
        final AtomicInteger leaves = answerLeaves((call) ->
            isLost.getAndSet(true) ? call.answer(group.response(-1, null)) : Answer.close());
        group.until("left", () -> group.state() == GroupState.LEFT);
        assertEquals(2, leaves.get());
    }

    @Test
    void shouldCommitIfItLeavesLongAfterTheLastPoll()
    {
        group.startStable();
        group.until("the records", () -> group.member().count() == 4);
        group.forgetRequests();
        group.skipMs(50_000);
        group.member().consumer().group().leave();
        group.until("left", () -> group.state() == GroupState.LEFT);
        assertTrue(group.after("commit 1 {0=2, 1=2}").contains("leave -1"), group.requests().toString());
        assertEquals(List.of(), group.member().errors());
        assertTrue(group.member().events().contains("revoked 0 at 2"), group.member().events().toString());
    }

    // Behaviour O177, tried 2026-11-29: Closing commits, and then leaves; each partition is reported as revoked. A
    // static member leaves temporarily with the protocol `consumer`, and does not leave a classic group. When the
    // timeout has expired, the commit and the leave are sent without waiting for the responses.
    @Test
    void shouldCommitAndLeaveInOrderWhenItIsClosed()
    {
        group.start(ScriptedGroup.settings().instanceId("static"));
        group.untilStable();
        group.until("the records", () -> group.member().count() == 4);
        group.forgetRequests();
        group.member().close();
        final List<String> requests = group.requests();
        assertEquals("leave -2", requests.get(requests.size() - 1));
        assertTrue(group.after("commit 1 {0=2, 1=2}").contains("leave -2"), requests.toString());
        assertEquals(1, group.count("leave"));
        assertTrue(group.member().events().containsAll(List.of("revoked 0 at 2", "revoked 1 at 2")),
            group.member().events().toString());
    }
}
