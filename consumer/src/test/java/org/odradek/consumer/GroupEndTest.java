// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.message.OffsetCommitRequestData;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.odradek.consumer.handler.GroupState;
import org.odradek.testkit.Answer;
import org.odradek.testkit.Await;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Tests that members commit and leave whatever their handlers, callbacks and threads do meanwhile. */
@Timeout(60)
class GroupEndTest
{
    private static final int MANY_REQUESTS = 2_000;

    private final ScriptedGroup group = new ScriptedGroup();

    @AfterEach
    void close()
    {
        Thread.interrupted();
        group.close();
    }

    /** As if each cycle of the consumer took longer than the heartbeat interval. */
    @Test
    void shouldCommitAndFetchOffsetsAlthoughAHeartbeatIsDueInEachCycle()
    {
        final AtomicLong nowNs = new AtomicLong();
        group.start(
            ScriptedGroup.settings().heartbeatIntervalMs(1).commitPolicy(CommitPolicy.delivered(1))
                .fenceAfterMs(Integer.MAX_VALUE),
            () -> nowNs.addAndGet(TimeUnit.MILLISECONDS.toNanos(2)));

        group.until("many requests", () -> group.requests().size() >= MANY_REQUESTS ||
            group.count("commit") > 0 && group.count("keepalive") > 0);

        assertEquals(List.of(0, 1), group.member().owned());
        assertTrue(group.count("commit") > 0, () -> group.requests().toString());
        assertTrue(group.count("keepalive") > 0, () -> group.requests().toString());
    }

    @Test
    void shouldEndAPollAtABatchWhenItsHandlersHaveTakenLong()
    {
        startAndRead();
        group.broker().change(() ->
        {
            for (int i = 0; i < 10; i++)
            {
                group.broker().append(0, "c", "d", "e");
            }
        });
        final List<Integer> polls = new ArrayList<>();

        Await.until("all records", () ->
        {
            polls.add(group.member().consumer().poll((record) -> group.skipMs(20), 1_000, 1_000_000));
            return polls.stream().mapToInt((count) -> count).sum() == 30;
        });

        // 100 ms have passed with the fifth record, so the second batch is the last one.
        assertTrue(polls.stream().allMatch((count) -> count <= 6), polls::toString);
        assertTrue(polls.contains(6), polls::toString);
    }

    /** As many programs give each consumer a generator with the same seed. */
    @Test
    void shouldHaveAnIdOfItsOwnWhateverTheRandomNumbersAre()
    {
        group.startStable();
        final String first = group.member().consumer().group().memberId();
        group.member().close();
        group.startStable();

        assertNotEquals(first, group.member().consumer().group().memberId());
    }

    @Test
    void shouldCommitAndLeaveOnAnInterruptedThread()
    {
        final AtomicBoolean isInterrupted = new AtomicBoolean();
        startAndRead();
        group.member().whenRevoked(() -> isInterrupted.set(Thread.currentThread().isInterrupted()));

        Thread.currentThread().interrupt();
        group.member().close();

        assertTrue(Thread.interrupted(), "the flag is set again");
        assertFalse(isInterrupted.get(), "callbacks see it cleared");
        assertTrue(group.after("commit 1 {0=2, 1=2}").contains("leave -1"), () -> group.requests().toString());
        assertEquals(GroupState.LEFT, group.state());
    }

    private void startAndRead()
    {
        group.startStable();
        group.until("the records", () -> group.member().count() == 4);
        group.forgetRequests();
    }

    @Test
    void shouldLeaveAlthoughTheErrorHandlerThrows()
    {
        startAndRead();
        // The broker does not know the topic for a while, and then the group.
        group.failCommits(29, 29);
        group.member().throwErrors();

        assertThrows(IllegalStateException.class, () -> group.member().close());

        assertFalse(group.member().errors().isEmpty());
        assertTrue(group.requests().contains("leave -1"), () -> group.requests().toString());
        assertEquals(GroupState.LEFT, group.state());
    }

    @Test
    void shouldGiveUpEveryPartitionIfACallbackLeavesTheGroup()
    {
        startAndRead();
        final List<String> sentBefore = new ArrayList<>();
        group.member().whenRevoked(() ->
        {
            sentBefore.addAll(group.requests());
            group.member().consumer().group().leave();
        });

        group.assign(2, 0);
        group.until("left", () -> group.state() == GroupState.LEFT);

        assertFalse(sentBefore.contains("leave -1"), sentBefore.toString());
        assertEquals(List.of(), group.member().owned());
        assertTrue(group.member().events().containsAll(List.of("revoked 1 at 2", "revoked 0 at 2")),
            () -> group.member().events().toString());
        assertEquals(List.of(), group.member().errors());
    }

    /** As with a clock that an agent updates, which has ended. */
    @Test
    void shouldEndAPollAndACloseAlthoughTheClockStandsStill()
    {
        final AtomicLong stillNs = new AtomicLong();
        group.start(ScriptedGroup.settings(), () -> stillNs.get() == 0 ? System.nanoTime() : stillNs.get());
        group.untilStable();
        group.until("the records", () -> group.member().count() == 4);
        group.broker().script(ApiMessageType.CONSUMER_GROUP_HEARTBEAT, (call) -> Answer.never());
        group.broker().script(ApiMessageType.OFFSET_COMMIT, (call) -> Answer.never());
        stillNs.set(System.nanoTime());

        assertEquals(0, group.member().consumer().poll((record) -> { }, 10, TimeUnit.SECONDS.toNanos(1)));
        assertTrue(group.member().consumer().close(TimeUnit.SECONDS.toNanos(1)));
    }

    @Test
    void shouldSendTheCommitsThatWaitWhenItIsClosed()
    {
        final List<String> commits = new ArrayList<>();
        try (OneTopicBroker broker = OneTopicBroker.start(2))
        {
            broker.script(ApiMessageType.OFFSET_COMMIT, (call) ->
            {
                final OffsetCommitRequestData request = (OffsetCommitRequestData)call.request();
                commits.add(ScriptedCoordinator.offsets(request));
                return call.answer(ScriptedCoordinator.committed(request, 0));
            });
            try (TopicConsumer consumer = TopicConsumer.connect(Reading.context(broker)))
            {
                assertTrue(consumer.awaitReady(TimeUnit.SECONDS.toNanos(30)));
                consumer.groupOffsets("other").commit(1, 7);
            }
        }
        assertEquals(List.of("{1=7}"), commits);
    }
}
