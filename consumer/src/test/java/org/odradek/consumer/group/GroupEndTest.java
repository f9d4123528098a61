// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.group;

import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.message.ConsumerGroupHeartbeatRequestData;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.OffsetCommitRequestData;
import org.apache.kafka.common.message.OffsetFetchResponseData;
import org.apache.kafka.common.message.OffsetFetchResponseData.OffsetFetchResponseGroup;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.odradek.consumer.CommitPolicy;
import org.odradek.consumer.TopicConsumer;
import org.odradek.consumer.handler.GroupState;
import org.odradek.consumer.support.OneTopicBroker;
import org.odradek.consumer.support.Reading;
import org.odradek.consumer.support.ScriptedCoordinator;
import org.odradek.consumer.support.ScriptedGroup;
import org.odradek.harness.Answer;
import org.odradek.testkit.Await;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Tests that members commit and leave whatever their handlers, callbacks and threads do meanwhile. */
class GroupEndTest
{
    private static final int MANY_REQUESTS = 2_000;
    private static final int LAST_EPOCH = 8;
    private static final int NOT_COORDINATOR = 16;
    private static final int INCONSISTENT_TOPIC_ID = 103;
    private static final short UNSTABLE_OFFSET_COMMIT = 88;

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

    /** An open transaction keeps the offsets of the group from being answered. */
    @Test
    void shouldNotAskForOffsetsAfterItHasLeft()
    {
        group.broker().script(ApiMessageType.OFFSET_FETCH, (call) ->
        {
            group.keep("fetch");
            return call.answer(new OffsetFetchResponseData().setGroups(List.of(new OffsetFetchResponseGroup()
                .setGroupId(ScriptedGroup.GROUP).setErrorCode(UNSTABLE_OFFSET_COMMIT))));
        });
        group.start();
        group.until("several queries", () -> group.count("fetch") > 2);

        group.member().consumer().group().leave();
        group.until("the end", () -> group.state() == GroupState.LEFT);
        group.poll(2);
        group.forgetRequests();

        for (int i = 0; i < 100; i++)
        {
            group.skipMs(1_000);
            group.poll(2);
        }
        assertEquals(List.of(), group.requests());
    }

    /** A heartbeat is due in each cycle, a commit waits in each poll, and now and then an offset is to be fetched. */
    @Test
    void shouldPassOverNoRequestTwiceForAnotherOfOneKind()
    {
        final AtomicLong nowNs = new AtomicLong();
        final List<Integer> sentAtCommits = new ArrayList<>();
        group.broker().script(ApiMessageType.OFFSET_FETCH, (call) ->
        {
            group.keep("fetch");
            return null;
        });
        group.start(
            ScriptedGroup.settings().heartbeatIntervalMs(1).commitPolicy(CommitPolicy.explicit())
                .fenceAfterMs(Integer.MAX_VALUE),
            () -> nowNs.addAndGet(TimeUnit.MILLISECONDS.toNanos(2)));
        group.untilStable();
        group.forgetRequests();

        for (int epoch = 2; epoch < LAST_EPOCH; epoch++)
        {
            final String end = " " + epoch;
            group.assign(epoch, epoch % 2 == 0 ? new int[] {0, 1, 2} : new int[] {0, 1});
            group.until("epoch" + end, () ->
            {
                sentAtCommits.add(group.requests().size());
                return group.member().consumer().group().commitAsync(0, 1) &&
                    group.count("keepalive" + end) > 2 && group.count("commit" + end) > 2;
            });
        }

        final List<String> requests = group.requests();
        final List<String> kinds = requests.stream().map((line) -> line.split(" ")[0]).toList();
        for (final int sent : sentAtCommits)
        {
            // One may have been in flight, then a heartbeat and a fetch may have been due.
            assertTrue(sent + 4 > kinds.size() || kinds.subList(sent, sent + 4).contains("commit"),
                () -> "a commit that waited after request " + sent + " of " + requests);
        }
        for (int i = 0; i + 3 <= kinds.size(); i++)
        {
            final List<String> three = new ArrayList<>(kinds.subList(i, i + 3));
            three.removeAll(List.of("commit", "fetch"));
            assertFalse(three.isEmpty(), () -> "a heartbeat among three of " + requests);
        }
        for (int epoch = 2; epoch < LAST_EPOCH; epoch += 2)
        {
            final int first = requests.indexOf("commit " + epoch + " {0=1}");
            // A commit and the heartbeat that reports what was taken may precede it.
            assertTrue(kinds.subList(Math.max(0, first - 1), first + 4).contains("fetch"),
                () -> "a fetch after request " + first + " of " + requests);
        }
    }

    /** Each reading of the clock moves it a little, so that a poll which waits ends. */
    @Test
    void shouldEndAPollWhenItsHandlersHaveTakenLong()
    {
        final AtomicLong nowNs = new AtomicLong();
        group.start(ScriptedGroup.settings().fenceAfterMs(Integer.MAX_VALUE), () -> nowNs.addAndGet(2_000));
        group.untilStable();
        group.until("the records", () -> group.member().count() == 4);
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
            polls.add(group.member().consumer().poll(
                (record) -> nowNs.addAndGet(TimeUnit.MILLISECONDS.toNanos(20)), 1_000, 1_000_000));
            return polls.stream().mapToInt((count) -> count).sum() == 30;
        });

        // 100 ms have passed with the fifth record; after the end of a batch the clock is read after two records.
        polls.removeIf((count) -> count == 0);
        assertEquals(List.of(5, 6, 6, 6, 6, 1), polls);
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

    /** Each answer comes within the first second that a leave waits for one, but not all of them. */
    @Test
    void shouldLeaveOverASlowConnectionWithoutBeginningAgain()
    {
        final AtomicLong stoodStillNs = new AtomicLong();
        group.start(ScriptedGroup.settings(),
            () -> stoodStillNs.get() == 0 ? System.nanoTime() : stoodStillNs.get());
        group.untilStable();
        group.until("the records", () -> group.member().count() == 4);
        stoodStillNs.set(System.nanoTime());
        final LongSupplier answerLate = () -> stoodStillNs.addAndGet(TimeUnit.MILLISECONDS.toNanos(450));
        for (final ApiMessageType type : List.of(ApiMessageType.API_VERSIONS, ApiMessageType.FIND_COORDINATOR))
        {
            group.broker().script(type, (call) ->
            {
                answerLate.getAsLong();
                group.keep(type.name());
                return null;
            });
        }
        group.broker().script(ApiMessageType.CONSUMER_GROUP_HEARTBEAT, (call) ->
        {
            final int epoch = ((ConsumerGroupHeartbeatRequestData)call.request()).memberEpoch();
            final boolean isMoved = epoch < 0 && group.count("FIND_COORDINATOR") == 0;
            if (epoch < 0)
            {
                answerLate.getAsLong();
            }
            return call.answer(group.response(epoch, null).setErrorCode((short)(isMoved ? NOT_COORDINATOR : 0)));
        });
        group.member().consumer().group().leave();

        group.until("left", () -> group.state() == GroupState.LEFT);

        assertEquals(1, group.count("FIND_COORDINATOR"), () -> group.requests().toString());
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
    @Tag("seconds")
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

    /**
     * The poll that runs while another thread closes leaves at its end, also if that thread was interrupted in its wait
     * and has returned.
     */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldCommitAndLeaveWhenAnotherThreadClosesIt(final boolean isInterrupting) throws InterruptedException
    {
        startAndRead();
        final AtomicBoolean isFreed = new AtomicBoolean();
        final AtomicBoolean isInterrupted = new AtomicBoolean();
        final Thread closing = new Thread(() ->
        {
            isFreed.set(group.member().consumer().close(TimeUnit.MINUTES.toNanos(2)));
            isInterrupted.set(Thread.interrupted());
        });
        group.member().slowRecord(() ->
        {
            if (closing.getState() == Thread.State.NEW)
            {
                closing.start();
            }
            // The close has been noted when its thread waits for the end of the poll.
            final boolean isWaiting = closing.getState() == Thread.State.TIMED_WAITING;
            if (isWaiting && isInterrupting)
            {
                closing.interrupt();
            }
            return isInterrupting ? !closing.isAlive() : isWaiting;
        });
        group.broker().append(0, "c");
        group.until("the record", () -> group.member().count() > 4);
        closing.join();

        assertEquals(isInterrupting, isInterrupted.get());
        assertEquals(isInterrupting, !isFreed.get());
        assertTrue(group.after("commit 1 {0=3, 1=2}").contains("leave -1"), () -> group.requests().toString());
        assertEquals(List.of(), group.member().owned());
        assertEquals(GroupState.LEFT, group.member().states().get(group.member().states().size() - 1));
    }

    /** What waits to be committed belongs to records that are gone. */
    @Test
    void shouldCommitNothingOfATopicThatWasDeleted()
    {
        group.start(ScriptedGroup.settings().commitPolicy(CommitPolicy.delivered(1)));
        group.untilStable();
        group.until("the records", () -> group.member().count() == 4);
        group.failCommits(Collections.nCopies(1_000, 14).toArray(new Integer[0]));
        group.broker().append(0, "c");
        group.untilRequest("commit 1 {0=3");
        group.broker().script(ApiMessageType.METADATA, (call) ->
        {
            final MetadataResponseData data = group.broker().metadata(call);
            data.topics().forEach((topic) -> topic.setTopicId(new Uuid(1, 2)));
            return call.answer(data);
        });
        final List<String> sentBefore = new ArrayList<>();
        group.member().whenError(() -> sentBefore.addAll(group.requests()));
        group.broker().script(0, (requested) -> OneTopicBroker.error(0, INCONSISTENT_TOPIC_ID));

        group.until("lost", () -> group.member().events().contains("lost 0 at 3"));
        group.until("heartbeats", () -> group.count("full 1 []") > 3);

        // One may have been on its way.
        final List<String> after = group.requests().subList(sentBefore.size() + 1, group.requests().size());
        assertFalse(after.stream().anyMatch((line) -> line.startsWith("commit")), after::toString);
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
                consumer.groupOffsets("other").commitAsync(1, 7);
            }
        }
        assertEquals(List.of("{1=7}"), commits);
    }
}
