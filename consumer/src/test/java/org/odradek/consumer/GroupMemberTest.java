// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.message.OffsetFetchRequestData;
import org.apache.kafka.common.message.OffsetFetchResponseData;
import org.apache.kafka.common.message.OffsetFetchResponseData.OffsetFetchResponseGroup;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.odradek.consumer.handler.GroupState;
import org.odradek.consumer.status.ConsumerCounters;
import org.odradek.testkit.Answer;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Tests what a member of a group does after answers that a real coordinator does not send on request. Its clock is that
 * of the system, plus what a test adds.
 */
@Timeout(60)
class GroupMemberTest
{
    private static final List<Integer> BOTH = List.of(0, 1);

    private final ScriptedGroup group = new ScriptedGroup();
    private final AtomicLong skippedNs = new AtomicLong();
    private GroupReader member;

    @AfterEach
    void close()
    {
        if (member != null)
        {
            member.close();
        }
        group.close();
    }

    private GroupSettings settings()
    {
        return new GroupSettings(ScriptedGroup.GROUP).heartbeatIntervalMs(20);
    }

    private void start()
    {
        start(settings());
    }

    private void start(final GroupSettings settings)
    {
        member = new GroupReader(Reading.context(group.broker()).group(settings)
            .nanoClock(() -> System.nanoTime() + skippedNs.get()));
    }

    private void skipMs(final long ms)
    {
        skippedNs.addAndGet(TimeUnit.MILLISECONDS.toNanos(ms));
    }

    private void until(final String what, final BooleanSupplier condition)
    {
        GroupReader.until(what + "; requests " + group.requests(), List.of(member), condition);
    }

    private void untilRequest(final String request)
    {
        until(request, () -> group.count(request) > 0);
    }

    private void startStable()
    {
        start();
        untilStable();
    }

    private void untilStable()
    {
        until("stable", () -> member.owned().equals(BOTH) && member.consumer().group().state() == GroupState.STABLE);
    }

    private GroupState state()
    {
        return member.consumer().group().state();
    }

    // Rule 1, and errors that are retried.
    @ParameterizedTest
    @ValueSource(ints = {14, 15, 16, 7, -1})
    void shouldSendEverythingAfterAnErrorThatMayPass(final int code)
    {
        startStable();
        group.forgetRequests();
        group.failNext(code, code);
        untilRequest("keepalive");
        until("another keepalive", () -> group.after("full 1 [0, 1]").contains("keepalive 1"));
        final List<String> requests = group.requests().stream().distinct().toList();
        assertEquals(List.of("keepalive 1", "full 1 [0, 1]"), requests);
        assertEquals(2, group.count("full"));
        assertEquals(BOTH, member.owned());
        assertEquals(0, member.counter(ConsumerCounters.PARTITIONS_LOST));
        assertEquals(2, member.counter(ConsumerCounters.HEARTBEAT_FAILURES));
    }

    @Test
    void shouldSendEverythingAfterAResponseWasLostOrCannotBeRead()
    {
        startStable();
        for (final Answer answer : List.of(Answer.close(), Answer.reset(), Answer.reply(new byte[] {0, 0, 0})))
        {
            group.forgetRequests();
            group.answerNext((call) -> answer);
            untilRequest("full 1 [0, 1]");
            until("another keepalive", () -> group.after("full").contains("keepalive 1"));
            assertEquals(BOTH, member.owned());
        }
        assertEquals(3, member.counter(ConsumerCounters.HEARTBEAT_FAILURES));
    }

    // Rule 2.
    @Test
    void shouldListNothingAsOwnedWhileItOwnsNothing()
    {
        group.assign(1);
        start();
        until("some heartbeats", () -> group.requests().size() > 4);
        assertEquals(List.of("join 0 []", "full 1 []"), group.requests().stream().distinct().toList());
        assertEquals(GroupState.STABLE, state());
        group.assign(2, 0, 1);
        untilStable();
        assertEquals(2, member.consumer().group().memberEpoch());
    }

    // Rule 3: the clock stands still, so only an acknowledgement can be due.
    @Test
    void shouldAcknowledgeAtOnceWhatItHasTaken()
    {
        final long nowNs = System.nanoTime();
        member = new GroupReader(Reading.context(group.broker()).group(settings()).nanoClock(() -> nowNs));
        untilStable();
        assertEquals("join 0 []", group.requests().get(0));
        assertEquals("owned 1 [0, 1]", group.requests().get(1));
        assertEquals(2, group.requests().size());
    }

    // Rule 4.
    @Test
    void shouldListAPartitionAsOwnedUntilItsOffsetIsCommitted()
    {
        startStable();
        until("the records", () -> member.count() == 4);
        group.failCommits(14, 14, 113);
        group.forgetRequests();
        group.assign(2, 0);
        untilRequest("owned 2 [0]");
        until("stable", () -> state() == GroupState.STABLE);
        final List<String> before =
            group.requests().stream().takeWhile((line) -> !line.equals("owned 2 [0]")).toList();
        assertEquals(4, before.stream().filter((line) -> line.equals("commit 2 {1=2}")).count(), before.toString());
        // After error 113, the membership is checked before the commit is sent again.
        assertTrue(group.after("commit").contains("full 2 [0, 1]"), before.toString());
        assertEquals(0, before.stream().filter((line) -> line.endsWith("[0]")).count());
        assertTrue(member.events().contains("revoked 1 at 2"), member.events().toString());
        assertEquals(List.of(0), member.owned());
        assertEquals(1, group.memberIds().size());
    }

    // Rule 5.
    @ParameterizedTest
    @ValueSource(ints = {30, 42, 3})
    void shouldFetchOffsetsAgainAfterAnyError(final int code)
    {
        final AtomicInteger failures = new AtomicInteger(2);
        group.broker().script(ApiMessageType.OFFSET_FETCH, (call) ->
            failures.getAndDecrement() <= 0 ? null : call.answer(new OffsetFetchResponseData().setGroups(List.of(
                new OffsetFetchResponseGroup().setErrorCode((short)code).setGroupId(
                    ((OffsetFetchRequestData)call.request()).groups().get(0).groupId())))));
        start();
        until("the records", () -> member.count() == 4);
        assertEquals(BOTH, member.owned());
    }

    // Rule 6.
    @Test
    void shouldIgnoreANegativeEpoch()
    {
        startStable();
        group.forgetRequests();
        group.answerNext((call) -> call.answer(group.response(-1, null)));
        untilRequest("full 1 [0, 1]");
        assertEquals(1, member.consumer().group().memberEpoch());
        assertEquals(BOTH, member.owned());
    }

    @Test
    void shouldIgnoreAnAssignmentThatArrivesWhileItLeaves()
    {
        startStable();
        group.forgetRequests();
        group.answerNext((call) -> call.answer(group.response(2, new int[] {0, 1, 2})).afterMs(100));
        untilRequest("keepalive 1");
        member.consumer().group().leave();
        until("left", () -> state() == GroupState.LEFT);
        assertEquals(List.of(), member.owned());
        assertEquals(1, group.count("leave -1"));
        assertFalse(member.events().stream().anyMatch((event) -> event.startsWith("assigned 2")));
        GroupReader.until("some polls", List.of(member), new Countdown(50));
        assertEquals(GroupState.LEFT, state());
        assertEquals(List.of(), group.after("leave -1"));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -1, Integer.MIN_VALUE})
    void shouldKeepTheLastIntervalWithoutAValidOne(final int intervalMs)
    {
        start(settings().heartbeatIntervalMs(0).commitPolicy(CommitPolicy.explicit()));
        untilStable();
        group.intervalMs(intervalMs);
        group.forgetRequests();
        // Over two intervals after a change, the member sends one every 500 ms.
        skipMs(120_001);
        until("a heartbeat", () -> group.count("keepalive") == 1);
        GroupReader.until("some polls", List.of(member), new Countdown(50));
        assertEquals(1, group.requests().size(), group.requests().toString());
        skipMs(60_001);
        until("the next", () -> group.count("keepalive") == 2);
    }

    // Rule 7.
    @Test
    void shouldTakeEachPartitionOnceWhateverTheOrder()
    {
        group.assign(1, 1, 0, 0, -5, Integer.MIN_VALUE, 1, Integer.MAX_VALUE);
        startStable();
        until("the records", () -> member.count() == 4);
        group.forgetRequests();
        group.assign(1, 0, 1, 0, 0);
        until("heartbeats", () -> group.count("keepalive") > 2);
        assertEquals(1, member.counter(ConsumerCounters.REBALANCES));
        assertEquals(4, member.count());
        assertEquals(2, member.events().stream().filter((event) -> event.startsWith("assigned")).count());
    }

    // Rule 8.
    @Test
    void shouldGiveUpNothingForAnUnknownTopicId()
    {
        startStable();
        group.forgetRequests();
        final int metadata = group.broker().requestCount(ApiMessageType.METADATA);
        group.answerNext((call) -> call.answer(group.response(1, new int[] {2}, new Uuid(1, 2))));
        untilRequest("full 1 [0, 1]");
        until("metadata", () -> group.broker().requestCount(ApiMessageType.METADATA) > metadata);
        assertEquals(BOTH, member.owned());
        assertEquals(1, member.counter(ConsumerCounters.REBALANCES));
    }

    // Rules 9 and 10.
    @ParameterizedTest
    @CsvSource({"25, UNKNOWN_MEMBER_ID", "110, FENCED_MEMBER_EPOCH", "69, GROUP_ID_NOT_FOUND"})
    void shouldLoseEverythingAndJoinAgainUnderItsId(final int code, final String name)
    {
        startStable();
        until("the records", () -> member.count() == 4);
        group.forgetRequests();
        group.failNext(code);
        untilRequest("join 0 []");
        untilStable();
        assertTrue(member.events().contains("lost 0 at 2") && member.events().contains("lost 1 at 2"),
            member.events().toString());
        assertTrue(member.events().stream().anyMatch((event) -> event.startsWith("FENCED 0") &&
            event.contains(name) && event.contains("words of the broker")), member.events().toString());
        assertEquals(1, group.memberIds().size());
        assertEquals(0, group.count("commit"));
        // Nothing was committed: both partitions are read again.
        until("the records again", () -> member.count() == 8);
        assertEquals(List.of(), member.errors());
    }

    @Test
    void shouldLeaveBeforeItJoinsIfTheCoordinatorKnowsItUnderAnotherEpoch()
    {
        group.failNext(110);
        start();
        untilStable();
        assertEquals(List.of("join 0 []", "leave -1", "join 0 []", "owned 1 [0, 1]"), group.requests().subList(0, 4));
        assertEquals(1, group.memberIds().size());
    }

    // Rule 11.
    @Test
    void shouldHaveLeftWhenTheCoordinatorDoesNotKnowIt()
    {
        startStable();
        until("the records", () -> member.count() == 4);
        group.answerNext((call) ->
        {
            group.failNext(25);
            return call.answer(group.response(1, null));
        });
        member.consumer().group().leave();
        until("left", () -> state() == GroupState.LEFT);
        assertEquals(List.of(), member.errors());
    }

    @Test
    void shouldSendALeaveAgainWhoseAnswerWasLost()
    {
        startStable();
        member.consumer().group().leave();
        final AtomicBoolean isLost = new AtomicBoolean();
        group.broker().script(ApiMessageType.CONSUMER_GROUP_HEARTBEAT, (call) ->
            isLost.getAndSet(true) ? call.answer(group.response(-1, null)) : Answer.close());
        until("left", () -> state() == GroupState.LEFT);
        assertTrue(isLost.get());
    }

    @Test
    void shouldCommitAndLeaveInOrderWhenItIsClosed()
    {
        start(settings().instanceId("static"));
        untilStable();
        until("the records", () -> member.count() == 4);
        group.forgetRequests();
        member.close();
        final List<String> requests = group.requests();
        assertEquals("leave -2", requests.get(requests.size() - 1));
        assertTrue(group.after("commit 1 {0=2, 1=2}").contains("leave -2"), requests.toString());
        assertEquals(1, group.count("leave"));
        assertTrue(member.events().contains("revoked 0 at 2"), member.events().toString());
    }

    // Rule 12.
    @Test
    void shouldWaitForAnInstanceIdThatIsHeldAndFailAfter90Seconds()
    {
        for (int i = 0; i < 1_000; i++)
        {
            group.failNext(111);
        }
        start(settings().instanceId("held"));
        until("retries", () -> group.count("join") > 2);
        assertEquals(1, member.errors().size());
        assertTrue(member.errors().get(0).contains("held"), member.errors()::toString);
        skipMs(85_000);
        final int count = group.count("join");
        until("a retry", () -> group.count("join") > count + 1);
        assertEquals(GroupState.JOINING, state());
        skipMs(5_001);
        until("failed", () -> state() == GroupState.FAILED);
        assertEquals(2, member.errors().size());
    }

    @Test
    void shouldJoinOnceAnInstanceIdIsReleased()
    {
        group.failNext(111, 111);
        start(settings().instanceId("held"));
        untilStable();
    }

    @ParameterizedTest
    @CsvSource({"24, INVALID_GROUP_ID", "30, GROUP_AUTHORIZATION_FAILED", "35, group.version=1",
        "42, INVALID_REQUEST", "69, another kind", "82, another process", "112, assignor"})
    void shouldFailAfterAnErrorThatNoRetryCanEnd(final int code, final String text)
    {
        group.failNext(code);
        start();
        until("failed", () -> state() == GroupState.FAILED);
        GroupReader.until("some polls", List.of(member), new Countdown(50));
        assertEquals(List.of("join 0 []"), group.requests());
        assertEquals(1, member.errors().size());
        final String error = member.errors().get(0);
        assertTrue(error.contains(text) && error.contains("words of the broker"), error);
        assertTrue(error.contains(ScriptedGroup.GROUP) && error.contains("broker " + OneTopicBroker.NODE_ID), error);
        assertFalse(member.consumer().group().awaitStable(1));
    }

    @Test
    void shouldLoseEverythingWhenAnotherProcessTakesItsInstanceId()
    {
        startStable();
        group.failNext(82);
        until("failed", () -> state() == GroupState.FAILED);
        until("lost", () -> member.owned().isEmpty());
        assertEquals(2, member.counter(ConsumerCounters.PARTITIONS_LOST));
        assertFalse(member.consumer().group().commit(0, 1));
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 0})
    void shouldFailClearlyWhereTheBrokerHasNoConsumerGroups(final int maxVersion)
    {
        group.broker().maxVersion(ApiMessageType.CONSUMER_GROUP_HEARTBEAT, maxVersion);
        start();
        until("failed", () -> state() == GroupState.FAILED);
        assertEquals(1, member.errors().size());
        assertTrue(member.errors().get(0).contains("brokers from 4.0 on"), member.errors()::toString);
        assertEquals(List.of(), group.requests());
    }

    @ParameterizedTest
    @ValueSource(ints = {29, 81})
    void shouldReportAndRetryWhatAnAdministratorCanChange(final int code)
    {
        group.failNext(code, code, code);
        start();
        until("an error", () -> member.errors().size() == 1);
        GroupReader.until("some polls", List.of(member), new Countdown(20));
        assertEquals(1, group.count("join"));
        for (int i = 2; i <= 4; i++)
        {
            final int joins = i;
            skipMs(60_000);
            until("a retry", () -> group.count("join") == joins);
        }
        untilStable();
        assertEquals(1, member.errors().size());
    }

    @Test
    void shouldFindThatItWasFencedByARefusedCommit()
    {
        start(settings().heartbeatIntervalMs(0).commitPolicy(CommitPolicy.explicit()));
        untilStable();
        group.failCommits(25, 25);
        group.failNext(25);
        member.consumer().group().commit(0, 1);
        until("fenced", () -> member.states().contains(GroupState.FENCED));
        untilStable();
        // The offset of a lost partition is not sent again.
        assertEquals(1, group.count("commit"), group.requests().toString());
        assertTrue(member.consumer().group().isCommitted());
    }

    @Test
    void shouldDeliverNothingUntilAHeartbeatIsConfirmed()
    {
        start(settings().fenceAfterMs(10_000));
        untilStable();
        until("the records", () -> member.count() == 4);
        final AtomicBoolean isCutOff = new AtomicBoolean(true);
        group.broker().script(ApiMessageType.CONSUMER_GROUP_HEARTBEAT, (call) ->
            isCutOff.get() ? Answer.close() : call.answer(group.response(1, null)));
        skipMs(10_001);
        until("the fence", () -> member.counter(ConsumerCounters.FENCES) == 1);
        group.broker().append(0, "c").append(1, "c");
        GroupReader.until("some polls", List.of(member), new Countdown(100));
        assertEquals(4, member.count());
        assertTrue(member.events().stream().anyMatch((event) -> event.startsWith("fenced after 100")),
            member.events().toString());

        isCutOff.set(false);
        until("the records", () -> member.count() == 6);
        assertTrue(member.events().contains("unfenced"));
        assertEquals(BOTH, member.owned());
        assertEquals(1, member.counter(ConsumerCounters.FENCES));
    }

    /** The pause is in the handler, as a stopped process would be. */
    @Test
    void shouldDeliverNoOtherBatchAfterThePauseOfAProcess()
    {
        start(settings().fenceAfterMs(10_000));
        final AtomicInteger count = new AtomicInteger();
        final AtomicInteger countAtPause = new AtomicInteger();
        group.broker().append(0, "c");
        final TopicConsumer consumer = member.consumer();
        for (int i = 0; count.get() < 5; i++)
        {
            final boolean isPausing = i >= 0 && countAtPause.get() == 0;
            consumer.poll((record) ->
            {
                if (isPausing && count.get() == 0)
                {
                    skipMs(20_000);
                    countAtPause.set(1);
                }
                count.incrementAndGet();
                if (countAtPause.get() == 1)
                {
                    // The second record of the batch is still delivered, and no other.
                    assertTrue(count.get() <= 2 || consumer.counters().get(ConsumerCounters.FENCES) == 1);
                }
            }, 100, 5_000_000);
        }
        assertEquals(1, consumer.counters().get(ConsumerCounters.FENCES));
    }

    @Test
    void shouldGiveAPartitionUpWhenTheHandlerTakesTooLong()
    {
        start(settings().revocationTimeoutMs(10_000).revocationHandler((partition, nextOffset, remainingNs) -> false));
        untilStable();
        until("the records", () -> member.count() == 4);
        group.assign(2, 0);
        until("reconciling", () -> state() == GroupState.RECONCILING);
        GroupReader.until("some polls", List.of(member), new Countdown(20));
        assertEquals(BOTH, member.owned());
        skipMs(5_001);
        untilRequest("owned 2 [0]");
        assertTrue(group.after("commit 2").contains("owned 2 [0]"), group.requests().toString());
        assertTrue(member.events().contains("revoked 1 at 2"), member.events().toString());
    }

    @Test
    void shouldGiveAPartitionUpWhenTheCommitTakesTooLong()
    {
        start(settings().revocationTimeoutMs(10_000));
        untilStable();
        until("the records", () -> member.count() == 4);
        for (int i = 0; i < 1_000; i++)
        {
            group.failCommits(14);
        }
        group.assign(2, 0);
        untilRequest("commit 2 {1=2}");
        skipMs(7_501);
        untilRequest("owned 2 [0]");
        assertEquals(1, member.errors().stream().filter((error) -> error.contains("Offset 2 of partition 1")).count(),
            member.errors()::toString);
    }

    @Test
    void shouldGiveAPartitionUpWhoseHandlerThrows()
    {
        start(settings().revocationHandler((partition, nextOffset, remainingNs) ->
        {
            throw new IllegalStateException("planted");
        }));
        untilStable();
        group.assign(2, 0);
        untilRequest("owned 2 [0]");
        assertEquals(1, member.errors().size());
        assertTrue(member.errors().get(0).contains("planted"), member.errors()::toString);
    }

    /** Is false so many times. */
    private static final class Countdown implements BooleanSupplier
    {
        private int left;

        Countdown(final int count)
        {
            left = count;
        }

        @Override
        public boolean getAsBoolean()
        {
            return left-- <= 0;
        }
    }
}
