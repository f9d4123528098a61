// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.group;

import org.apache.kafka.common.message.ApiMessageType;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.odradek.consumer.CommitPolicy;
import org.odradek.consumer.handler.ConsumerCounters;
import org.odradek.consumer.handler.GroupProtocol;
import org.odradek.consumer.handler.GroupState;
import org.odradek.consumer.support.GroupReader;
import org.odradek.consumer.support.OneTopicBroker;
import org.odradek.consumer.support.Reading;
import org.odradek.consumer.support.ScriptedGroup;
import org.odradek.harness.Answer;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Tests a member of a group that cannot join, is fenced, or cannot give up its partitions in time.
 */
class GroupErrorsTest
{
    private static final List<Integer> BOTH = List.of(0, 1);

    private final ScriptedGroup group = new ScriptedGroup();

    @AfterEach
    void close()
    {
        group.close();
    }

    private void startWithAnInstanceIdThatIsHeld()
    {
        for (int i = 0; i < 1_000; i++)
        {
            group.failNext(111);
        }
        group.start(ScriptedGroup.settings().instanceId("held"));
        group.until("retries", () -> group.count("join") > 2);
    }

    // Rule 12.
    // Behaviour O179, tried 2026-11-29: A member whose instance id is still in use repeats the join for up to 90
    // seconds, and then fails; a member fails when another member takes its instance id.
    @Test
    void shouldWaitForAnInstanceIdThatIsHeldAndFailAfter90Seconds()
    {
        startWithAnInstanceIdThatIsHeld();
        assertEquals(1, group.member().errors().size());
        assertTrue(group.member().errors().get(0).contains("held"), group.member().errors()::toString);
        group.skipMs(45_000);
        final int count = group.count("join");
        group.until("a retry", () -> group.count("join") > count + 1);
        assertEquals(GroupState.JOINING, group.state());
        group.skipMs(45_001);
        group.until("failed", () -> group.state() == GroupState.FAILED);
        assertEquals(2, group.member().errors().size());
    }

    /** The coordinator restarts, and with it the session of the member that holds the id. */
    // Behaviour O179.
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldWaitForAnInstanceIdAgainAfterARestartOfTheCoordinator(final boolean isClosed)
    {
        startWithAnInstanceIdThatIsHeld();
        group.skipMs(60_000);
        if (isClosed)
        {
            group.until("no join in flight",
                () -> !group.member().consumer().describe().contains("HEARTBEAT in flight"));
            group.broker().peer().closeConnections();
        }
        else
        {
            group.broker().peer().cut();
        }
        final int before = group.count("join");
        group.until("retries after the restart", () -> group.count("join") > before + 2);

        group.skipMs(60_000);
        final int count = group.count("join");
        group.until("a retry", () -> group.count("join") > count + 1);

        assertEquals(GroupState.JOINING, group.state());
    }

    // Behaviour O179.
    @Test
    void shouldJoinOnceAnInstanceIdIsReleased()
    {
        group.failNext(111, 111);
        group.start(ScriptedGroup.settings().instanceId("held"));
        group.untilStable();
        assertEquals(List.of("join 0 []", "join 0 []", "join 0 []"), group.requests().subList(0, 3));
        assertEquals(3, group.count("join"));
        assertEquals(1, group.member().errors().size(), group.member().errors()::toString);
        assertTrue(group.member().errors().get(0).contains("held"), group.member().errors()::toString);
        assertEquals(2, group.member().counter(ConsumerCounters.HEARTBEAT_FAILURES));
    }

    // Behaviour O180, tried 2026-11-29: After a non-retriable error, or if the broker does not support the protocol of
    // the member, the membership fails, and the error names the reason.
    @ParameterizedTest
    @CsvSource({"24, INVALID_GROUP_ID", "30, GROUP_AUTHORIZATION_FAILED", "35, group.version=1",
        "42, INVALID_REQUEST", "69, another kind", "82, another process", "112, assignor"})
    void shouldFailAfterAnErrorThatNoRetryCanEnd(final int code, final String text)
    {
        group.failNext(code);
        group.start(ScriptedGroup.settings().protocol(GroupProtocol.CONSUMER));
        group.until("failed", () -> group.state() == GroupState.FAILED);
        group.poll(50);
        assertEquals(List.of("join 0 []"), group.requests());
        assertEquals(1, group.member().errors().size());
        final String error = group.member().errors().get(0);
        assertTrue(error.contains(text) && error.contains("words of the broker"), error);
        assertTrue(error.contains(ScriptedGroup.GROUP) && error.contains("broker " + OneTopicBroker.NODE_ID), error);
        assertFalse(group.member().consumer().group().awaitStable(1));
    }

    // Behaviour O179.
    @Test
    void shouldLoseEverythingWhenAnotherProcessTakesItsInstanceId()
    {
        group.start(ScriptedGroup.settings().commitPolicy(CommitPolicy.explicit()));
        group.untilStable();
        group.failNext(82);
        group.until("failed", () -> group.state() == GroupState.FAILED);
        group.until("lost", () -> group.member().owned().isEmpty());
        assertEquals(2, group.member().counter(ConsumerCounters.PARTITIONS_LOST));
        assertFalse(group.member().consumer().group().commitAsync(0, 1));
    }

    // Behaviour O180.
    @ParameterizedTest
    @ValueSource(ints = {-1, 0})
    void shouldFailClearlyWhereTheBrokerHasNoConsumerGroups(final int maxVersion)
    {
        group.broker().maxVersion(ApiMessageType.CONSUMER_GROUP_HEARTBEAT, maxVersion);
        group.start(ScriptedGroup.settings().protocol(GroupProtocol.CONSUMER));
        group.until("failed", () -> group.state() == GroupState.FAILED);
        assertEquals(1, group.member().errors().size());
        assertTrue(group.member().errors().get(0).contains("brokers from 4.0 on"), group.member().errors()::toString);
        assertEquals(List.of(), group.requests());
    }

    // Behaviour O180.
    @Test
    void shouldFailClearlyWhereTheBrokerHasNoTopicIds()
    {
        group.broker().maxVersion(ApiMessageType.METADATA, 9);
        shouldFailClearlyWhereTheBrokerHasNoConsumerGroups(-1);
    }

    // Behaviour O181, tried 2026-11-30: Errors that an administrator can correct are reported once, and the request is
    // repeated at a low rate.
    @ParameterizedTest
    @ValueSource(ints = {29, 81})
    void shouldReportAndRetryWhatAnAdministratorCanChange(final int code)
    {
        group.failNext(code, code, code);
        group.start();
        group.until("an error", () -> group.member().errors().size() == 1);
        group.skipMs(1_000);
        group.poll(20);
        assertEquals(1, group.count("join"));
        for (int i = 2; i <= 4; i++)
        {
            final int joins = i;
            group.skipMs(60_000);
            // The time until the next one begins with the answer.
            group.until("an answered retry", () -> group.count("join") == joins &&
                group.member().counter(ConsumerCounters.HEARTBEAT_FAILURES) == Math.min(joins, 3));
        }
        group.untilStable();
        assertEquals(1, group.member().errors().size());
    }

    // Behaviour O174.
    @Test
    void shouldFindThatItWasFencedByARefusedCommit()
    {
        group.start(ScriptedGroup.settings().heartbeatIntervalMs(0).commitPolicy(CommitPolicy.explicit()));
        group.untilStable();
        group.failCommits(25, 25);
        group.failNext(25);
        // Another member has the partition after the join, so nothing but the loss discards its offset.
        group.assign(1, 1);
        group.member().consumer().group().commitAsync(0, 1);
        group.until("fenced", () -> group.member().states().contains(GroupState.FENCED));
        group.until("joined", () -> group.member().owned().equals(List.of(1)) && group.state() == GroupState.STABLE);
        group.poll(50);
        // The offset of a lost partition is not sent again.
        assertEquals(1, group.count("commit"), group.requests().toString());
        assertTrue(group.member().consumer().group().areCommitsDone());
    }

    // Behaviour O183, tried 2026-11-30: When no heartbeat has been confirmed for `fenceAfterMs`, no record is delivered
    // until a heartbeat is confirmed. After a suspension of the process, at most 16 records, or one batch of
    // `pollBatches`, are delivered before the consumer notices that this time has passed.
    @Test
    void shouldDeliverNothingUntilAHeartbeatIsConfirmed()
    {
        final long beganNs = System.nanoTime();
        group.start(ScriptedGroup.settings().fenceAfterMs(10_000));
        group.untilStable();
        group.until("the records", () -> group.member().count() == 4);
        final AtomicBoolean isCutOff = new AtomicBoolean(true);
        group.broker().script(ApiMessageType.CONSUMER_GROUP_HEARTBEAT, (call) ->
            isCutOff.get() ? Answer.close() : call.answer(group.response(1, null)));
        group.skipMs(10_001);
        group.until("the fence", () -> group.member().counter(ConsumerCounters.FENCES) == 1);
        group.broker().append(0, "c").append(1, "c");
        group.poll(100);
        assertEquals(4, group.member().count());
        final long mostMs = 10_002 + TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - beganNs);
        final long fencedMs = group.member().events().stream().filter((event) -> event.startsWith("fenced after "))
            .mapToLong((event) -> Long.parseLong(event.split(" ")[2])).findFirst().orElseThrow();
        assertTrue(fencedMs > 10_000 && fencedMs <= mostMs, () -> group.member().events().toString());

        isCutOff.set(false);
        group.until("the records", () -> group.member().count() == 6);
        assertTrue(group.member().events().contains("unfenced"));
        assertEquals(BOTH, group.member().owned());
        assertEquals(1, group.member().counter(ConsumerCounters.FENCES));
    }

    /** The pause is in the handler, as a stopped process would be. After it no heartbeat is confirmed for a while. */
    // Behaviour O183.
    @Test
    void shouldDeliverNoOtherBatchAfterThePauseOfAProcess()
    {
        group.start(ScriptedGroup.settings().fenceAfterMs(10_000));
        group.untilStable();
        group.until("the records", () -> group.member().count() == 4);
        final AtomicBoolean isCutOff = new AtomicBoolean();
        group.broker().script(ApiMessageType.CONSUMER_GROUP_HEARTBEAT, (call) ->
            isCutOff.get() ? Answer.close() : call.answer(group.response(1, null)));
        group.member().slowRecord(() ->
        {
            isCutOff.set(true);
            group.skipMs(20_000);
            return true;
        });
        group.broker().change(() ->
            group.broker().append(0, "c", "d").append(0, "e").append(1, "c", "d").append(1, "e"));
        group.until("the pause", isCutOff::get);
        // The second record of the batch is still delivered.
        assertEquals(6, group.member().count());
        group.poll(100);
        assertEquals(6, group.member().count(), group.member()::toString);
        assertEquals(1, group.member().counter(ConsumerCounters.FENCES));

        isCutOff.set(false);
        group.until("the records", () -> group.member().count() == 10);
        assertEquals(1, group.member().counter(ConsumerCounters.FENCES));
    }

    // Behaviour O185.
    @Tag("seconds")
    @Test
    void shouldGiveAPartitionUpWhenTheHandlerTakesTooLong()
    {
        group.start(ScriptedGroup.settings().revocationTimeoutMs(10_000)
            .revocationHandler((partition, nextOffset, remainingNs) -> false));
        group.untilStable();
        group.until("the records", () -> group.member().count() == 4);
        group.assign(2, 0);
        group.until("reconciling", () -> group.state() == GroupState.RECONCILING);
        group.poll(20);
        assertEquals(BOTH, group.member().owned());
        group.skipMs(5_001);
        group.untilRequest("owned 2 [0]");
        // The handler has not said that the records are done, so the next owner is to deliver them again.
        assertEquals(0, group.count("commit 2 {1"), group.requests()::toString);
        assertTrue(group.member().events().contains("revoked 1 at -1"), group.member().events().toString());
    }

    // Behaviour O185.
    @Tag("seconds")
    @Test
    void shouldGiveAPartitionUpWhenTheCommitTakesTooLong()
    {
        group.start(ScriptedGroup.settings().revocationTimeoutMs(10_000));
        group.untilStable();
        group.until("the records", () -> group.member().count() == 4);
        for (int i = 0; i < 1_000; i++)
        {
            group.failCommits(14);
        }
        group.assign(2, 0);
        group.untilRequest("commit 2 {1=2}");
        group.skipMs(7_501);
        group.untilRequest("owned 2 [0]");
        assertEquals(1,
            group.member().errors().stream().filter((error) -> error.contains("Offset 2 of partition 1")).count(),
            group.member().errors()::toString);
    }

    /** The coordinator removes a member that does not report in time that it has given a partition up. */
    @Test
    void shouldDeliverNothingUntilItIsKnownThatALatePartitionWasGivenUp()
    {
        // The test skips most of the times, which are far longer than any machine stands still.
        final AtomicLong skippedNs = new AtomicLong();
        group.start(ScriptedGroup.settings().revocationTimeoutMs(600_000).fenceAfterMs(6_000_000),
            () -> System.nanoTime() + skippedNs.get());
        group.untilStable();
        group.until("the records", () -> group.member().count() == 4);
        final AtomicBoolean isFirst = new AtomicBoolean(true);
        group.broker().script(ApiMessageType.CONSUMER_GROUP_HEARTBEAT, (call) ->
            isFirst.getAndSet(false) ? call.answer(group.response(2, new int[] {0})) : Answer.close());
        group.until("reconciling", () -> group.state() == GroupState.RECONCILING);
        skippedNs.addAndGet(TimeUnit.SECONDS.toNanos(500));
        group.broker().append(0, "c");
        group.until("the record", () -> group.member().count() == 5);

        skippedNs.addAndGet(TimeUnit.SECONDS.toNanos(100));
        group.until("the fence", () -> group.member().counter(ConsumerCounters.FENCES) == 1);
        group.broker().append(0, "d");
        group.poll(100);
        assertEquals(5, group.member().count());

        group.broker().script(ApiMessageType.CONSUMER_GROUP_HEARTBEAT, (call) -> call.answer(group.response(2, null)));
        group.until("the record", () -> group.member().count() == 6);
        assertEquals(List.of(0), group.member().owned());
    }

    // Behaviour O185.
    @Test
    void shouldGiveAPartitionUpWhoseHandlerThrows()
    {
        group.start(ScriptedGroup.settings().revocationHandler((partition, nextOffset, remainingNs) ->
        {
            throw new IllegalStateException("planted");
        }));
        group.untilStable();
        group.assign(2, 0);
        group.untilRequest("owned 2 [0]");
        assertEquals(1, group.member().errors().size());
        assertTrue(group.member().errors().get(0).contains("planted"), group.member().errors()::toString);
    }

    /** The request timeout is longer than a close waits. */
    // Behaviour O177.
    @Tag("seconds")
    @Test
    void shouldLeaveWithinACloseAlthoughAnAnswerWasLost()
    {
        group.startStable();
        final AtomicBoolean isUnanswered = new AtomicBoolean();
        group.answerNext((call) ->
        {
            isUnanswered.set(true);
            return Answer.never();
        });
        group.until("a heartbeat without an answer", isUnanswered::get);
        group.member().consumer().close(TimeUnit.SECONDS.toNanos(20));
        assertEquals(GroupState.LEFT, group.member().states().get(group.member().states().size() - 1));
        assertEquals(1, group.count("leave -1"), group.requests()::toString);
    }

    @Test
    void shouldNotReportALeaveIfItHasNeverAskedToJoin()
    {
        final GroupReader member =
            new GroupReader(Reading.context(group.broker()).group(ScriptedGroup.settings()));
        member.consumer().poll(member, 1);
        member.close();
        assertEquals("LEFT 0: Ends without a request to leave the group.",
            member.events().get(member.events().size() - 1), member.events()::toString);
        assertEquals(List.of(), group.requests());
    }

    // Behaviour O177.
    @Test
    void shouldLeaveWithinACloseAlthoughJoinsHaveFailed()
    {
        group.failNext(14);
        final GroupReader member = new GroupReader(
            Reading.context(group.broker()).retryBackoffMs(60_000, 60_000).group(ScriptedGroup.settings()));
        GroupReader.until("the refusal", List.of(member),
            () -> member.counter(ConsumerCounters.HEARTBEAT_FAILURES) == 1);
        member.close();
        assertEquals(List.of(GroupState.JOINING, GroupState.LEFT), member.states());
        assertEquals(List.of("join 0 []", "leave -1"), group.requests());
    }
}
