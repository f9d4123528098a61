// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.group;

import org.apache.kafka.common.message.ApiMessageType;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.odradek.client.TransportType;
import org.odradek.client.support.ForwardingPoller;
import org.odradek.consumer.CommitPolicy;
import org.odradek.consumer.ConsumerContext;
import org.odradek.consumer.GroupSettings;
import org.odradek.consumer.handler.GroupProtocol;
import org.odradek.consumer.support.ScriptedClassicGroup;
import org.odradek.consumer.support.ScriptedCoordinator;
import org.odradek.consumer.support.ScriptedGroup;
import org.odradek.harness.Answer;

import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Tests closes that have no time, or whose time has passed: the member commits and leaves all the same. */
class LateCloseTest
{
    private static final CommitPolicy AT_THE_END = CommitPolicy.delivered(10_000_000);
    private static final long TIMEOUT_NS = TimeUnit.SECONDS.toNanos(30);

    private ScriptedCoordinator coordinator;

    @AfterEach
    void close()
    {
        coordinator.close();
    }

    /** Heartbeats are rare, so none is in flight. */
    private ScriptedGroup startConsumer(final GroupSettings settings)
    {
        final ScriptedGroup group = new ScriptedGroup();
        coordinator = group;
        start(settings);
        return group;
    }

    private void start(final GroupSettings settings)
    {
        coordinator.start(settings.commitPolicy(AT_THE_END));
        coordinator.untilStable();
        coordinator.until("the records", () -> coordinator.member().count() == 4);
        coordinator.forgetRequests();
    }

    private void awaitRequests(final String... expected)
    {
        awaitRequest(expected[expected.length - 1]);
        assertEquals(List.of(expected), coordinator.requests().stream()
            .filter((line) -> !line.startsWith("keepalive") && !line.startsWith("heartbeat")).toList());
    }

    private void awaitRequest(final String last)
    {
        final long deadlineNs = System.nanoTime() + TIMEOUT_NS;
        while (coordinator.count(last) == 0 && deadlineNs - System.nanoTime() > 0)
        {
            LockSupport.parkNanos(1_000_000);
        }
    }

    // Behaviour B30, O177.
    @Test
    void shouldCommitAndLeaveWithoutAnyTime()
    {
        startConsumer(new GroupSettings(ScriptedGroup.GROUP));

        assertTrue(coordinator.member().consumer().close(0));

        awaitRequests("commit 1 {0=2, 1=2}", "leave -1");
        assertEquals(List.of(), coordinator.member().owned());
        // A coordinator that is slow may not have read them when the close returns.
        assertEquals(List.of(), coordinator.member().errors().stream()
            .filter((error) -> !error.startsWith("The time to close has passed")).toList());
    }

    @Test
    void shouldCommitAndLeaveAsAClassicMember()
    {
        coordinator = new ScriptedClassicGroup();
        start(new GroupSettings(ScriptedClassicGroup.GROUP).protocol(GroupProtocol.CLASSIC)
            .heartbeatIntervalMs(10_000));

        assertTrue(coordinator.member().consumer().close(0));

        awaitRequests("commit 1 m1 {0=2, 1=2}", "leave m1");
    }

    /** Only the response to the join contains the id with which the member leaves. */
    @Test
    void shouldReportThatAClassicMemberCannotLeaveWithoutTheResponseToItsJoin()
    {
        final ScriptedClassicGroup group = new ScriptedClassicGroup();
        coordinator = group;
        group.answerNext(ApiMessageType.JOIN_GROUP, (call) -> Answer.never());
        group.start(ScriptedClassicGroup.settings());
        group.untilRequest("join");

        assertTrue(group.member().consumer().close(0));

        assertEquals(0, group.count("leave"));
        assertEquals(1, group.member().errors().size(), group.member().errors()::toString);
        assertTrue(group.member().errors().get(0).contains("may not have received the last offsets and the leave"));
    }

    /** It sends no leave, so that it can come back within its session. */
    // Behaviour O177.
    @Test
    void shouldCommitAsAStaticClassicMember()
    {
        coordinator = new ScriptedClassicGroup();
        start(new GroupSettings(ScriptedClassicGroup.GROUP).protocol(GroupProtocol.CLASSIC).instanceId("instance")
            .heartbeatIntervalMs(10_000));

        assertTrue(coordinator.member().consumer().close(0));

        awaitRequests("commit 1 m1 {0=2, 1=2}");
    }

    // Behaviour O177.
    @Test
    void shouldCommitAndLeaveAfterARevocationHandlerThatTakesLongerThanTheClose()
    {
        startConsumer(new GroupSettings(ScriptedGroup.GROUP).revocationHandler((partition, nextOffset, remainingNs) ->
        {
            coordinator.skipMs(3_000);
            return true;
        }));

        assertTrue(coordinator.member().consumer().close(TimeUnit.SECONDS.toNanos(5)));

        awaitRequest("leave -1");
        final String commits = coordinator.requests().toString();
        assertTrue(commits.contains("0=2") && commits.contains("1=2"), commits);
    }

    // Behaviour O177.
    @Test
    void shouldReportThatTheCoordinatorMayNotHaveReceivedTheLeave()
    {
        startConsumer(new GroupSettings(ScriptedGroup.GROUP));
        coordinator.broker().peer().cut();

        assertTrue(coordinator.member().consumer().close(0));

        assertEquals(List.of("The time to close has passed, and the coordinator of group " + ScriptedGroup.GROUP +
            " may not have received the last offsets and the leave: without it, no member has the partitions until " +
            "the session expires."), coordinator.member().errors());
    }

    // Behaviour O177.
    @Test
    void shouldLeaveBehindACommitThatIsNotAnswered()
    {
        startConsumer(new GroupSettings(ScriptedGroup.GROUP));
        coordinator.broker().script(ApiMessageType.OFFSET_COMMIT, (call) ->
        {
            coordinator.keep("commit");
            coordinator.skipMs(10_000);
            return Answer.never();
        });

        assertTrue(coordinator.member().consumer().close(TimeUnit.SECONDS.toNanos(5)));

        awaitRequests("commit", "leave -1");
    }

    /** An interrupt would end each wait for the coordinator at once, so the close would not wait but spin. */
    // Behaviour O177.
    @Test
    void shouldWaitForTheCoordinatorOnAThreadThatACallbackInterrupts()
    {
        final ScriptedGroup group = new ScriptedGroup();
        coordinator = group;
        final CountDownLatch isClosed = new CountDownLatch(1);
        group.broker().script(ApiMessageType.OFFSET_COMMIT, (call) ->
        {
            awaitClose(isClosed);
            return Answer.never();
        });
        final CountingPoller poller = new CountingPoller();
        group.start(new GroupSettings(ScriptedGroup.GROUP).commitPolicy(AT_THE_END)
            .revocationHandler((partition, nextOffset, remainingNs) ->
            {
                Thread.currentThread().interrupt();
                return true;
            }), poller);
        group.untilStable();
        group.until("the records", () -> group.member().count() == 4);
        poller.waits = 0;

        assertTrue(group.member().consumer().close(0));
        isClosed.countDown();

        assertTrue(Thread.interrupted(), "the flag is set again");
        assertTrue(poller.waits > 0);
        assertEquals(0, poller.interruptedWaits);
        poller.close();
    }

    private static void awaitClose(final CountDownLatch isClosed)
    {
        try
        {
            isClosed.await();
        }
        catch (final InterruptedException ex)
        {
            throw new IllegalStateException(ex);
        }
    }

    private static final class CountingPoller extends ForwardingPoller
    {
        private int waits;
        private int interruptedWaits;

        CountingPoller()
        {
            super(ConsumerContext.openPoller(TransportType.NIO));
        }

        @Override
        public int await(final long timeoutNs)
        {
            waits++;
            interruptedWaits += Thread.currentThread().isInterrupted() ? 1 : 0;
            return super.await(timeoutNs);
        }
    }
}
