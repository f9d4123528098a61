// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.group;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.odradek.consumer.CommitPolicy;
import org.odradek.consumer.GroupOffsets;
import org.odradek.consumer.TopicConsumer;
import org.odradek.consumer.handler.GroupState;
import org.odradek.consumer.support.ScriptedGroup;
import org.odradek.harness.Answer;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Tests what keepAlive does inside a handler, and what it leaves to the next poll. */
class KeepAliveTest
{
    private static final List<Integer> BOTH = List.of(0, 1);

    private final ScriptedGroup group = new ScriptedGroup();
    private boolean hasRun;

    @AfterEach
    void close()
    {
        group.close();
    }

    /** Has all records delivered and committed, and nothing due but heartbeats. */
    private void start(final CommitPolicy policy)
    {
        group.start(ScriptedGroup.settings().commitPolicy(policy));
        group.untilStable();
        group.until("the records", () -> group.member().count() == 4);
        group.forgetRequests();
    }

    private TopicConsumer consumer()
    {
        return group.member().consumer();
    }

    /** Runs something in the handler of a record of partition 0, then keeps the member alive until something holds. */
    private void inHandler(final Runnable task, final BooleanSupplier until)
    {
        group.member().slowRecord(() ->
        {
            if (!hasRun)
            {
                hasRun = true;
                task.run();
            }
            return until.getAsBoolean() || Thread.currentThread().isInterrupted();
        });
        group.broker().append(0, "c");
        group.until("the record", () -> group.member().count() > 4);
    }

    /** The record in progress is counted already, so its offset must not be collected. */
    // Behaviour O184.
    @Test
    void shouldCollectNoOffsets()
    {
        final List<String> requests = new ArrayList<>();
        start(CommitPolicy.delivered(1));
        group.until("the commits", () ->
            consumer().group().committedOffset(0) == 2 && consumer().group().committedOffset(1) == 2);

        inHandler(group::forgetRequests, () -> group.count("keepalive") > 3);
        requests.addAll(group.requests());

        assertEquals(List.of("keepalive 1"), requests.stream().distinct().toList());
        assertEquals(3, consumer().nextOffset(0));
        group.untilRequest("commit 1 {0=3}");
    }

    @Test
    void shouldSendTheCommitsThatWait()
    {
        start(CommitPolicy.explicit());

        inHandler(() -> consumer().group().commitAsync(0, 2), () -> consumer().group().areCommitsDone());

        assertEquals(2, consumer().group().committedOffset(0));
        assertEquals(1, group.count("commit 1 {0=2}"));
    }

    // Behaviour O184.
    @Test
    void shouldTakeAndGiveUpNothing()
    {
        final List<String> before = new ArrayList<>();
        final List<String> after = new ArrayList<>();
        start(CommitPolicy.delivered(60_000));

        inHandler(
            () ->
            {
                before.add(state());
                group.assign(2, 0, 2);
            },
            () ->
            {
                final boolean isEnded = group.count("keepalive 2") > 1;
                if (isEnded)
                {
                    after.add(state());
                    after.add(consumer().group().state().toString());
                }
                return isEnded;
            });

        assertEquals(List.of(before.get(0), "RECONCILING"), after);
        assertEquals(0, group.count("commit") + group.count("owned"));
        group.until("the other partition", () -> group.member().owned().equals(List.of(0, 2)));
        assertTrue(group.member().events().contains("revoked 1 at 2"), group.member().events()::toString);
    }

    private String state()
    {
        return consumer().isAssigned(0) + " " + consumer().isAssigned(1) + " " + consumer().isAssigned(2) + " " +
            group.member().owned() + " " + group.member().events().stream()
            .filter((event) -> event.contains("assigned") || event.contains("revoked") || event.contains("lost"))
            .toList();
    }

    /** Everything is lost only in the next poll, although the coordinator has answered that it is. */
    @Test
    void shouldLoseNothing()
    {
        final List<Integer> owned = new ArrayList<>();
        start(CommitPolicy.explicit());

        inHandler(() -> group.failNext(25), () ->
        {
            owned.clear();
            owned.addAll(group.member().owned());
            return group.state() == GroupState.FENCED;
        });

        assertEquals(BOTH, owned);
        group.until("lost", () -> group.member().events().contains("lost 0 at 3"));
    }

    @Test
    void shouldFindTheCoordinatorAgain()
    {
        start(CommitPolicy.delivered(60_000));

        inHandler(() -> group.answerNext((call) -> Answer.reset()), () -> group.count("full 1 [0, 1]") > 0 &&
            group.after("full 1 [0, 1]").contains("keepalive 1"));

        assertEquals(BOTH, group.member().owned());
    }

    /** A callback that the coordinator's connection calls must not have it advance inside itself. */
    @Test
    void shouldDoNothingInACallbackOfItsOwnConnection()
    {
        final AtomicInteger calls = new AtomicInteger();
        start(CommitPolicy.delivered(60_000));
        group.member().whenError(() ->
        {
            calls.incrementAndGet();
            consumer().keepAlive();
        });
        group.answerNext((call) -> Answer.reply(new byte[] {0, 0, 0}));

        group.untilRequest("full 1 [0, 1]");
        group.until("stable", () -> group.state() == GroupState.STABLE);

        assertEquals(1, calls.get());
        assertEquals(BOTH, group.member().owned());
    }

    /** Other groups' connections are not advanced, whose commits wait for the next poll. */
    @Test
    void shouldLeaveOtherConnectionsAlone()
    {
        start(CommitPolicy.delivered(60_000));
        final GroupOffsets other = consumer().groupOffsets("other");

        inHandler(() -> other.commitAsync(0, 1), () -> group.count("keepalive") > 2);

        assertEquals(0, group.count("commit"));
        group.untilRequest("commit -1 {0=1}");
    }
}
