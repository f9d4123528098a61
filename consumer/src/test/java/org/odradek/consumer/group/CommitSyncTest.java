// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.group;

import org.agrona.collections.MutableLong;
import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.message.OffsetCommitRequestData;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.odradek.client.ClientException;
import org.odradek.consumer.CommitPolicy;
import org.odradek.consumer.GroupMembership;
import org.odradek.consumer.support.OneTopicBroker;
import org.odradek.consumer.support.ScriptedGroup;
import org.odradek.harness.Answer;
import org.odradek.protocol.ErrorCode;
import org.odradek.testkit.AllocationMeter;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Tests a commit that waits for its answer. */
class CommitSyncTest
{
    private static final long WAIT_NS = TimeUnit.SECONDS.toNanos(30);

    private final ScriptedGroup group = new ScriptedGroup();

    @AfterEach
    void close()
    {
        group.close();
    }

    private GroupMembership start(final CommitPolicy policy)
    {
        group.start(ScriptedGroup.settings().commitPolicy(policy));
        group.untilStable();
        group.until("the records", () -> group.member().count() == 4);
        return group.member().consumer().group();
    }

    // Behaviour O203.
    @Test
    void shouldCommitWhatWasDelivered()
    {
        final GroupMembership membership = start(CommitPolicy.delivered(1_000_000));

        assertTrue(membership.commitSync(WAIT_NS));

        assertEquals(2, membership.committedOffset(0));
        assertEquals(2, membership.committedOffset(1));
        final int count = group.count("commit");
        assertTrue(membership.commitSync(WAIT_NS));
        assertEquals(count, group.count("commit"), "nothing is new");
    }

    @Test
    void shouldCommitOnlyWhatWasPassedIfCommitsAreExplicit()
    {
        final GroupMembership membership = start(CommitPolicy.explicit());

        assertTrue(membership.commitSync(WAIT_NS));
        assertTrue(membership.commitSync(WAIT_NS));
        assertEquals(0, group.count("commit"));
        assertEquals(1, group.member().errors().size(), group.member().errors()::toString);
        assertTrue(group.member().errors().get(0).contains("has nothing to commit"), group.member().errors()::toString);
        membership.commitAsync(1, 1);
        assertTrue(membership.commitSync(WAIT_NS));

        assertEquals(GroupMembership.NULL_OFFSET, membership.committedOffset(0));
        assertEquals(1, membership.committedOffset(1));
    }

    static Stream<CommitPolicy> othersThanExplicit()
    {
        return Stream.of(CommitPolicy.delivered(1_000_000), CommitPolicy.acknowledged(1_000_000));
    }

    @ParameterizedTest
    @MethodSource("othersThanExplicit")
    void shouldRefuseAnOffsetUnlessCommitsAreExplicit(final CommitPolicy policy)
    {
        final GroupMembership membership = start(policy);

        assertEquals("the commit policy of group " + ScriptedGroup.GROUP + " is " + policy + ", which commits its " +
            "own offsets: set CommitPolicy.explicit() before the consumer connects, or use commitSync",
            assertThrows(IllegalStateException.class, () -> membership.commitAsync(0, 1)).getMessage());
        assertTrue(membership.areCommitsDone());
        assertTrue(membership.commitSync(WAIT_NS));
        // A close would wait for acknowledgements.
        group.member().consumer().close(0);
    }

    // Behaviour O203.
    @Test
    void shouldRepeatACommitAfterARetriableError()
    {
        final GroupMembership membership = start(CommitPolicy.explicit());
        group.failCommits(14, 14);
        membership.commitAsync(0, 1);

        assertTrue(membership.commitSync(WAIT_NS));

        assertEquals(3, group.count("commit"));
        assertEquals(1, membership.committedOffset(0));
    }

    // Behaviour O204, tried 2026-11-29: `commitSync` throws an exception if the coordinator has refused a commit, or if
    // commits were discarded because the member no longer owns their partitions. The exception names the partitions.
    @Test
    void shouldThrowIfTheCoordinatorRefuses()
    {
        final GroupMembership membership = start(CommitPolicy.explicit());
        group.failCommits((int)ErrorCode.TOPIC_AUTHORIZATION_FAILED);
        membership.commitAsync(0, 1);

        assertEquals("The commit of partition 0 under group " + ScriptedGroup.GROUP +
            " was refused: TOPIC_AUTHORIZATION_FAILED.",
            assertThrows(ClientException.class, () -> membership.commitSync(WAIT_NS)).getMessage());
        assertEquals(1, group.member().errors().size(), group.member().errors()::toString);
        membership.commitAsync(0, 2);
        assertTrue(membership.commitSync(WAIT_NS));
    }

    // Behaviour O204.
    @Test
    void shouldThrowIfTheCoordinatorHasRefusedACommitOfAPartitionThatWasRevoked()
    {
        final GroupMembership membership = start(CommitPolicy.explicit());
        group.failCommits((int)ErrorCode.TOPIC_AUTHORIZATION_FAILED);
        membership.commitAsync(0, 1);
        group.assign(2, 1);
        group.until("the revocation", () -> !membership.isOwned(0));

        assertTrue(assertThrows(ClientException.class, () -> membership.commitSync(WAIT_NS)).getMessage().startsWith(
            "The commits of partitions [0] under group " + ScriptedGroup.GROUP + " were discarded"));
        assertTrue(membership.commitSync(WAIT_NS));
    }

    // Behaviour O203.
    @Test
    void shouldReturnWhenTheTimeHasPassedAndCommitLater()
    {
        final GroupMembership membership = start(CommitPolicy.explicit());
        group.broker().script(ApiMessageType.OFFSET_COMMIT, (call) -> Answer.never());
        membership.commitAsync(0, 1);

        assertFalse(membership.commitSync(0));
        assertFalse(membership.commitSync(1_000_000));
        group.member().consumer().wakeup();
        assertFalse(membership.commitSync(Long.MAX_VALUE / 4));
        assertFalse(membership.areCommitsDone());
        answerAgain();
        group.until("the commit", membership::areCommitsDone);
        assertEquals(1, membership.committedOffset(0));
    }

    /** Before Kafka 4.1 a commit names the topic only by its name, which another topic may have by now. */
    @Test
    void shouldWaitForMetadataAfterALeaderThatDoesNotKnowTheIdOfTheTopic()
    {
        final GroupMembership membership = start(CommitPolicy.explicit());
        group.broker().script(ApiMessageType.METADATA, (call) -> Answer.never());
        group.broker().script(0, (requested) -> OneTopicBroker.error(0, ErrorCode.UNKNOWN_TOPIC_ID));
        final int fetches = group.broker().fetchCount(0);
        group.until("two errors", () -> group.broker().fetchCount(0) >= fetches + 2);
        membership.commitAsync(0, 1);
        final int heartbeats = group.requests().size();
        group.until("heartbeats", () -> group.requests().size() >= heartbeats + 5);
        assertEquals(0, group.count("commit"));

        group.broker().script(ApiMessageType.METADATA, (call) -> null);
        group.broker().heal(0);
        group.broker().peer().cut();

        assertTrue(membership.commitSync(WAIT_NS));
        assertEquals(1, membership.committedOffset(0));
    }

    private void answerAgain()
    {
        group.broker().script(ApiMessageType.OFFSET_COMMIT, (call) ->
            call.answer(ScriptedGroup.committed((OffsetCommitRequestData)call.request(), 0)));
        group.broker().peer().cut();
    }

    // Behaviour O203.
    @Test
    void shouldWaitUntilTheRevocationHandlerHasDecided()
    {
        final AtomicBoolean isDone = new AtomicBoolean();
        group.start(ScriptedGroup.settings().commitPolicy(CommitPolicy.delivered(1_000_000))
            .revocationHandler((partition, nextOffset, remainingNs) -> isDone.get()));
        group.untilStable();
        group.until("the records", () -> group.member().count() == 4);
        final GroupMembership membership = group.member().consumer().group();
        group.assign(2, 0);
        group.until("the revocation", () -> group.member().consumer().describe().contains("1 draining"));

        assertFalse(membership.commitSync(1_000_000));
        isDone.set(true);
        assertTrue(membership.commitSync(WAIT_NS));

        assertTrue(group.requests().stream().anyMatch((line) -> line.matches("commit .*1=2.*")),
            group.requests()::toString);
    }

    // Behaviour O203.
    @Test
    void shouldReturnAtOnceIfTheThreadIsInterrupted()
    {
        final GroupMembership membership = start(CommitPolicy.explicit());
        group.broker().script(ApiMessageType.OFFSET_COMMIT, (call) -> Answer.never());
        membership.commitAsync(0, 1);

        Thread.currentThread().interrupt();
        try
        {
            assertFalse(membership.commitSync(Long.MAX_VALUE / 4));
        }
        finally
        {
            assertTrue(Thread.interrupted());
        }
        answerAgain();
    }

    // Behaviour O204.
    @Test
    void shouldThrowAfterTheLossOfThePartitions()
    {
        final GroupMembership membership = start(CommitPolicy.explicit());
        group.failCommits((int)ErrorCode.UNKNOWN_MEMBER_ID);
        group.failNext(ErrorCode.UNKNOWN_MEMBER_ID);
        membership.commitAsync(0, 1);

        assertDiscarded("[0]", membership);

        assertTrue(group.count("commit") <= 1, "it is not sent again");
        assertTrue(group.member().events().contains("lost 0 at 2"), group.member().events()::toString);
        assertTrue(membership.commitSync(WAIT_NS), "it is thrown once");
    }

    // Behaviour O204.
    @Test
    void shouldThrowIfThePartitionsWereLostInAPollBefore()
    {
        final GroupMembership membership = start(CommitPolicy.explicit());
        group.failCommits((int)ErrorCode.UNKNOWN_MEMBER_ID);
        group.failNext(ErrorCode.UNKNOWN_MEMBER_ID);
        membership.commitAsync(0, 1);
        membership.commitAsync(1, 1);
        group.until("the loss", () -> group.member().events().contains("lost 1 at 2"));

        assertDiscarded("[0, 1]", membership);
    }

    // Behaviour O204.
    @Test
    void shouldThrowOnlyWhatItCommitsWithAnInterval()
    {
        final GroupMembership membership = start(CommitPolicy.delivered(1));
        group.failCommits((int)ErrorCode.UNKNOWN_MEMBER_ID);
        group.broker().append(0, "c");
        group.until("the record", () -> group.member().consumer().nextOffset(0) == 3);
        group.failNext(ErrorCode.UNKNOWN_MEMBER_ID);
        group.until("the loss", () -> group.member().events().contains("lost 0 at 3"));
        group.until("the partitions again", () -> membership.isOwned(0) && membership.isOwned(1));

        assertTrue(membership.commitSync(WAIT_NS));
    }

    private static void assertDiscarded(final String partitions, final GroupMembership membership)
    {
        assertEquals("The commits of partitions " + partitions + " under group " + ScriptedGroup.GROUP + " were " +
            "discarded, because this member does not own them any more; their next owner may deliver records again.",
            assertThrows(ClientException.class, () -> membership.commitSync(WAIT_NS)).getMessage());
    }

    // Behaviour O203.
    @Test
    void shouldNotAllocate()
    {
        final GroupMembership membership = start(CommitPolicy.explicit());
        final MutableLong offset = new MutableLong();
        assertEquals(0, new AllocationMeter().leastBytes(100, () ->
        {
            for (int i = 0; i < 50; i++)
            {
                membership.commitAsync(0, offset.incrementAndGet());
                membership.commitSync(WAIT_NS);
            }
        }));
        assertEquals(offset.get(), membership.committedOffset(0));
    }
}
