// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.group;

import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.message.OffsetCommitRequestData;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestPartition;
import org.apache.kafka.common.message.OffsetCommitResponseData;
import org.apache.kafka.common.message.OffsetCommitResponseData.OffsetCommitResponsePartition;
import org.apache.kafka.common.message.OffsetCommitResponseData.OffsetCommitResponseTopic;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.odradek.consumer.core.CounterWriter;
import org.odradek.consumer.core.DutyClock;
import org.odradek.consumer.core.Environment;
import org.odradek.consumer.core.Settings;
import org.odradek.consumer.core.TopicIdentity;
import org.odradek.consumer.fetch.PartitionTable;
import org.odradek.consumer.handler.ConsumerCounters;
import org.odradek.consumer.support.ScriptedCoordinator;
import org.odradek.protocol.WireFormatException;

import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Tests what becomes of offsets that wait, or are in flight, when an answer refuses them or is lost. */
class OffsetCommitsTest
{
    private static final String TOPIC = "topic";
    private static final int VERSION = 7;
    private static final int FIRST_VERSION_WITH_TOPIC_ID = 10;
    private static final int UNKNOWN_TOPIC_OR_PARTITION = 3;
    private static final int COORDINATOR_LOAD_IN_PROGRESS = 14;
    private static final int TOPIC_AUTHORIZATION_FAILED = 29;
    private static final int INCONSISTENT_TOPIC_ID = 103;

    private final AtomicLong nowNs = new AtomicLong();
    private final DutyClock clock = new DutyClock(nowNs::get, () -> 0);
    private final TopicIdentity topic = new TopicIdentity(TOPIC);
    private final Settings settings = new Settings();
    private final CounterWriter counters = new CounterWriter();
    private final Environment environment = new Environment(settings, null, clock, null, counters, null, null);
    private final OffsetCommits commits = new OffsetCommits("group", topic, environment);
    private final RequestExchange exchange = new RequestExchange(ApiMessageType.OFFSET_COMMIT, VERSION);
    private OffsetCommitRequestData sent;

    /** Encodes the request, and returns its offsets. */
    private String send()
    {
        sent = exchange.send(commits, OffsetCommitRequestData::new);
        return ScriptedCoordinator.offsets(sent);
    }

    /** The leader epochs of the last request. */
    private List<Integer> epochs()
    {
        return sent.topics().get(0).partitions().stream()
            .map(OffsetCommitRequestPartition::committedLeaderEpoch).toList();
    }

    /** Answers the request with a code for each partition from 0 on. */
    private boolean answer(final int... codes)
    {
        return exchange.answer(commits, response(TOPIC, codes));
    }

    private static OffsetCommitResponseData response(final String topicName, final int... codes)
    {
        final OffsetCommitResponseData data = new OffsetCommitResponseData();
        IntStream.range(0, codes.length).forEach((p) -> add(data, topicName, p, codes[p]));
        return data;
    }

    /** Answers for a partition in an element of its own. */
    private static void add(
        final OffsetCommitResponseData data, final String topicName, final int partition, final int code)
    {
        data.topics().add(new OffsetCommitResponseTopic().setName(topicName).setPartitions(List.of(
            new OffsetCommitResponsePartition().setPartitionIndex(partition).setErrorCode((short)code))));
    }

    /** Commits as a member of the group from now on. */
    private GroupMember join()
    {
        settings.group = new Settings.Group("group");
        final GroupMember member = new GroupMember(topic, new PartitionTable(settings), environment);
        commits.member(member);
        return member;
    }

    private void time(final long ns)
    {
        nowNs.set(ns);
        clock.update();
    }

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
        assertFalse(commits.canSend());
        assertTrue(commits.isIdle());
        assertEquals(7, commits.committedOffset(1));
    }

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
        assertTrue(commits.canSend());

        send();
        assertFalse(answer(UNKNOWN_TOPIC_OR_PARTITION));
        assertTrue(topic.isInDoubt());
        assertFalse(commits.canSend());
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
        assertFalse(commits.canSend());
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
        assertFalse(commits.canSend());

        member.onConfirmed(1, 0);
        assertTrue(commits.canSend());
        send();
        assertFalse(commits.canSend());
    }

    @Test
    void shouldHoldTheOffsetsOfATopicInDoubtForAMinute()
    {
        topic.doubt(0);
        assertFalse(commits.isHeld());
        commits.commit(0, 5, -1);
        time(TimeUnit.MINUTES.toNanos(1));
        assertTrue(commits.isHeld());
        assertFalse(commits.canSend());

        time(TimeUnit.MINUTES.toNanos(1) + 1);
        assertFalse(commits.isHeld());
        assertTrue(commits.canSend());
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

        commits.fail((short)TOPIC_AUTHORIZATION_FAILED);

        assertFalse(commits.canSend());
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

    @Test
    void shouldBeIdleWhenItFailsAfterAnAnswerWasLost()
    {
        commits.commit(0, 5, -1);
        send();
        commits.onLost();
        commits.fail((short)TOPIC_AUTHORIZATION_FAILED);
        assertTrue(commits.isIdle());
        assertFalse(commits.isOutstanding(0));
    }
}
