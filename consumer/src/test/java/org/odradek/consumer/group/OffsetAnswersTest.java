// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.group;

import org.apache.kafka.common.message.OffsetCommitResponseData;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.odradek.consumer.handler.ConsumerCounters;
import org.odradek.protocol.WireFormatException;

import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Tests what an answer to a commit leaves out, refuses, or says of what is not in flight. */
class OffsetAnswersTest extends OffsetCommitsFixture
{
    @Test
    void shouldReportTheFirstErrorWhateverFollows()
    {
        commits.commit(0, 5, -1);
        commits.commit(1, 7, -1);
        commits.commit(2, 9, -1);
        send();

        assertFalse(answer(TOPIC_AUTHORIZATION_FAILED, COORDINATOR_LOAD_IN_PROGRESS, 0));

        assertEquals(TOPIC_AUTHORIZATION_FAILED, commits.errorCode());
        assertEquals(TOPIC_AUTHORIZATION_FAILED, commits.errorCode(0));
        assertEquals("{1=7}", send());
        assertTrue(answer(0, 0));
    }

    @Test
    void shouldForgetARefusalWithTheNextCommit()
    {
        commits.commit(0, 5, -1);
        send();
        assertFalse(answer(TOPIC_AUTHORIZATION_FAILED));
        assertEquals(TOPIC_AUTHORIZATION_FAILED, commits.errorCode(0));

        commits.commit(0, 6, -1);

        assertEquals(0, commits.errorCode(0));
    }

    @Test
    void shouldCommitAgainWhatAnAnswerLeavesOut()
    {
        commits.commit(0, 5, -1);
        commits.commit(1, 7, -1);
        send();

        assertFalse(answer(0));

        assertEquals(1, commits.leftOutPartition());
        assertEquals(5, commits.committedOffset(0));
        assertEquals("{1=7}", send());
    }

    @Test
    void shouldNotBelieveAnAnswerAboutAnotherTopic()
    {
        commits.commit(0, 5, -1);
        send();

        assertFalse(exchange.answer(commits, response("other", 0)));

        assertEquals(0, commits.leftOutPartition());
        assertEquals(-1, commits.committedOffset(0));
        assertEquals("{0=5}", send());
    }

    /** One known partition shows that the topic exists. */
    @Test
    void shouldDoubtTheTopicOnlyIfNoPartitionIsKnown()
    {
        commits.commit(0, 5, -1);
        commits.commit(1, 7, -1);
        send();
        assertFalse(answer(UNKNOWN_TOPIC_OR_PARTITION, 0));
        assertFalse(topic.isInDoubt());
        assertTrue(commits.isDue());

        send();
        assertFalse(answer(UNKNOWN_TOPIC_OR_PARTITION));
        assertTrue(topic.isInDoubt());
        assertFalse(commits.isDue());
    }

    /** Without a member nothing tells when the group would take the offset, so it is not sent again. */
    @ParameterizedTest
    @ValueSource(ints = {22, 25, 27, 69, 82, 110, 113})
    void shouldGiveUpAnOffsetThatTheMembersOfTheGroupForbid(final int code)
    {
        commits.commit(0, 5, -1);
        send();

        assertFalse(answer(code));

        assertTrue(commits.complete());
        assertEquals(code, commits.errorCode(0));
        assertTrue(commits.isIdle());
        assertFalse(commits.isDue());
    }

    @ParameterizedTest
    @ValueSource(ints = {22, 25, 27, 69, 82, 110, 113})
    void shouldCommitAgainAsAMemberWhoseMembershipIsChecked(final int code)
    {
        final GroupMember member = join();
        member.onConfirmed(4, 0);
        commits.commit(0, 5, -1);
        send();

        assertFalse(answer(code));

        assertFalse(commits.complete());
        assertTrue(member.isInDoubt());
        assertEquals(0, commits.errorCode(0));
        assertEquals("{0=5}", send());
        assertTrue(answer(0));
        assertTrue(commits.complete());
    }

    /** The minute begins when the partition has become unknown, and again after each answer that knows it. */
    @Test
    void shouldGiveUpOnlyAfterAMinuteWithoutAnAnswerThatKnowsThePartition()
    {
        final int[] codes = {UNKNOWN_TOPIC_OR_PARTITION, 0, UNKNOWN_TOPIC_OR_PARTITION, UNKNOWN_TOPIC_OR_PARTITION};
        for (int i = 0; i < codes.length; i++)
        {
            time(TimeUnit.SECONDS.toNanos(30 * i));
            commits.commit(0, 5, -1);
            send();
            answer(codes[i]);
            assertNull(commits.takeGone());
        }
        time(TimeUnit.SECONDS.toNanos(120));
        send();
        answer(UNKNOWN_TOPIC_OR_PARTITION);
        assertNull(commits.takeGone());

        time(TimeUnit.SECONDS.toNanos(120) + 1);
        send();
        answer(UNKNOWN_TOPIC_OR_PARTITION);
        assertTrue(commits.takeGone().contains("artition 0 "));
        assertNull(commits.takeGone());

        commits.commit(0, 6, -1);
        send();
        answer(UNKNOWN_TOPIC_OR_PARTITION);
        assertNull(commits.takeGone());
        assertEquals("{0=6}", send());
    }

    @Test
    void shouldCountCommitsAndThoseThatHaveFailed()
    {
        final List<int[]> answers = List.of(new int[] {0}, new int[0], new int[] {TOPIC_AUTHORIZATION_FAILED});
        for (int i = 0; i < answers.size(); i++)
        {
            commits.commit(0, 5, -1);
            send();
            answer(answers.get(i));
            assertTrue(commits.complete());
            assertEquals(1, counters.get(ConsumerCounters.COMMITS));
            assertEquals(i, counters.get(ConsumerCounters.COMMIT_FAILURES));
        }
    }

    @Test
    void shouldChangeNothingIfAnAnswerIsCutOff()
    {
        commits.commit(0, 5, -1);
        commits.commit(1, 7, -1);
        send();
        final byte[] whole = exchange.bytes(response(TOPIC, 0, TOPIC_AUTHORIZATION_FAILED));
        for (int length = 0; length < whole.length; length++)
        {
            final byte[] part = Arrays.copyOf(whole, length);
            assertThrows(WireFormatException.class, () -> exchange.answer(commits, part));
            assertTrue(commits.isOutstanding(0) && commits.isOutstanding(1));
            assertEquals(-1, commits.committedOffset(0));
        }

        commits.onLost();

        assertEquals("{0=5, 1=7}", send());
    }

    /** A member gives an offset up, too, if the error is no matter of its membership. */
    @Test
    void shouldGiveUpAnOffsetThatNoMemberMayCommit()
    {
        join().onConfirmed(4, 0);
        commits.commit(0, 5, -1);
        send();

        assertFalse(answer(TOPIC_AUTHORIZATION_FAILED));

        assertTrue(commits.complete());
        assertEquals(TOPIC_AUTHORIZATION_FAILED, commits.errorCode(0));
        assertTrue(commits.isIdle());
    }

    @Test
    void shouldIgnoreAnAnswerAboutWhatIsNotInFlight()
    {
        commits.commit(0, 5, -1);
        commits.commit(1, 7, -1);
        send();
        assertTrue(answer(0, 0));
        commits.commit(0, 6, -1);
        send();
        commits.commit(1, 8, -1);
        final OffsetCommitResponseData data = response(TOPIC, 0, 0);
        add(data, TOPIC, 2, 0);
        add(data, TOPIC, -1, 0);

        assertTrue(exchange.answer(commits, data));

        assertEquals(6, commits.committedOffset(0));
        assertEquals(7, commits.committedOffset(1));
        assertEquals("{1=8}", send());
    }

    @Test
    void shouldReportTheFirstPartitionThatAnAnswerLeavesOut()
    {
        commits.commit(0, 5, -1);
        commits.commit(1, 7, -1);
        commits.commit(2, 9, -1);
        send();
        final OffsetCommitResponseData data = new OffsetCommitResponseData();
        add(data, TOPIC, 1, 0);

        assertFalse(exchange.answer(commits, data));

        assertEquals(0, commits.leftOutPartition());
        assertEquals("{0=5, 2=9}", send());
    }

    @Test
    void shouldNotDoubtTheTopicAfterAnEmptyAnswer()
    {
        commits.commit(0, 5, -1);
        send();
        assertFalse(answer());
        assertFalse(topic.isInDoubt());
    }
}
