// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.group;

import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.message.HeartbeatResponseData;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.odradek.consumer.CommitPolicy;
import org.odradek.consumer.handler.ConsumerCounters;
import org.odradek.consumer.handler.GroupState;
import org.odradek.consumer.support.ScriptedClassicGroup;
import org.odradek.harness.Answer;

import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Tests how a member of a classic group gives partitions up: in time, late, and while nobody confirms its membership.
 */
class ClassicRevocationTest
{
    private static final List<Integer> BOTH = List.of(0, 1);

    private final ScriptedClassicGroup group = new ScriptedClassicGroup();

    @AfterEach
    void close()
    {
        group.close();
    }

    // Everything is given up and committed with the old generation before the join.
    // Behaviour O193, tried 2026-11-29: In a rebalance all partitions are revoked and committed before the member joins
    // again; heartbeats continue meanwhile.
    @Test
    void shouldGiveEverythingUpBeforeItJoinsAgain()
    {
        group.startStable();
        group.until("the records", () -> group.member().count() == 4);
        group.forgetRequests();
        group.rebalance(1, 2);
        group.until("the other partitions",
            () -> group.member().owned().equals(List.of(1, 2)) && group.state() == GroupState.STABLE);
        assertEquals(List.of("commit 1 m1 {0=2, 1=2}", "join m1", "sync 2"), group.changes().subList(0, 3));
        assertTrue(group.member().events().containsAll(List.of("revoked 0 at 2", "revoked 1 at 2")),
            group.member().events()::toString);
        assertEquals(0, group.member().counter(ConsumerCounters.PARTITIONS_LOST));
    }

    // The coordinator waits for the join. The clock stands still, so nothing else can be due.
    // Behaviour O193.
    @Test
    void shouldJoinAtOnceAfterAHeartbeatThatCrossedTheEndOfGivingUp()
    {
        final AtomicBoolean isDone = new AtomicBoolean();
        final AtomicLong nowNs = new AtomicLong(System.nanoTime());
        group.start(ScriptedClassicGroup.settings().heartbeatIntervalMs(3_000).commitPolicy(CommitPolicy.explicit())
            .revocationHandler((partition, next, remainingNs) -> isDone.get()), nowNs::get);
        group.untilStable();
        group.forgetRequests();
        group.rebalance(2);
        nowNs.addAndGet(TimeUnit.SECONDS.toNanos(3));
        // The interval begins with the answer.
        pollUntil(() -> group.count("heartbeat 1") == 2 &&
            !group.member().consumer().describe().contains("HEARTBEAT in flight"));
        final Semaphore permits = new Semaphore(0);
        group.answerNext(ApiMessageType.HEARTBEAT, (call) -> call.answer(
            new HeartbeatResponseData().setErrorCode((short)27)).inPieces(Integer.MAX_VALUE, permits));
        nowNs.addAndGet(TimeUnit.SECONDS.toNanos(3));
        pollUntil(() -> group.count("heartbeat 1") == 3);

        isDone.set(true);
        pollUntil(() -> group.member().owned().isEmpty());
        permits.release();
        pollUntil(() -> group.count("join") == 1);

        assertEquals(List.of("heartbeat 1", "heartbeat 1", "heartbeat 1", "join m1"), group.requests().subList(0, 4));
    }

    /** Polls without waiting, because a wait does not end while the clock stands still. */
    private void pollUntil(final BooleanSupplier condition)
    {
        while (!condition.getAsBoolean())
        {
            assertFalse(Thread.interrupted(), () -> "timed out: requests " + group.requests());
            group.member().consumer().poll(group.member(), 1_000, 0);
            Thread.yield();
        }
    }

    // Behaviour O193.
    @Test
    void shouldSendHeartbeatsAndNoJoinWhileTheHandlerIsNotDone()
    {
        final AtomicBoolean isDone = new AtomicBoolean();
        group.start(ScriptedClassicGroup.settings().revocationHandler((partition, next, remainingNs) -> isDone.get()));
        group.untilStable();
        group.forgetRequests();
        group.rebalance(2);
        group.until("heartbeats", () -> group.count("heartbeat 1") > 5);
        assertEquals(0, group.count("join") + group.count("commit"));
        isDone.set(true);
        group.until("the other partition", () -> group.member().owned().equals(List.of(2)));
    }

    // The time passes while the answer to the heartbeat is on its way: a process that was suspended reads it so.
    // Behaviour O193.
    @ParameterizedTest
    @ValueSource(ints = {0, 25})
    void shouldAskWhetherItIsStillAMemberBeforeItGivesPartitionsUp(final int code)
    {
        group.start(ScriptedClassicGroup.settings().heartbeatIntervalMs(1_000).sessionTimeoutMs(4_500)
            .revocationTimeoutMs(100_000).commitPolicy(CommitPolicy.explicit()));
        group.untilStable();
        group.answerNext(ApiMessageType.HEARTBEAT, (call) ->
        {
            group.skipMs(5_000);
            return null;
        });
        if (code != 0)
        {
            group.failNext(ApiMessageType.HEARTBEAT, code);
        }
        group.rebalance(2);
        group.skipMs(1_000);
        group.until("the other partition", () -> group.member().owned().equals(List.of(2)));
        final int lost = code == 0 ? 0 : 2;
        assertEquals(lost, group.member().counter(ConsumerCounters.PARTITIONS_LOST));
        assertEquals(2 - lost, group.member().counter(ConsumerCounters.PARTITIONS_REVOKED));
    }

    // The partitions may be another's by now, although nobody has said so.
    @Tag("seconds")
    @Test
    void shouldLoseWhatItCouldNotGiveUpBecauseTheCoordinatorIsSilent()
    {
        group.start(ScriptedClassicGroup.settings().revocationTimeoutMs(40_000));
        group.untilStable();
        group.until("the records", () -> group.member().count() == 4);
        group.answerNext(ApiMessageType.OFFSET_COMMIT, (call) ->
        {
            // Nor is the heartbeat after it.
            group.answerNext(ApiMessageType.HEARTBEAT, (next) -> Answer.never());
            return Answer.never();
        });
        group.rebalance(2);
        group.untilRequest("commit 1");
        group.skipMs(15_000);
        group.poll(2);
        assertEquals(BOTH, group.member().owned());
        group.skipMs(25_000);
        group.poll(1);
        assertEquals(List.of(), group.member().owned());
        assertTrue(group.member().events().containsAll(List.of("lost 0 at 2", "lost 1 at 2")),
            group.member().events()::toString);
        assertEquals(0, group.member().counter(ConsumerCounters.PARTITIONS_REVOKED));
    }
}
