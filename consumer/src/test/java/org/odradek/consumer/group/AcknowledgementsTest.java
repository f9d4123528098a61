// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.group;

import org.apache.kafka.common.message.ApiMessageType;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.odradek.client.Acknowledgements;
import org.odradek.consumer.CommitPolicy;
import org.odradek.consumer.GroupSettings;
import org.odradek.consumer.TopicConsumer;
import org.odradek.consumer.handler.ConsumerCounters;
import org.odradek.consumer.handler.GroupState;
import org.odradek.consumer.support.ScriptedGroup;
import org.odradek.harness.Answer;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Tests what a member commits, and when it gives partitions up, whose application acknowledges records late. */
class AcknowledgementsTest
{
    private static final int INTERVAL_MS = 5;
    private static final int NEVER_MS = 600_000;
    /** More than two heartbeat intervals of the coordinator. */
    private static final int FREQUENT_MS = 121_000;
    private static final int MANY_POLLS = 50;

    private final ScriptedGroup group = new ScriptedGroup();
    private Acknowledgements acknowledgements;

    @AfterEach
    void close()
    {
        for (final int partition : group.member().owned())
        {
            acknowledge(partition, 2);
        }
        group.close();
    }

    private static GroupSettings settings(final int intervalMs)
    {
        return ScriptedGroup.settings().commitPolicy(CommitPolicy.acknowledged(intervalMs))
            .fenceAfterMs(Integer.MAX_VALUE);
    }

    private void start(final GroupSettings settings)
    {
        group.start(settings);
        group.untilStable();
        group.until("the records", () -> group.member().count() == 4);
        acknowledgements = consumer().group().acknowledgements();
    }

    /** A member whose assignment is new sends a heartbeat each half second, and each would end a wait. */
    private void passFrequentHeartbeats()
    {
        group.until("no heartbeat in flight", () -> !consumer().describe().contains("HEARTBEAT in flight"));
        final long before = group.member().counter(ConsumerCounters.HEARTBEATS);
        group.skipMs(FREQUENT_MS);
        group.until("the last of them", () -> group.member().counter(ConsumerCounters.HEARTBEATS) > before);
        group.poll(MANY_POLLS);
        final int last = group.count("keepalive");
        group.poll(MANY_POLLS);
        assertEquals(last, group.count("keepalive"));
    }

    private TopicConsumer consumer()
    {
        return group.member().consumer();
    }

    private void acknowledge(final int partition, final long nextOffset)
    {
        acknowledgements.acknowledge(partition, group.member().epoch(partition), nextOffset);
    }

    private boolean hasEvent(final String event)
    {
        return group.member().events().contains(event);
    }

    private void untilCommitted(final int partition, final long offset)
    {
        group.until("committed", () -> consumer().group().committedOffset(partition) == offset);
    }

    /** Polls for several heartbeats, and expects that only the start of each partition is committed. */
    private void assertNothingCommitted()
    {
        final int before = group.count("keepalive");
        group.until("heartbeats", () -> group.count("keepalive") > before + 2);
        assertFalse(group.requests().stream().anyMatch((line) -> line.matches("commit .*=[1-3].*")),
            () -> group.requests().toString());
    }

    // Behaviour O202, tried 2026-11-29: An acknowledgement is committed at the next interval, also when no records
    // arrive; it wakes the polling thread only if a revocation or a close waits for it.
    @Test
    void shouldCommitAtTheIntervalWhatIsAcknowledged()
    {
        start(settings(INTERVAL_MS));
        assertNothingCommitted();

        acknowledge(0, 1);
        untilCommitted(0, 1);
        acknowledge(0, 2);
        untilCommitted(0, 2);
        acknowledge(1, 2);
        untilCommitted(1, 2);
        assertSame(acknowledgements, consumer().group().acknowledgements());
        assertEquals(List.of(), group.member().errors());
    }

    /** The deadline of the commit ends a wait in which nothing arrives, and nothing was delivered since. */
    // Behaviour O202.
    @Test
    void shouldCommitAtTheIntervalAlthoughNothingArrives()
    {
        start(settings(200).sessionTimeoutMs(60_000).heartbeatIntervalMs(50_000));
        passFrequentHeartbeats();
        group.broker().script(ApiMessageType.FETCH, (call) -> Answer.never());
        acknowledge(0, 1);

        consumer().await(() -> consumer().group().committedOffset(0) == 1, TimeUnit.SECONDS.toNanos(40));

        assertEquals(1, consumer().group().committedOffset(0));
        group.broker().script(ApiMessageType.FETCH, (call) -> null);
    }

    // Behaviour O201.
    @Test
    void shouldWaitBeforeAPartitionIsRevoked()
    {
        start(settings(NEVER_MS));
        group.assign(2, 0);
        group.until("the revocation", () -> consumer().describe().contains("1 draining"));
        acknowledge(1, 1);
        assertNothingCommitted();
        assertTrue(consumer().group().isOwned(1));

        acknowledge(1, 2);
        group.until("revoked", () -> hasEvent("revoked 1 at 2"));

        assertEquals(List.of(), group.member().errors());
        group.until("stable", () -> group.state() == GroupState.STABLE);
    }

    // Behaviour O203.
    @Test
    void shouldCommitByACallWhatIsAcknowledgedOfAPartitionThatIsBeingRevoked()
    {
        start(settings(NEVER_MS));
        group.assign(2, 0);
        group.until("the revocation", () -> consumer().describe().contains("1 draining"));
        acknowledge(1, 1);

        assertTrue(consumer().group().commitSync(TimeUnit.SECONDS.toNanos(30)));

        assertTrue(consumer().group().isOwned(1));
        assertEquals(1, consumer().group().committedOffset(1));
    }

    /** Nothing else ends the wait: neither a response, nor a heartbeat, nor a deadline before that of the handler. */
    // Behaviour O202.
    @Test
    void shouldBeWokenByTheAcknowledgementThatIsMissing() throws InterruptedException
    {
        final AtomicBoolean isAsked = new AtomicBoolean();
        start(settings(NEVER_MS).sessionTimeoutMs(60_000).heartbeatIntervalMs(50_000)
            .revocationHandler((partition, nextOffset, remainingNs) ->
            {
                isAsked.set(true);
                return true;
            }));
        passFrequentHeartbeats();
        group.broker().script(ApiMessageType.FETCH, (call) -> Answer.never());
        final Thread sink = new Thread(() ->
        {
            while (!isAsked.get())
            {
                Thread.onSpinWait();
            }
            acknowledge(0, 2);
            acknowledge(1, 2);
        });
        sink.start();
        consumer().group().leave();

        assertTrue(consumer().await(
            () -> consumer().group().state() == GroupState.LEFT, TimeUnit.SECONDS.toNanos(20)));

        sink.join();
        assertTrue(hasEvent("revoked 0 at 2"), () -> group.member().events().toString());
        assertTrue(hasEvent("revoked 1 at 2"), () -> group.member().events().toString());
        group.broker().script(ApiMessageType.FETCH, (call) -> null);
    }

    // Behaviour O185, O201.
    @Test
    void shouldGiveUpAndCommitWhatIsAcknowledgedWhenTheTimeHasPassed()
    {
        start(settings(NEVER_MS));
        acknowledge(1, 1);
        group.assign(2, 0);
        group.until("the revocation", () -> consumer().describe().contains("1 draining"));
        assertEquals(0, group.member().counter(ConsumerCounters.REVOCATIONS_TIMED_OUT));

        group.skipMs(30_000);
        group.until("revoked", () -> hasEvent("revoked 1 at 1"));

        assertEquals(1, group.member().counter(ConsumerCounters.REVOCATIONS_TIMED_OUT));
        assertEquals(List.of("The application did not acknowledge in time all records of partition 1 up to offset 2; " +
            "the partition is given up, and its next owner may deliver records again."), group.member().errors());
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void shouldAskTheHandlerUntilItIsDoneAndThenWait(final int acknowledgedOffset)
    {
        final List<Boolean> answers = new ArrayList<>();
        final AtomicBoolean isDone = new AtomicBoolean();
        start(settings(NEVER_MS).revocationHandler((partition, nextOffset, remainingNs) ->
        {
            answers.add(isDone.get());
            return isDone.get();
        }));
        acknowledge(1, acknowledgedOffset);
        group.assign(2, 0);
        group.until("the handler", () -> answers.size() > 1);
        assertNothingCommitted();
        isDone.set(true);
        group.until("the handler", () -> answers.contains(true));
        if (acknowledgedOffset < 2)
        {
            assertNothingCommitted();
        }

        acknowledge(1, 2);
        group.until("revoked", () -> hasEvent("revoked 1 at 2"));

        assertEquals(1, answers.stream().filter((done) -> done).count());
    }

    @Test
    void shouldIgnoreWhatIsAcknowledgedOfAnEpochBeforeASeek()
    {
        start(settings(INTERVAL_MS));
        final int earlier = group.member().epoch(0);
        consumer().seek(0, 2);
        group.broker().append(0, "c");
        group.until("a record after the seek", () -> group.member().epoch(0) != earlier);

        acknowledgements.acknowledge(0, earlier, 3);
        assertNothingCommitted();
        acknowledge(0, 3);
        untilCommitted(0, 3);
    }

    /** The records before the seek are not done, and their next owner has to deliver them if this member is killed. */
    // Behaviour O201.
    @Test
    void shouldNotCommitTheOffsetOfASeekBeforeWhatWasDelivered()
    {
        start(settings(INTERVAL_MS));
        consumer().seek(0, 2);
        assertNothingCommitted();

        acknowledge(0, 2);
        untilCommitted(0, 2);
    }

    @Test
    void shouldContinueWhereAPartitionIsSoughtWhileItIsGivenUp()
    {
        start(settings(NEVER_MS));
        group.assign(2, 0);
        group.until("the revocation", () -> consumer().describe().contains("1 draining"));
        consumer().seek(1, 1);
        assertNothingCommitted();

        acknowledge(1, 2);
        group.until("revoked", () -> hasEvent("revoked 1 at 1"));
    }

    @Test
    void shouldReportOnceWhatWasNotDelivered()
    {
        start(settings(INTERVAL_MS));
        acknowledge(0, 3);
        group.until("the event", () -> hasEvent("refused 3 of 0 before 2"));
        assertNothingCommitted();

        assertEquals(1, group.member().counter(ConsumerCounters.ACKNOWLEDGEMENTS_REFUSED));
        acknowledge(0, 2);
        untilCommitted(0, 2);
    }

    @Test
    void shouldNotWaitForAPartitionThatIsLost()
    {
        start(settings(NEVER_MS));
        final int earlier = group.member().epoch(1);
        group.failNext(25);
        group.until("lost", () -> hasEvent("lost 1 at 2"));
        group.until("delivered again", () -> group.member().count() == 8);

        assertNotEquals(earlier, group.member().epoch(1));
        acknowledgements.acknowledge(1, earlier, 2);
        group.assign(2, 0);
        group.until("the revocation", () -> consumer().describe().contains("1 draining"));
        assertNothingCommitted();
        acknowledge(1, 2);
        group.until("revoked", () -> hasEvent("revoked 1 at 2"));
    }

    /** A handler that throws may have passed the record on; it counts as not delivered all the same. */
    @Test
    void shouldCommitARecordWhoseHandlerThrowsOnlyAfterItIsDeliveredAgain()
    {
        start(settings(INTERVAL_MS));
        acknowledge(0, 2);
        acknowledge(1, 2);
        untilCommitted(0, 2);
        untilCommitted(1, 2);
        group.member().failAt(0, 2);
        group.broker().append(0, "c");
        group.until("the stop", () -> consumer().isStopped(0));
        acknowledge(0, 3);
        group.until("the refusal", () -> group.member().counter(ConsumerCounters.ACKNOWLEDGEMENTS_REFUSED) == 1);
        final int before = group.count("keepalive");
        group.until("heartbeats", () -> group.count("keepalive") > before + 2);
        assertEquals(2, consumer().group().committedOffset(0));

        group.member().failAt(-1, -1);
        consumer().resume(0);
        group.until("the record", () -> group.member().count() == 5);
        acknowledge(0, 3);
        group.until("committed", () -> consumer().group().committedOffset(0) == 3);
    }

    // Behaviour O201.
    @Test
    void shouldWaitInACloseAndCommit()
    {
        final AtomicBoolean isAsked = new AtomicBoolean();
        start(settings(NEVER_MS).revocationHandler((partition, nextOffset, remainingNs) ->
        {
            isAsked.set(true);
            return true;
        }));
        final Thread sink = new Thread(() ->
        {
            while (!isAsked.get())
            {
                Thread.onSpinWait();
            }
            acknowledge(0, 2);
            acknowledge(1, 2);
        });
        sink.start();
        consumer().close(TimeUnit.SECONDS.toNanos(60));

        assertTrue(hasEvent("revoked 0 at 2"), () -> group.member().events().toString());
        assertTrue(hasEvent("revoked 1 at 2"), () -> group.member().events().toString());
        assertEquals("leave -1", group.requests().get(group.requests().size() - 1));
        assertEquals(List.of(), group.member().errors());
        acknowledge(0, 2);
    }

    // Behaviour O185.
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldCommitWhatIsAcknowledgedAlthoughTheHandlerIsLateOrThrows(final boolean isLate)
    {
        start(settings(NEVER_MS).revocationHandler((partition, nextOffset, remainingNs) ->
        {
            if (isLate)
            {
                return false;
            }
            throw new IllegalStateException("planted");
        }));
        acknowledge(1, 1);
        group.assign(2, 0);
        group.until("the revocation", () -> consumer().describe().contains("1 draining"));
        assertNothingCommitted();

        group.skipMs(30_000);
        group.until("revoked", () -> hasEvent("revoked 1 at 1"));

        assertEquals(1, group.count("commit 2 {1=1}"), () -> group.requests().toString());
    }

    // Behaviour O201.
    @Test
    void shouldLeaveInACloseWhenNothingIsAcknowledgedInTime()
    {
        final AtomicBoolean isAsked = new AtomicBoolean();
        start(settings(NEVER_MS).revocationHandler((partition, nextOffset, remainingNs) ->
        {
            if (!isAsked.getAndSet(true))
            {
                // The first half of the time is for acknowledgements, the other one for the coordinator.
                group.skipMs(20_000);
            }
            return true;
        }));
        acknowledge(0, 1);
        consumer().close(TimeUnit.SECONDS.toNanos(40));

        assertTrue(hasEvent("revoked 0 at 1"), () -> group.member().events().toString());
        assertEquals("leave -1", group.requests().get(group.requests().size() - 1));
        assertEquals(2, group.member().errors().size(), () -> group.member().errors().toString());
        assertEquals(GroupState.LEFT, group.state());
    }

    @Test
    void shouldTakeAcknowledgementsOnlyByThePolicy()
    {
        group.startStable();
        acknowledgements = (partition, epoch, nextOffset) -> { };

        final String sentence = assertThrows(IllegalStateException.class,
            () -> consumer().group().acknowledgements()).getMessage();

        assertEquals("the commit policy of group scripted-group does not take acknowledgements: set " +
            "CommitPolicy.acknowledged before the consumer connects", sentence);
        group.until("the records", () -> group.member().count() == 4);
    }
}
