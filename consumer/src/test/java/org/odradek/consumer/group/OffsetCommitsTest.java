// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.group;

import org.agrona.concurrent.UnsafeBuffer;
import org.apache.kafka.common.message.OffsetCommitRequestData;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestPartition;
import org.apache.kafka.common.message.OffsetCommitResponseData;
import org.apache.kafka.common.message.OffsetCommitResponseData.OffsetCommitResponsePartition;
import org.apache.kafka.common.message.OffsetCommitResponseData.OffsetCommitResponseTopic;
import org.apache.kafka.common.message.RequestHeaderData;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.ObjectSerializationCache;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.odradek.consumer.core.DutyClock;
import org.odradek.consumer.core.Environment;
import org.odradek.consumer.core.MemoryBudget;
import org.odradek.consumer.core.Settings;
import org.odradek.consumer.core.TopicIdentity;
import org.odradek.consumer.net.RequestFrame;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Tests what becomes of offsets that wait, or are in flight, when an answer refuses them or is lost. */
class OffsetCommitsTest
{
    private static final String TOPIC = "topic";
    private static final int VERSION = 7;
    private static final int HEADER_VERSION = 1;
    private static final int UNKNOWN_TOPIC_OR_PARTITION = 3;
    private static final int COORDINATOR_LOAD_IN_PROGRESS = 14;
    private static final int TOPIC_AUTHORIZATION_FAILED = 29;
    private static final int INCONSISTENT_TOPIC_ID = 103;

    private final AtomicLong nowNs = new AtomicLong();
    private final DutyClock clock = new DutyClock(nowNs::get, () -> 0);
    private final TopicIdentity topic = new TopicIdentity(TOPIC);
    private final OffsetCommits commits = new OffsetCommits("group", topic,
        new Environment(new Settings(), null, clock, null, null, null, null));
    /** The leader epochs of the last request. */
    private final List<Integer> epochs = new ArrayList<>();
    private final RequestFrame frame = new RequestFrame(new MemoryBudget(1 << 20, (bytes) -> {}), 64);

    /** Encodes the request, and returns its offsets. */
    private String send()
    {
        final int length = commits.encode(frame, VERSION);
        final ByteBuffer bytes = ByteBuffer.allocate(length - Integer.BYTES);
        frame.buffer().getBytes(Integer.BYTES, bytes, bytes.capacity());
        final ByteBufferAccessor reader = new ByteBufferAccessor(bytes.flip());
        new RequestHeaderData(reader, (short)HEADER_VERSION);
        final List<OffsetCommitRequestPartition> partitions =
            new OffsetCommitRequestData(reader, (short)VERSION).topics().get(0).partitions();
        epochs.clear();
        partitions.forEach((partition) -> epochs.add(partition.committedLeaderEpoch()));
        return partitions.stream().collect(Collectors.toMap(OffsetCommitRequestPartition::partitionIndex,
                OffsetCommitRequestPartition::committedOffset, (a, b) -> a, TreeMap::new)).toString();
    }

    /** Answers the request with a code for each partition from 0 on. */
    private boolean answer(final int... codes)
    {
        return answer(TOPIC, codes);
    }

    private boolean answer(final String topicName, final int... codes)
    {
        final List<OffsetCommitResponsePartition> partitions = new ArrayList<>();
        IntStream.range(0, codes.length).forEach((p) -> partitions.add(
            new OffsetCommitResponsePartition().setPartitionIndex(p).setErrorCode((short)codes[p])));
        final OffsetCommitResponseData data = new OffsetCommitResponseData().setTopics(
            List.of(new OffsetCommitResponseTopic().setName(topicName).setPartitions(partitions)));
        final ObjectSerializationCache cache = new ObjectSerializationCache();
        final ByteBuffer bytes = ByteBuffer.allocate(data.size(cache, (short)VERSION));
        data.write(new ByteBufferAccessor(bytes), cache, (short)VERSION);
        return commits.onResponse(new UnsafeBuffer(bytes.array()), 0, bytes.capacity(), VERSION);
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
        assertEquals(List.of(3), epochs);

        assertFalse(answer(COORDINATOR_LOAD_IN_PROGRESS));
        send();
        assertEquals(List.of(3), epochs);

        commits.onLost();
        send();
        assertEquals(List.of(3), epochs);
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
        nowNs.set(TimeUnit.SECONDS.toNanos(61));
        clock.update();

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

        assertFalse(answer("other", 0));

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
}
