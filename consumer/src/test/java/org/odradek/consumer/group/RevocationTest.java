// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.group;

import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.message.OffsetCommitRequestData;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.odradek.consumer.CommitPolicy;
import org.odradek.consumer.TopicConsumer;
import org.odradek.consumer.handler.ConsumerCounters;
import org.odradek.consumer.handler.GroupState;
import org.odradek.consumer.handler.RevocationHandler;
import org.odradek.consumer.support.OneTopicBroker;
import org.odradek.consumer.support.ScriptedCoordinator;
import org.odradek.consumer.support.ScriptedGroup;
import org.odradek.harness.Answer;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Tests what a consumer answers while a partition is given up, and what happens when the time for it has passed. */
class RevocationTest
{
    private final ScriptedGroup group = new ScriptedGroup();
    private final AtomicBoolean isDone = new AtomicBoolean();

    @AfterEach
    void close()
    {
        isDone.set(true);
        group.close();
    }

    private void start(final CommitPolicy policy, final RevocationHandler handler)
    {
        group.start(ScriptedGroup.settings().revocationHandler(handler).commitPolicy(policy)
            .fenceAfterMs(Integer.MAX_VALUE));
        group.untilStable();
        group.until("the records", () -> group.member().count() == 4);
        group.forgetRequests();
    }

    private TopicConsumer consumer()
    {
        return group.member().consumer();
    }

    private boolean hasEvent(final String event)
    {
        return group.member().events().contains(event);
    }

    @Test
    void shouldBeAssignedUntilItIsRevoked()
    {
        final List<String> answers = new ArrayList<>();
        start(CommitPolicy.explicit(), (partition, nextOffset, remainingNs) ->
        {
            answers.add(describe(partition) + " of " + nextOffset);
            return isDone.get();
        });
        group.member().whenRevoked(() -> answers.add(consumer().isAssigned(1) + " " + consumer().group().isOwned(1)));

        group.assign(2, 0);
        group.until("the handler", () -> answers.size() > 2);
        final String between = describe(1);
        consumer().pause(1);
        consumer().resume(1);
        consumer().groupOffsets("other").commitAsync();
        group.untilRequest("commit -1 {0=2, 1=2}");
        isDone.set(true);
        group.until("revoked", () -> hasEvent("revoked 1 at -1"));

        assertEquals("true true 2 false -1", between);
        final List<String> inEvent = answers.subList(answers.size() - 1, answers.size());
        assertEquals(List.of("false false"), inEvent);
        assertEquals(List.of("true true 2 false -1 of 2"),
            answers.subList(0, answers.size() - 1).stream().distinct().toList());
        assertThrows(IllegalStateException.class, () -> consumer().nextOffset(1));
        assertTrue(consumer().isAssigned(0));
        assertEquals(List.of(), group.member().errors());
    }

    @Test
    void shouldCallAHandlerThatWasSetBeforeTheFirstPoll()
    {
        final List<String> unused = new ArrayList<>();
        group.start(ScriptedGroup.settings().commitPolicy(CommitPolicy.explicit()).fenceAfterMs(Integer.MAX_VALUE)
            .revocationHandler((partition, nextOffset, remainingNs) -> unused.add("asked")));
        final TopicConsumer consumer = consumer();
        assertThrows(IllegalArgumentException.class, () -> consumer.group().revocationHandler(null));
        consumer.group().revocationHandler((partition, nextOffset, remainingNs) ->
            consumer.group().commitAsync(partition, nextOffset));
        group.untilStable();
        group.until("the records", () -> group.member().count() == 4);

        group.assign(2, 0);
        group.until("revoked", () -> hasEvent("revoked 1 at 2"));

        assertEquals(List.of(), unused);
        assertEquals("the consumer has been polled: set the revocation handler of its group before the first poll",
            assertThrows(IllegalStateException.class,
                () -> consumer.group().revocationHandler(RevocationHandler.AT_ONCE)).getMessage());
        assertEquals(List.of(), group.member().errors());
    }

    /** While a partition is being revoked it is still assigned. */
    @Test
    void shouldListTheAssignment()
    {
        start(CommitPolicy.explicit(), (partition, nextOffset, remainingNs) -> isDone.get());
        final int[] into = {-1, -1, -1};
        assertEquals(2, consumer().assignment(into));
        assertEquals("[0, 1, -1]", Arrays.toString(into));
        final int[] tooSmall = {-1};
        assertEquals(2, consumer().assignment(tooSmall));
        assertEquals("[0]", Arrays.toString(tooSmall));

        group.assign(2, 0);
        group.until("the handler", () -> consumer().describe().contains("1 draining"));
        assertEquals(2, consumer().assignment(into));
        isDone.set(true);
        group.until("revoked", () -> hasEvent("revoked 1 at -1"));
        into[1] = -1;

        assertEquals(1, consumer().assignment(into));
        assertEquals("[0, -1, -1]", Arrays.toString(into));
    }

    private String describe(final int partition)
    {
        return consumer().isAssigned(partition) + " " + consumer().group().isOwned(partition) + " " +
            consumer().nextOffset(partition) + " " + consumer().isPaused(partition) + " " + consumer().lag(partition);
    }

    /** The handler is asked about the new offset, which is where the next owner begins. */
    @Test
    void shouldContinueWhereAPartitionIsSoughtWhileItIsGivenUp()
    {
        final List<Long> asked = new ArrayList<>();
        start(CommitPolicy.delivered(60_000), (partition, nextOffset, remainingNs) ->
        {
            asked.add(nextOffset);
            return isDone.get();
        });

        group.assign(2, 0);
        group.until("the handler", () -> !asked.isEmpty());
        consumer().seek(1, 1);
        assertEquals(1, consumer().nextOffset(1));
        isDone.set(true);
        group.until("revoked", () -> hasEvent("revoked 1 at 1"));

        assertEquals(List.of(2L, 1L), asked.stream().distinct().toList());
        assertEquals(List.of(), group.member().errors());
    }

    // Behaviour O185.
    @Tag("seconds")
    @Test
    void shouldReportAHandlerThatIsNotDoneInTimeAndGiveUp()
    {
        final List<Long> remainingMs = new ArrayList<>();
        final long beganNs = System.nanoTime();
        start(CommitPolicy.delivered(60_000), (partition, nextOffset, remainingNs) ->
        {
            remainingMs.add(TimeUnit.NANOSECONDS.toMillis(remainingNs));
            return false;
        });
        group.assign(2, 0);
        group.until("the handler", () -> !remainingMs.isEmpty());
        final long leastMs = 29_998 - TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - beganNs);
        assertTrue(remainingMs.get(0) >= leastMs && remainingMs.get(0) <= 30_000, remainingMs::toString);
        assertEquals(0, group.member().counter(ConsumerCounters.REVOCATIONS_TIMED_OUT));

        group.skipMs(30_000);
        group.until("revoked", () -> hasEvent("revoked 1 at -1"));

        assertEquals(0, remainingMs.get(remainingMs.size() - 1));
        assertEquals(1, remainingMs.stream().filter((ms) -> ms == 0).count());
        assertEquals(1, group.member().errors().size(), group.member().errors()::toString);
        assertTrue(group.member().errors().get(0).contains("not done in time with partition 1 up to offset 2"),
            group.member().errors()::toString);
        assertEquals(1, group.member().counter(ConsumerCounters.REVOCATIONS_TIMED_OUT));
        group.until("stable", () -> group.state() == GroupState.STABLE);
    }

    // Behaviour P236.
    @Test
    void shouldThrowAnErrorOfTheHandlerAtTheEndOfThePollAndGoOn()
    {
        start(CommitPolicy.delivered(60_000), (partition, nextOffset, remainingNs) ->
        {
            if (!isDone.get())
            {
                throw new AssertionError("planted");
            }
            return true;
        });
        group.assign(2, 0);
        final AssertionError thrown =
            assertThrows(AssertionError.class, () -> group.until("an error of the handler", () -> false));
        assertEquals("planted", thrown.getMessage());
        group.untilRequest("owned 2 [0]");
        assertTrue(hasEvent("revoked 1 at -1"), group.member().events()::toString);
        group.until("stable", () -> group.state() == GroupState.STABLE);
        assertEquals(0, group.count("commit 1 {1"), group.requests()::toString);
        assertEquals(1, group.member().errors().size(), group.member().errors()::toString);
    }

    /** The coordinator's time begins with its answer, which a slow handler of records may keep from being read. */
    @Test
    void shouldCountTheTimeInWhichTheAnswerWaited()
    {
        final List<Long> remainingMs = new ArrayList<>();
        start(CommitPolicy.delivered(60_000), (partition, nextOffset, remainingNs) ->
        {
            remainingMs.add(TimeUnit.NANOSECONDS.toMillis(remainingNs));
            return isDone.get();
        });
        group.answerNext((call) ->
        {
            group.skipMs(8_000);
            return call.answer(group.response(2, new int[] {0}));
        });
        group.until("the handler", () -> !remainingMs.isEmpty());
        assertTrue(remainingMs.get(0) > 0 && remainingMs.get(0) <= 26_000, remainingMs::toString);
    }

    /** Its last call may be the first one, if the polls take so long, and may commit what is done. */
    @Tag("seconds")
    @Test
    void shouldAskOnceMoreWhenTheTimeHasPassed()
    {
        start(CommitPolicy.explicit(), (partition, nextOffset, remainingNs) ->
        {
            if (remainingNs == 0)
            {
                consumer().group().commitAsync(partition, 1);
            }
            return remainingNs == 0;
        });
        group.assign(2, 0);
        group.until("the handler", () -> consumer().describe().contains("1 draining"));
        group.skipMs(30_000);
        group.until("revoked", () -> hasEvent("revoked 1 at 1"));

        assertEquals(List.of(), group.member().errors());
        assertEquals(0, group.member().counter(ConsumerCounters.REVOCATIONS_TIMED_OUT));
    }

    @Tag("seconds")
    @Test
    void shouldReportACommitThatIsNotConfirmedInTimeAndGiveUp()
    {
        start(CommitPolicy.delivered(60_000), RevocationHandler.AT_ONCE);
        group.broker().script(ApiMessageType.OFFSET_COMMIT, (call) ->
        {
            group.keep("unanswered commit");
            return Answer.never();
        });
        group.assign(2, 0);
        group.untilRequest("unanswered commit");
        assertFalse(hasEvent("revoked 1 at -1"));

        group.skipMs(45_000);
        group.until("revoked", () -> hasEvent("revoked 1 at -1"));

        assertTrue(group.member().errors().get(0).contains("Offset 2 of partition 1 could not be committed"),
            group.member().errors()::toString);
        assertEquals(1, group.member().counter(ConsumerCounters.REVOCATIONS_TIMED_OUT));
        group.broker().script(ApiMessageType.OFFSET_COMMIT, (call) -> null);
    }

    // Behaviour M153.
    @Test
    void shouldCommitTheLeaderEpochOfTheLastRecord()
    {
        start(CommitPolicy.explicit(), (partition, nextOffset, remainingNs) ->
            consumer().group().commitAsync(partition, nextOffset));
        final List<String> epochs = noteEpochs();

        // The epoch of the record before offset 1 is not known any more.
        consumer().group().commitAsync(0, 1);
        group.until("committed", () -> consumer().group().areCommitsDone());
        consumer().group().commitAsync(0, 2);
        group.until("committed", () -> consumer().group().areCommitsDone());
        group.assign(2, 0);
        group.until("revoked", () -> hasEvent("revoked 1 at 2"));

        assertEquals(List.of("0 1 -1", "0 2 " + OneTopicBroker.LEADER_EPOCH, "1 2 " + OneTopicBroker.LEADER_EPOCH),
            epochs);
    }

    // Behaviour M153.
    @Test
    void shouldCommitTheLeaderEpochOfTheLastRecordByItself()
    {
        start(CommitPolicy.delivered(60_000), RevocationHandler.AT_ONCE);
        final List<String> epochs = noteEpochs();

        group.assign(2, 0);
        group.until("revoked", () -> hasEvent("revoked 1 at 2"));

        assertTrue(epochs.contains("1 2 " + OneTopicBroker.LEADER_EPOCH), epochs::toString);
    }

    /** Notes the partition, offset and leader epoch of each commit. */
    private List<String> noteEpochs()
    {
        final List<String> epochs = Collections.synchronizedList(new ArrayList<>());
        group.broker().script(ApiMessageType.OFFSET_COMMIT, (call) ->
        {
            final OffsetCommitRequestData request = (OffsetCommitRequestData)call.request();
            request.topics().get(0).partitions().forEach((partition) -> epochs.add(partition.partitionIndex() + " " +
                partition.committedOffset() + " " + partition.committedLeaderEpoch()));
            return call.answer(ScriptedCoordinator.committed(request, 0));
        });
        return epochs;
    }
}
