// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.group;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.odradek.protocol.ApiKey;
import org.odradek.protocol.ErrorCode;

import java.util.List;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Tests what becomes of offsets that wait, or are in flight, when an answer refuses them or is lost. */
class OffsetCommitsTest extends OffsetCommitsFixture
{
    @Test
    void shouldCommitTheNewerOffsetAfterTheOlderOneWasRefused()
    {
        commits.commit(0, 5, -1);
        assertEquals("{0=5}", send());
        commits.commit(0, 6, -1);

        assertFalse(answer(COORDINATOR_LOAD_IN_PROGRESS));

        assertEquals(6, commits.newestOffset(0));
        assertEquals("{0=6}", send());
        assertTrue(answer(0));
        assertEquals(6, commits.committedOffset(0));
        assertTrue(commits.isIdle());
    }

    @Test
    void shouldForgetTheRefusalOfAnOffsetWhenTheNextOneIsCommitted()
    {
        commits.commit(0, 5, -1);
        send();
        commits.commit(0, 6, -1);
        answer(ErrorCode.TOPIC_AUTHORIZATION_FAILED);
        assertEquals(ErrorCode.TOPIC_AUTHORIZATION_FAILED, commits.errorCode(0));

        send();
        answer(0);
        assertEquals(6, commits.committedOffset(0));
        assertEquals(ErrorCode.NONE, commits.errorCode(0));
    }

    @Test
    void shouldCommitTheNewerOffsetAfterTheAnswerToTheOlderOneWasLost()
    {
        commits.commit(0, 5, -1);
        commits.commit(1, 7, -1);
        assertEquals("{0=5, 1=7}", send());
        commits.commit(0, 6, -1);

        commits.onLost();

        assertEquals("{0=6, 1=7}", send());
        assertTrue(answer(0, 0));
        assertTrue(commits.isIdle());
    }

    // Behaviour M153.
    @Test
    void shouldSendTheLeaderEpochAgainWithItsOffset()
    {
        commits.commit(0, 5, 3);
        send();
        assertEquals(List.of(3), epochs());

        assertFalse(answer(COORDINATOR_LOAD_IN_PROGRESS));
        send();
        assertEquals(List.of(3), epochs());

        commits.onLost();
        send();
        assertEquals(List.of(3), epochs());
    }

    // Behaviour O190.
    @Test
    void shouldGiveUpTheOffsetsOfATopicThatWasCreatedAgain()
    {
        topic.id(1, 1);
        commits.commit(0, 5, -1);
        commits.commit(1, 7, -1);
        send();
        assertTrue(answer(0, 0));
        commits.commit(0, 6, -1);

        topic.id(2, 2);
        commits.checkTopic();

        assertTrue(commits.isIdle());
        assertEquals(INCONSISTENT_TOPIC_ID, commits.errorCode(0));
        assertEquals(0, commits.errorCode(1));
        assertEquals(-1, commits.committedOffset(1));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldGiveUpTheOffsetThatWaitsForAPartitionThatIsGone(final boolean isNewerWaiting)
    {
        commits.commit(0, 5, -1);
        commits.commit(1, 7, -1);
        send();
        assertFalse(answer(UNKNOWN_TOPIC_OR_PARTITION, 0));
        assertNull(commits.takeGone());
        send();
        if (isNewerWaiting)
        {
            commits.commit(0, 6, -1);
        }
        time(TimeUnit.SECONDS.toNanos(61));

        assertFalse(answer(UNKNOWN_TOPIC_OR_PARTITION));

        assertTrue(commits.takeGone().contains("artition 0 "));
        assertEquals(UNKNOWN_TOPIC_OR_PARTITION, commits.errorCode(0));
        assertFalse(commits.isDue());
        assertTrue(commits.isIdle());
        assertEquals(7, commits.committedOffset(1));
    }

    @Test
    void shouldSendTheIdAndTheEpochThatTheMemberHasNow()
    {
        final GroupMember member = join();
        for (int epoch = 1; epoch < 3; epoch++)
        {
            member.memberId("member" + epoch);
            member.onConfirmed(epoch, 0);
            commits.commit(0, epoch, -1);
            send();
            assertEquals("member" + epoch, sent.memberId());
            assertEquals(epoch, sent.generationIdOrMemberEpoch());
        }
    }

    @Test
    void shouldHoldOffsetsUntilTheMemberHasJoined()
    {
        final GroupMember member = join();
        commits.commit(0, 5, -1);
        assertFalse(commits.isDue());

        member.onConfirmed(1, 0);
        assertTrue(commits.isDue());
        send();
        assertFalse(commits.isDue());
    }

    @Test
    void shouldHoldTheOffsetsOfATopicInDoubtForAMinute()
    {
        topic.doubt(0);
        assertFalse(commits.isHeld());
        commits.commit(0, 5, -1);
        time(TimeUnit.MINUTES.toNanos(1));
        assertTrue(commits.isHeld());
        assertFalse(commits.isDue());

        time(TimeUnit.MINUTES.toNanos(1) + 1);
        assertFalse(commits.isHeld());
        assertTrue(commits.isDue());
    }

    @Test
    void shouldForgetWhatIsDiscardedWhereverItIs()
    {
        commits.commit(0, 5, -1);
        commits.commit(1, 7, -1);
        send();
        commits.commit(1, 8, -1);
        commits.commit(2, 9, -1);

        commits.discard(0);
        commits.discard(2);
        commits.discard(3);
        assertFalse(answer(0));
        assertEquals(1, commits.leftOutPartition());
        assertEquals(-1, commits.committedOffset(0));
        assertEquals("{1=8}", send());
        commits.discard(1);

        assertTrue(commits.isIdle());
        assertTrue(answer(0, 0, 0));
        assertEquals(-1, commits.leftOutPartition());
        assertEquals(-1, commits.newestOffset(1));
        assertEquals(-1, commits.committedOffset(2));
    }

    @Test
    void shouldForgetWhatWasCommittedAndRefusedWhenItIsDiscarded()
    {
        commits.commit(0, 5, -1);
        commits.commit(1, 7, -1);
        send();
        assertFalse(answer(0, TOPIC_AUTHORIZATION_FAILED));

        commits.discard(0);
        commits.discard(1);

        assertEquals(-1, commits.committedOffset(0));
        assertEquals(0, commits.errorCode(1));
    }

    @Test
    void shouldKnowNothingOfAPartitionThatWasNotCommitted()
    {
        commits.commit(1, 7, -1);
        for (final int partition : new int[] {0, 2})
        {
            assertFalse(commits.isOutstanding(partition));
            assertEquals(-1, commits.newestOffset(partition));
            assertEquals(-1, commits.committedOffset(partition));
            assertEquals(0, commits.errorCode(partition));
        }
        assertEquals(-1, commits.committedOffset(-1));
        assertEquals(0, commits.errorCode(-1));
        assertTrue(commits.isOutstanding(1));
    }

    @Test
    void shouldReplaceAnOffsetThatWaits()
    {
        commits.commit(0, 5, -1);
        commits.commit(0, 6, -1);
        assertFalse(commits.isIdle());
        assertEquals(6, commits.newestOffset(0));

        assertEquals("{0=6}", send());

        assertFalse(commits.isIdle());
        assertEquals(6, commits.newestOffset(0));
        assertTrue(answer(0));
        assertEquals(6, commits.newestOffset(0));
        assertTrue(commits.isIdle());
    }

    @Test
    void shouldGiveUpOnlyWhatWaitsWhenItFails()
    {
        commits.commit(0, 5, -1);
        send();
        commits.commit(1, 7, -1);
        commits.commit(2, 9, -1);

        commits.fail(ApiKey.FIND_COORDINATOR, (short)TOPIC_AUTHORIZATION_FAILED);

        assertFalse(commits.isDue());
        assertTrue(commits.isOutstanding(0));
        assertEquals(0, commits.errorCode(0));
        assertEquals(TOPIC_AUTHORIZATION_FAILED, commits.errorCode(1));
        assertEquals(TOPIC_AUTHORIZATION_FAILED, commits.errorCode(2));
        assertTrue(answer(0));
        assertTrue(commits.isIdle());
    }

    @Test
    void shouldKeepTheOffsetsWhenTheIdOfTheTopicBecomesKnown()
    {
        commits.commit(0, 5, -1);
        assertEquals(FIRST_VERSION_WITH_TOPIC_ID - 1, commits.version(FIRST_VERSION_WITH_TOPIC_ID));

        topic.id(1, 1);
        commits.checkTopic();

        assertEquals(FIRST_VERSION_WITH_TOPIC_ID, commits.version(FIRST_VERSION_WITH_TOPIC_ID));
        assertEquals(VERSION, commits.version(VERSION));
        assertEquals("{0=5}", send());
    }

    @Test
    void shouldBeIdleWhenItFailsAfterAnAnswerWasLost()
    {
        commits.commit(0, 5, -1);
        send();
        commits.onLost();
        commits.fail(ApiKey.FIND_COORDINATOR, (short)TOPIC_AUTHORIZATION_FAILED);
        assertTrue(commits.isIdle());
        assertFalse(commits.isOutstanding(0));
    }
}
