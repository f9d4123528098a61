// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.group;

import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.message.OffsetFetchRequestData;
import org.apache.kafka.common.message.OffsetFetchResponseData;
import org.apache.kafka.common.message.OffsetFetchResponseData.OffsetFetchResponseGroup;
import org.apache.kafka.common.message.OffsetFetchResponseData.OffsetFetchResponsePartitions;
import org.apache.kafka.common.message.OffsetFetchResponseData.OffsetFetchResponseTopics;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.odradek.client.core.CounterWriter;
import org.odradek.client.core.DutyClock;
import org.odradek.client.core.TopicIdentity;
import org.odradek.consumer.core.ConsumerSettings;
import org.odradek.consumer.core.Environment;
import org.odradek.consumer.handler.CommittedOffsets;
import org.odradek.protocol.ApiKey;
import org.odradek.protocol.ErrorCode;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Tests what becomes of queries for committed offsets when an answer is incomplete, refuses them or is lost. */
class OffsetFetchesTest
{
    private static final String TOPIC = "topic";
    private static final int VERSION = 8;
    private static final int FIRST_VERSION_WITH_TOPIC_ID = 10;
    private static final int UNKNOWN_TOPIC_OR_PARTITION = 3;
    private static final int COORDINATOR_LOAD_IN_PROGRESS = 14;
    private static final int TOPIC_AUTHORIZATION_FAILED = 29;
    private static final int GROUP_AUTHORIZATION_FAILED = 30;
    private static final int UNSTABLE_OFFSET_COMMIT = 88;

    private final AtomicLong nowNs = new AtomicLong();
    private final DutyClock clock = new DutyClock(nowNs::get, () -> 0);
    private final TopicIdentity topic = new TopicIdentity(TOPIC);
    private final List<String> errors = new ArrayList<>();
    private final OffsetFetches fetches = new OffsetFetches("group", topic, new Environment(
        new ConsumerSettings(), null, clock, null, new CounterWriter(), null,
        (error) -> errors.add(error.getMessage())));
    private final RequestExchange exchange = new RequestExchange(ApiMessageType.OFFSET_FETCH, VERSION);

    /** Begins a query for the offsets of two partitions. */
    private CommittedOffsets query()
    {
        fetches.topic(2, ErrorCode.NONE);
        return fetches.query(OffsetFetches.ALL);
    }

    /** Encodes the request, and returns its partitions. */
    private List<Integer> send()
    {
        return exchange.send(fetches, OffsetFetchRequestData::new)
            .groups().get(0).topics().get(0).partitionIndexes();
    }

    private static OffsetFetchResponsePartitions committed(final int partition, final long offset, final int epoch)
    {
        return new OffsetFetchResponsePartitions().setPartitionIndex(partition)
            .setCommittedOffset(offset).setCommittedLeaderEpoch(epoch);
    }

    private static OffsetFetchResponsePartitions refused(final int partition, final int code)
    {
        return committed(partition, -1, -1).setErrorCode((short)code);
    }

    private boolean answer(final OffsetFetchResponsePartitions... partitions)
    {
        return answer(TOPIC, 0, partitions);
    }

    private boolean answer(final String name, final int code, final OffsetFetchResponsePartitions... partitions)
    {
        return exchange.answer(fetches, new OffsetFetchResponseData().setGroups(List.of(
            new OffsetFetchResponseGroup().setGroupId("group").setErrorCode((short)code).setTopics(List.of(
                new OffsetFetchResponseTopics().setName(name).setPartitions(List.of(partitions)))))));
    }

    private void time(final long ns)
    {
        nowNs.set(ns);
        clock.update();
    }

    @Test
    void shouldWaitUntilTheNumberOfPartitionsIsKnown()
    {
        assertFalse(fetches.isDue());
        fetches.query(OffsetFetches.ALL);
        assertFalse(fetches.isDue());

        fetches.topic(1, ErrorCode.NONE);

        assertTrue(fetches.isDue());
        assertEquals(List.of(0), send());
        assertFalse(fetches.isDue());
    }

    @Test
    void shouldAnswerWithOneRequestAllQueriesThatWait()
    {
        final List<CommittedOffsets> both = List.of(query(), query());
        assertEquals(List.of(0, 1), send());
        final CommittedOffsets late = query();
        assertEquals(List.of(-1L, -1L), both.stream().map((query) -> query.offset(0)).toList());

        assertTrue(answer(committed(0, 5, 2), committed(1, -1, -1)));

        for (final CommittedOffsets query : both)
        {
            assertTrue(query.isDone());
            assertFalse(query.isFailed());
            assertEquals(2, query.partitionCount());
            assertEquals(List.of(-1L, 5L, -1L, -1L),
                Stream.of(-1, 0, 1, 2).map((partition) -> query.offset(partition)).toList());
            assertEquals(List.of(-1, 2, -1, -1),
                Stream.of(-1, 0, 1, 2).map((partition) -> query.leaderEpoch(partition)).toList());
        }
        assertFalse(late.isDone());
        assertTrue(fetches.isDue());
    }

    // Behaviour M153, M159.
    @Test
    void shouldAnswerTheQueryForOnePartitionThoughAnotherIsNotStable()
    {
        fetches.topic(3, ErrorCode.NONE);
        final CommittedOffsets stable = fetches.query(2);
        final CommittedOffsets unstable = fetches.query(1);
        final CommittedOffsets again = fetches.query(1);
        assertEquals(List.of(1, 2), send());

        assertFalse(answer(refused(1, UNSTABLE_OFFSET_COMMIT), committed(2, 7, 3)));

        assertEquals(List.of(-1L, 7L, -1L),
            Stream.of(1, 2, 3).map((partition) -> stable.offset(partition)).toList());
        assertEquals(3, stable.leaderEpoch(2));
        assertFalse(unstable.isDone() || again.isDone());
        assertEquals(List.of(1), send());
        assertTrue(answer(committed(1, 5, 2)));
        assertEquals(List.of(5L, 5L), List.of(unstable.offset(1), again.offset(1)));
    }

    @Test
    void shouldForgetAQueryThatIsCancelled()
    {
        fetches.topic(2, ErrorCode.NONE);
        final CommittedOffsets inFlight = fetches.query(0);
        final CommittedOffsets lost = fetches.query(0);
        send();
        fetches.cancel(inFlight);
        assertFalse(answer(refused(0, UNSTABLE_OFFSET_COMMIT)));
        assertEquals(List.of(0), send());
        fetches.cancel(lost);
        fetches.onLost();
        assertFalse(fetches.isDue());
        final CommittedOffsets waiting = fetches.query(1);

        fetches.cancel(waiting);

        assertFalse(fetches.isDue());
        assertFalse(inFlight.isDone() || lost.isDone() || waiting.isDone());
    }

    @Test
    void shouldFailOnlyTheQueriesForPartitionsThatAreRefused()
    {
        fetches.topic(2, ErrorCode.NONE);
        final CommittedOffsets refused = fetches.query(0);
        final CommittedOffsets other = fetches.query(1);
        send();

        assertFalse(answer(refused(0, TOPIC_AUTHORIZATION_FAILED), committed(1, 7, 3)));

        assertEquals(TOPIC_AUTHORIZATION_FAILED, refused.errorCode());
        assertEquals(TOPIC_AUTHORIZATION_FAILED, fetches.errorCode());
        assertEquals(7, other.offset(1));
        assertFalse(fetches.isDue());
    }

    // Behaviour O170.
    @Test
    void shouldSendAQueryAgainWhoseAnswerWasLost()
    {
        final CommittedOffsets query = query();
        send();

        fetches.onLost();

        assertTrue(fetches.isDue());
        assertEquals(List.of(0, 1), send());
        assertTrue(answer(committed(0, 5, 2), committed(1, 7, 2)));
        assertEquals(7, query.offset(1));
        fetches.onLost();
        assertFalse(fetches.isDue());
    }

    @Test
    void shouldForgetAQueryThatFailsAfterItsAnswerWasLost()
    {
        query();
        send();
        fetches.onLost();
        fetches.fail(ApiKey.FIND_COORDINATOR, (short)GROUP_AUTHORIZATION_FAILED);
        fetches.onLost();
        assertFalse(fetches.isDue());
    }

    @Test
    void shouldFailWithAnErrorOfTheGroupWithoutPartitions()
    {
        final CommittedOffsets query = query();
        send();
        assertFalse(answer(TOPIC, GROUP_AUTHORIZATION_FAILED));
        assertEquals(-1, fetches.leftOutPartition());
        assertTrue(query.isFailed());
    }

    @Test
    void shouldTellNoOffsetOfAQueryThatHasFailed()
    {
        final CommittedOffsets query = query();
        send();
        assertFalse(answer(TOPIC, GROUP_AUTHORIZATION_FAILED, committed(0, 5, 2), committed(1, 7, 2)));
        assertEquals(-1, query.offset(0));
        assertEquals(-1, query.leaderEpoch(0));
    }

    /** The error of the group counts most, then that of the first partition. */
    @ParameterizedTest
    @CsvSource({"0, 0, 29, 29", "0, 29, 14, 29", "30, 29, 14, 30", "30, 0, 0, 30"})
    void shouldFailWithTheFirstErrorThatNoRetryCanEnd(
        final int ofGroup, final int ofFirst, final int ofSecond, final int expected)
    {
        final CommittedOffsets query = query();
        send();

        assertFalse(answer(TOPIC, ofGroup, refused(0, ofFirst), refused(1, ofSecond)));

        assertEquals(expected, fetches.errorCode());
        assertEquals(-1, fetches.leftOutPartition());
        assertTrue(query.isDone() && query.isFailed());
        assertEquals(expected, query.errorCode());
        assertEquals(-1, query.offset(0));
        assertFalse(fetches.isDue());
    }

    @Test
    void shouldRetryAfterAnErrorThatMayPass()
    {
        final CommittedOffsets query = query();
        send();

        assertFalse(answer(committed(0, 5, 2), refused(1, COORDINATOR_LOAD_IN_PROGRESS)));

        assertEquals(COORDINATOR_LOAD_IN_PROGRESS, fetches.errorCode());
        assertFalse(query.isDone() || query.isFailed());
        assertTrue(fetches.isDue());
        send();
        assertTrue(answer(committed(0, 5, 2), committed(1, 7, 2)));
        assertEquals(0, fetches.errorCode());
        assertTrue(query.isDone());
    }

    @Test
    void shouldAskAgainForWhatAnAnswerLeavesOut()
    {
        final CommittedOffsets query = query();
        send();

        assertFalse(answer(committed(0, 5, 2), committed(2, 9, 2), committed(-1, 9, 2)));

        assertEquals(1, fetches.leftOutPartition());
        assertFalse(query.isDone());
        send();
        assertTrue(answer(committed(1, 7, 2), committed(0, 5, 2)));
        assertEquals(-1, fetches.leftOutPartition());
        assertEquals(7, query.offset(1));
    }

    @Test
    void shouldNotBelieveAnAnswerAboutAnotherTopic()
    {
        final CommittedOffsets query = query();
        send();

        assertFalse(answer("other", 0, committed(0, 5, 2), committed(1, 7, 2)));

        assertEquals(0, fetches.leftOutPartition());
        assertFalse(query.isDone());
    }

    @ParameterizedTest
    @CsvSource({"-2, -1", "-1, -2", "5, -2"})
    void shouldTakeANumberBelowThatForNoneAsNone(final long offset, final int epoch)
    {
        final CommittedOffsets query = query();
        send();

        assertTrue(answer(committed(0, 5, 2), committed(1, offset, epoch)));

        assertEquals(5, query.offset(0));
        assertEquals(Math.max(-1, offset), query.offset(1));
        assertEquals(-1, query.leaderEpoch(1));
        assertEquals(1, errors.size());
        assertTrue(errors.get(0).startsWith("Group group has committed offset " + offset + " with leader epoch " +
            epoch + " of partition 1 "), errors::toString);
    }

    /** Another error means that the partition is known. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldFailAfterAMinuteInWhichTheTopicIsNotKnown(final boolean isKnownMeanwhile)
    {
        final CommittedOffsets query = query();
        final int meanwhile = isKnownMeanwhile ? COORDINATOR_LOAD_IN_PROGRESS : UNKNOWN_TOPIC_OR_PARTITION;
        for (final int code : new int[] {UNKNOWN_TOPIC_OR_PARTITION, meanwhile, UNKNOWN_TOPIC_OR_PARTITION})
        {
            send();
            answer(refused(0, code), refused(1, code));
            assertFalse(query.isDone());
            time(nowNs.get() + TimeUnit.SECONDS.toNanos(30));
        }
        time(TimeUnit.SECONDS.toNanos(60) + 1);
        send();

        answer(refused(0, UNKNOWN_TOPIC_OR_PARTITION), refused(1, UNKNOWN_TOPIC_OR_PARTITION));

        assertEquals(!isKnownMeanwhile, query.isFailed());
        assertEquals(isKnownMeanwhile, fetches.isDue());
        assertEquals(isKnownMeanwhile ? 0 : UNKNOWN_TOPIC_OR_PARTITION, query.errorCode());
    }

    @Test
    void shouldGiveUpOnlyWhatWaitsWhenItFails()
    {
        final CommittedOffsets sent = query();
        send();
        final CommittedOffsets waiting = query();

        fetches.fail(ApiKey.FIND_COORDINATOR, (short)GROUP_AUTHORIZATION_FAILED);

        assertTrue(waiting.isDone() && waiting.isFailed());
        assertEquals(GROUP_AUTHORIZATION_FAILED, waiting.errorCode());
        assertFalse(fetches.isDue());
        assertTrue(answer(committed(0, 5, 2), committed(1, 7, 2)));
        assertEquals(5, sent.offset(0));
        assertFalse(sent.isFailed());
    }

    @Test
    void shouldNameTheTopicByItsIdOnceItIsKnown()
    {
        assertEquals(FIRST_VERSION_WITH_TOPIC_ID - 1, fetches.version(FIRST_VERSION_WITH_TOPIC_ID));
        topic.id(1, 1);
        assertEquals(FIRST_VERSION_WITH_TOPIC_ID, fetches.version(FIRST_VERSION_WITH_TOPIC_ID));
        assertEquals(VERSION, fetches.version(VERSION));
    }
}
