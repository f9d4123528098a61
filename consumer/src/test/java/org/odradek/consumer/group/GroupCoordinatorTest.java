// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.group;

import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.message.FindCoordinatorResponseData;
import org.apache.kafka.common.message.FindCoordinatorResponseData.Coordinator;
import org.apache.kafka.common.message.OffsetCommitRequestData;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestPartition;
import org.apache.kafka.common.message.OffsetCommitResponseData;
import org.apache.kafka.common.message.OffsetCommitResponseData.OffsetCommitResponsePartition;
import org.apache.kafka.common.message.OffsetCommitResponseData.OffsetCommitResponseTopic;
import org.apache.kafka.common.message.OffsetFetchResponseData;
import org.apache.kafka.common.message.OffsetFetchResponseData.OffsetFetchResponseGroup;
import org.apache.kafka.common.message.OffsetFetchResponseData.OffsetFetchResponsePartition;
import org.apache.kafka.common.message.OffsetFetchResponseData.OffsetFetchResponsePartitions;
import org.apache.kafka.common.message.OffsetFetchResponseData.OffsetFetchResponseTopic;
import org.apache.kafka.common.message.OffsetFetchResponseData.OffsetFetchResponseTopics;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.odradek.consumer.ConsumerContext;
import org.odradek.consumer.GroupOffsets;
import org.odradek.consumer.Internals;
import org.odradek.consumer.StartPosition;
import org.odradek.consumer.handler.CommittedOffsets;
import org.odradek.consumer.handler.ConsumerCounters;
import org.odradek.consumer.support.OneTopicBroker;
import org.odradek.consumer.support.Reading;
import org.odradek.consumer.support.RequestTimes;
import org.odradek.harness.Answer;
import org.odradek.harness.model.ModelPeer;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Tests responses of a coordinator that a real one does not send on request: each error once or always, in every
 * version.
 */
class GroupCoordinatorTest
{
    private static final String GROUP = "group";
    private static final long STORED = 2;
    private static final int RETRIES = 40;
    /** The metadata is requested at once, and 20, 40, 80, 160, 320 and 640 ms later. */
    private static final int REFRESHES = 7;

    private final OneTopicBroker broker = OneTopicBroker.start(1).append(0, "a", "b").append(0, "c");
    private final Deque<Integer> findErrors = new ArrayDeque<>();
    private final Deque<Integer> commitErrors = new ArrayDeque<>();
    private final Deque<Integer> fetchErrors = new ArrayDeque<>();
    private final AtomicInteger incompleteLeft = new AtomicInteger();
    private final AtomicInteger negativeLeft = new AtomicInteger();
    private volatile long committed = -1;
    private volatile FindCoordinatorResponseData hostileFind;
    private volatile int throttleTimeMs;
    /** Answers each commit and each fetch; 0 for none. */
    private volatile int lastingError;

    @BeforeEach
    void script()
    {
        broker.script(ApiMessageType.FIND_COORDINATOR, this::find);
        broker.script(ApiMessageType.OFFSET_COMMIT, this::commit);
        broker.script(ApiMessageType.OFFSET_FETCH, this::fetch);
    }

    @AfterEach
    void close()
    {
        broker.close();
    }

    /** Below 0, the broker closes the connection instead. */
    private static synchronized int next(final Deque<Integer> errors)
    {
        return errors.isEmpty() ? 0 : errors.poll();
    }

    private Answer find(final ModelPeer.Call call)
    {
        final short code = (short) next(findErrors);
        final FindCoordinatorResponseData data =
            new FindCoordinatorResponseData().setThrottleTimeMs(call.version() >= 1 ? throttleTimeMs : 0);
        if (hostileFind != null)
        {
            final FindCoordinatorResponseData hostile = hostileFind;
            hostileFind = null;
            return call.answer(hostile);
        }
        if (call.version() >= 4)
        {
            data.coordinators().add(new Coordinator().setKey(GROUP).setErrorCode(code)
                .setNodeId(code == 0 ? OneTopicBroker.NODE_ID : -1).setHost("127.0.0.1").setPort(broker.peer().port()));
        }
        else
        {
            data.setErrorCode(code).setNodeId(code == 0 ? OneTopicBroker.NODE_ID : -1)
                .setHost("127.0.0.1").setPort(broker.peer().port());
        }
        return call.answer(data);
    }

    private Answer commit(final ModelPeer.Call call)
    {
        final int code = lastingError != 0 ? lastingError : next(commitErrors);
        if (code < 0)
        {
            return Answer.close();
        }
        if (isIncomplete())
        {
            return call.answer(new OffsetCommitResponseData());
        }
        final OffsetCommitRequestPartition requested =
            ((OffsetCommitRequestData) call.request()).topics().get(0).partitions().get(0);
        committed = code == 0 ? requested.committedOffset() : committed;
        final boolean isById = call.version() >= 10;
        final OffsetCommitResponseData data = new OffsetCommitResponseData().setThrottleTimeMs(throttleTimeMs);
        return call.answer(data.setTopics(List.of(
            new OffsetCommitResponseTopic().setName(isById ? "" : OneTopicBroker.TOPIC)
                .setTopicId(isById ? OneTopicBroker.TOPIC_ID : Uuid.ZERO_UUID)
                .setPartitions(List.of(new OffsetCommitResponsePartition()
                    .setPartitionIndex(requested.partitionIndex()).setErrorCode((short) code))))));
    }

    private Answer fetch(final ModelPeer.Call call)
    {
        final short code = (short) (lastingError != 0 ? lastingError : next(fetchErrors));
        final long offset = code != 0 ? -1 : negativeLeft.getAndDecrement() > 0 ? -7 : STORED;
        if (isIncomplete())
        {
            return call.answer(new OffsetFetchResponseData());
        }
        final OffsetFetchResponseData data =
            new OffsetFetchResponseData().setThrottleTimeMs(call.version() >= 3 ? throttleTimeMs : 0);
        if (call.version() < 8)
        {
            data.setTopics(List.of(
                new OffsetFetchResponseTopic().setName(OneTopicBroker.TOPIC).setPartitions(List.of(
                    new OffsetFetchResponsePartition().setCommittedOffset(offset).setMetadata("")
                        .setErrorCode(call.version() >= 2 ? 0 : code)))));
            return call.answer(call.version() >= 2 ? data.setErrorCode(code) : data);
        }
        final boolean isById = call.version() >= 10;
        return call.answer(data.setGroups(List.of(
            new OffsetFetchResponseGroup().setGroupId(GROUP).setErrorCode(code).setTopics(List.of(
                new OffsetFetchResponseTopics().setName(isById ? "" : OneTopicBroker.TOPIC)
                    .setTopicId(isById ? OneTopicBroker.TOPIC_ID : Uuid.ZERO_UUID)
                    .setPartitions(List.of(new OffsetFetchResponsePartitions()
                        .setCommittedOffset(offset).setMetadata(""))))))));
    }

    private boolean isIncomplete()
    {
        return incompleteLeft.getAndUpdate((left) -> Math.max(0, left - 1)) > 0;
    }

    private ConsumerContext context()
    {
        return Reading.context(broker).startPosition(StartPosition.committed(GROUP, StartPosition.earliest()));
    }

    private Reading start()
    {
        return Reading.start(context());
    }

    /** Starts a consumer of which the times of one kind of request are noted. */
    private Reading start(
        final RequestTimes times, final ApiMessageType type, final Function<ModelPeer.Call, Answer> script)
    {
        broker.script(type, (call) ->
        {
            times.note();
            return script.apply(call);
        });
        return Reading.start(times.set(context().retryBackoffMs(50, 200)));
    }

    private void expectAllToPass(final Reading reading)
    {
        final GroupOffsets offsets = reading.consumer().groupOffsets(GROUP);
        reading.untilCount(0, 1);
        assertEquals(List.of("c"), reading.values(0));
        offsets.commitAsync();
        reading.until("the commit", offsets::areCommitsDone);
        assertEquals(3, offsets.committedOffset(0));
        assertEquals(3, committed);
    }

    // Behaviour M153.
    @Test
    void shouldCommitAgainWhatHasNotChanged()
    {
        try (Reading reading = start())
        {
            expectAllToPass(reading);
            final long commits = broker.peer().requestCount(ApiMessageType.OFFSET_COMMIT.apiKey());
            final GroupOffsets offsets = reading.consumer().groupOffsets(GROUP);
            offsets.commitAsync();
            reading.until("the commit", offsets::areCommitsDone);

            assertEquals(commits + 1, broker.peer().requestCount(ApiMessageType.OFFSET_COMMIT.apiKey()));
        }
    }

    static IntStream versions()
    {
        return IntStream.rangeClosed(0, 10);
    }

    // Behaviour M158, tried 2026-11-29: Brokers that look up only one coordinator per request are supported.
    @ParameterizedTest
    @MethodSource("versions")
    void shouldSupportEveryVersion(final int version)
    {
        broker.maxVersion(ApiMessageType.FIND_COORDINATOR, Math.min(version, 6))
            .maxVersion(ApiMessageType.OFFSET_FETCH, Math.max(version, 1))
            .maxVersion(ApiMessageType.OFFSET_COMMIT, Math.max(version, 2));
        try (Reading reading = start())
        {
            expectAllToPass(reading);
            assertEquals(List.of(), reading.errors());
        }
    }

    // Behaviour M156, tried 2026-11-29: A coordinator that has moved is looked up again; while a coordinator is
    // loading, the request is repeated.
    // Behaviour M159, tried 2026-11-29: A committed offset that belongs to an open transaction is requested again until
    // the transaction has ended, and no other partition waits for this offset.
    @ParameterizedTest
    @ValueSource(ints = {14, 15, 16, 7, 3, 100, 88})
    void shouldRetryAfterARetriableError(final int code)
    {
        findErrors.addAll(List.of(code, code));
        fetchErrors.addAll(List.of(code, code));
        commitErrors.addAll(List.of(code, code));
        try (Reading reading = start())
        {
            expectAllToPass(reading);
            assertEquals(3, broker.requestCount(ApiMessageType.OFFSET_COMMIT));
            assertEquals(3, broker.requestCount(ApiMessageType.OFFSET_FETCH));
            // Three lookups, because of the errors of the lookup itself, and further ones if the coordinator has moved.
            final boolean hasMoved = code == 7 || code == 15 || code == 16;
            assertEquals(hasMoved, broker.requestCount(ApiMessageType.FIND_COORDINATOR) > 3);
        }
    }

    // Behaviour M156.
    @Test
    void shouldResendCommitsInFlightWhenTheConnectionBreaks()
    {
        commitErrors.addAll(List.of(-1, 0));
        try (Reading reading = start())
        {
            expectAllToPass(reading);
            assertTrue(broker.requestCount(ApiMessageType.FIND_COORDINATOR) >= 2);
        }
    }

    // Behaviour M157.
    @ParameterizedTest
    @ValueSource(ints = {22, 25, 27, 12, 28, 29, 30})
    void shouldFailAfterAnErrorThatIsNotRetriable(final int code)
    {
        commitErrors.addAll(List.of(code));
        try (Reading reading = start())
        {
            final GroupOffsets offsets = reading.consumer().groupOffsets(GROUP);
            offsets.commitAsync(0, 1);
            reading.until("the refusal", offsets::areCommitsDone);

            assertEquals(code, offsets.errorCode(0));
            assertEquals(-1, offsets.committedOffset(0));
            assertEquals(1, reading.errors().size(), reading.errors()::toString);
            assertEquals(code == 22 || code == 25 || code == 27, reading.hasError("a live group owns"));

            expectAllToPass(reading);
            assertEquals(0, offsets.errorCode(0));
        }
    }

    @Test
    void shouldRetryWhileTheGroupIsNotAuthorized()
    {
        findErrors.addAll(List.of(30, 30, 30));
        try (Reading reading = start())
        {
            expectAllToPass(reading);
            assertEquals(1, reading.errors().size(), reading.errors()::toString);
            assertTrue(reading.hasError("GROUP_AUTHORIZATION_FAILED"));
        }
    }

    @Test
    void shouldStopAPartitionWhoseOffsetIsRefused()
    {
        fetchErrors.addAll(List.of(69));
        try (Reading reading = start())
        {
            reading.until("the stop", () -> reading.hasError("GROUP_ID_NOT_FOUND"));
            reading.until("the stop", () -> reading.consumer().counters().get(
                ConsumerCounters.PARTITIONS_STOPPED) == 1);
            reading.consumer().seek(0, 1);
            reading.untilCount(0, 2);
            assertEquals(List.of("b", "c"), reading.values(0));
        }
    }

    @Test
    void shouldUseNoMoreMemoryThanBudgetedForAGroup()
    {
        final ConsumerContext without =
            Reading.context(broker).partitions(0).startPosition(StartPosition.offset(STORED)).conclude();
        final ConsumerContext with = Reading.context(broker).partitions(0)
            .startPosition(StartPosition.committed(GROUP, StartPosition.earliest())).conclude();
        final long heldWithout;
        try (Reading reading = Reading.start(without))
        {
            reading.untilCount(0, 1);
            heldWithout = heldBytes(reading);
        }
        try (Reading reading = Reading.start(with))
        {
            expectAllToPass(reading);
            final long held = heldBytes(reading) - heldWithout;
            final long budgeted = with.memoryBudget() - without.memoryBudget();
            assertTrue(held > 1 << 16 && held <= budgeted, held + " bytes held, " + budgeted + " budgeted");
        }
    }

    private static long heldBytes(final Reading reading)
    {
        return Internals.heldBytes(reading.consumer());
    }

    @ParameterizedTest
    @CsvSource({"7, 127.0.0.1, -1", "7, 127.0.0.1, 70000", "7, 127.0.0.1, -2147483648", "8, 127.0.0.1, 65536",
        "8, '', 9092", "-1, 127.0.0.1, 9092", "-2, 127.0.0.1, 9092"})
    void shouldFindTheCoordinatorAgainAfterAnInvalidAddress(final int nodeId, final String host, final int port)
    {
        hostileFind = new FindCoordinatorResponseData().setCoordinators(List.of(
            new Coordinator().setKey(GROUP).setNodeId(nodeId).setHost(host).setPort(port)));
        try (Reading reading = start())
        {
            expectAllToPass(reading);
            assertEquals(1, reading.errors().size(), reading.errors()::toString);
            assertTrue(reading.hasError("FindCoordinator response from "), reading.errors()::toString);
        }
    }

    @Test
    void shouldRetryWithBackoffWhenAResponseLeavesTheCommittedOffsetOut()
    {
        final RequestTimes fetches = new RequestTimes();
        incompleteLeft.set(4);
        try (Reading reading = start(fetches, ApiMessageType.OFFSET_FETCH, this::fetch))
        {
            reading.untilCount(0, 1);
            fetches.assertDelays(50, 100, 200, 200);
            assertEquals(List.of("c"), reading.values(0));
            assertEquals(1, reading.errors().size(), reading.errors()::toString);
        }
    }

    @Test
    void shouldBeginAtTheStartPositionWhenACommittedOffsetIsInvalid()
    {
        negativeLeft.set(1);
        try (Reading reading = start())
        {
            reading.untilCount(0, 3);
            assertEquals(List.of("a", "b", "c"), reading.values(0));
            assertTrue(reading.hasError("has committed offset -7 "), reading.errors()::toString);
            assertEquals(1, broker.requestCount(ApiMessageType.OFFSET_FETCH));
        }
    }

    @Test
    void shouldRetryWithBackoffWhenAResponseLeavesACommitOut()
    {
        final RequestTimes commits = new RequestTimes();
        try (Reading reading = start(commits, ApiMessageType.OFFSET_COMMIT, this::commit))
        {
            reading.untilCount(0, 1);
            incompleteLeft.set(4);
            expectAllToPass(reading);
            commits.assertDelays(50, 100, 200, 200);
        }
    }

    @Test
    void shouldBackOffLongerAfterEachRetriableError()
    {
        final RequestTimes finds = new RequestTimes();
        findErrors.addAll(List.of(15, 15, 15, 15));
        try (Reading reading = start(finds, ApiMessageType.FIND_COORDINATOR, this::find))
        {
            expectAllToPass(reading);
            finds.assertDelays(50, 100, 200, 200);
        }
    }

    /** Without a limit each of the requests requests metadata. A commit waits for it. */
    // Behaviour O189, tried 2026-11-30: Commits and queries for a partition that no longer exists, and queries for a
    // topic that is never found, fail after a minute. Meanwhile metadata is requested, but not for each retry.
    @Tag("seconds")
    @ParameterizedTest
    @ValueSource(ints = {3, 100})
    void shouldGiveUpAfterAMinuteInWhichTheBrokersDoNotKnowThePartition(final int code)
    {
        final AtomicLong nowNs = new AtomicLong();
        lastingError = code;
        try (Reading reading = Reading.start(Reading.withoutTimeouts(Reading.context(broker).retryBackoffMs(10, 20)
            .nanoClock(nowNs::get).random(() -> Long.MIN_VALUE))))
        {
            final GroupOffsets offsets = reading.consumer().groupOffsets(GROUP);
            reading.untilCount(0, 3);
            reading.untilRefreshed();
            final int metadata = broker.requestCount(ApiMessageType.METADATA);
            offsets.commitAsync(0, 1);
            final CommittedOffsets query = offsets.fetch();
            for (int i = 0; i < RETRIES; i++)
            {
                reading.untilRepeated(broker, ApiMessageType.OFFSET_FETCH);
                reading.untilAnswered(ApiMessageType.METADATA);
                reading.untilAnswered(ApiMessageType.OFFSET_COMMIT);
                nowNs.addAndGet(TimeUnit.MILLISECONDS.toNanos(20));
            }
            assertTrue(broker.requestCount(ApiMessageType.OFFSET_COMMIT) >= 3);
            assertEquals(0, offsets.errorCode(0));
            assertEquals(REFRESHES, broker.requestCount(ApiMessageType.METADATA) - metadata);
            nowNs.addAndGet(TimeUnit.SECONDS.toNanos(30));
            reading.untilRepeated(broker, ApiMessageType.OFFSET_FETCH);
            assertFalse(offsets.areCommitsDone() || query.isDone());
            nowNs.addAndGet(TimeUnit.SECONDS.toNanos(30));
            reading.until("the end", () -> offsets.areCommitsDone() && query.isFailed());
            assertEquals(code, offsets.errorCode(0));
            assertEquals(code, query.errorCode());
            assertEquals(CommittedOffsets.NULL_OFFSET, query.offset(0));
            assertTrue(reading.hasError("offset of partition 0 cannot be committed"), reading.errors()::toString);

            lastingError = 0;
            offsets.commitAsync(0, 2);
            // The commit waits for metadata, which is requested at the end of a backoff of at most 10 s.
            nowNs.addAndGet(TimeUnit.SECONDS.toNanos(10));
            reading.until("the commit", offsets::areCommitsDone);
            assertEquals(2, offsets.committedOffset(0));
            assertEquals(0, offsets.errorCode(0));
        }
    }

    /** Before these versions the broker waits before it responds (KIP-219). */
    @ParameterizedTest
    @CsvSource({"FIND_COORDINATOR, 1, 0", "FIND_COORDINATOR, 2, 1", "OFFSET_FETCH, 3, 0", "OFFSET_FETCH, 4, 1",
        "OFFSET_COMMIT, 3, 0", "OFFSET_COMMIT, 4, 1"})
    void shouldHonourAThrottle(final ApiMessageType type, final int version, final int expected)
    {
        Stream.of(ApiMessageType.FIND_COORDINATOR, ApiMessageType.OFFSET_FETCH, ApiMessageType.OFFSET_COMMIT)
            .filter((other) -> other != type)
            .forEach((other) -> broker.maxVersion(other, other == ApiMessageType.FIND_COORDINATOR ? 1 : 3));
        broker.maxVersion(type, version);
        throttleTimeMs = 2;
        try (Reading reading = start())
        {
            expectAllToPass(reading);
            assertEquals(expected, reading.events().stream().filter("throttled 2"::equals).count());
        }
    }

    @Test
    void shouldReportThatNoVersionIsInCommon()
    {
        broker.maxVersion(ApiMessageType.OFFSET_FETCH, -1);
        try (Reading reading = Reading.start(Reading.context(broker)))
        {
            final CommittedOffsets query = reading.consumer().groupOffsets(GROUP).fetch();
            reading.until("the failure", query::isFailed);
            assertEquals(35, query.errorCode());
            assertTrue(reading.hasError("have no version of it in common"));
        }
    }

    /** The delays are 1, 2, 4, 8 and 16 s, each shortened by at most 20 percent. */
    @Test
    void shouldLookForACoordinatorThatCannotBeReachedWithAGrowingBackoff()
    {
        final AtomicInteger found = new AtomicInteger();
        broker.script(ApiMessageType.FIND_COORDINATOR, (call) ->
        {
            found.incrementAndGet();
            final FindCoordinatorResponseData data = new FindCoordinatorResponseData();
            data.coordinators().add(
                new Coordinator().setKey(GROUP).setNodeId(OneTopicBroker.NODE_ID + 1).setHost("127.0.0.1").setPort(1));
            return call.answer(data);
        });
        final AtomicLong nowNs = new AtomicLong();
        try (Reading reading = Reading.start(
            Reading.context(broker).nanoClock(nowNs::get).reconnectBackoffMs(1_000, 60_000)))
        {
            reading.consumer().groupOffsets(GROUP).commitAsync(0, 1);
            reading.until("six attempts", () ->
            {
                LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(200));
                nowNs.addAndGet(TimeUnit.MILLISECONDS.toNanos(20));
                return found.get() == 6;
            });
            // The commit is still outstanding, and this clock does not pass its timeout by itself.
            reading.consumer().close(0);
        }
        assertTrue(nowNs.get() >= TimeUnit.MILLISECONDS.toNanos(24_800), nowNs::toString);
    }
}
