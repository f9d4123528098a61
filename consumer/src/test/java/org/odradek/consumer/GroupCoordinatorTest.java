// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.odradek.consumer.status.CommittedOffsets;
import org.odradek.consumer.status.ConsumerCounters;
import org.odradek.testkit.Answer;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * What a coordinator answers that a real one does not on request: each error once or always, in every version.
 */
@Timeout(120)
class GroupCoordinatorTest
{
    private static final String GROUP = "group";
    private static final long STORED = 2;

    private final ScriptedBroker broker = ScriptedBroker.start(1).append(0, "a", "b").append(0, "c");
    private final Deque<Integer> findErrors = new ArrayDeque<>();
    private final Deque<Integer> commitErrors = new ArrayDeque<>();
    private final Deque<Integer> fetchErrors = new ArrayDeque<>();
    private volatile long committed = -1;

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

    /** Below 0: close the connection instead. */
    private static synchronized int next(final Deque<Integer> errors)
    {
        return errors.isEmpty() ? 0 : errors.poll();
    }

    private Answer find(final ScriptedBroker.Call call)
    {
        final short code = (short) next(findErrors);
        final FindCoordinatorResponseData data = new FindCoordinatorResponseData();
        if (call.version() >= 4)
        {
            data.coordinators().add(new Coordinator().setKey(GROUP).setErrorCode(code)
                .setNodeId(code == 0 ? ScriptedBroker.NODE_ID : -1).setHost("127.0.0.1").setPort(broker.peer().port()));
        }
        else
        {
            data.setErrorCode(code).setNodeId(code == 0 ? ScriptedBroker.NODE_ID : -1)
                .setHost("127.0.0.1").setPort(broker.peer().port());
        }
        return ScriptedBroker.answer(call, data);
    }

    private Answer commit(final ScriptedBroker.Call call)
    {
        final int code = next(commitErrors);
        if (code < 0)
        {
            return Answer.close();
        }
        final OffsetCommitRequestPartition asked =
            ((OffsetCommitRequestData) call.request()).topics().get(0).partitions().get(0);
        committed = code == 0 ? asked.committedOffset() : committed;
        final boolean isById = call.version() >= 10;
        return ScriptedBroker.answer(call, new OffsetCommitResponseData().setTopics(List.of(
            new OffsetCommitResponseTopic().setName(isById ? "" : ScriptedBroker.TOPIC)
                .setTopicId(isById ? ScriptedBroker.TOPIC_ID : Uuid.ZERO_UUID)
                .setPartitions(List.of(new OffsetCommitResponsePartition()
                    .setPartitionIndex(asked.partitionIndex()).setErrorCode((short) code))))));
    }

    private Answer fetch(final ScriptedBroker.Call call)
    {
        final short code = (short) next(fetchErrors);
        final long offset = code == 0 ? STORED : -1;
        if (call.version() < 8)
        {
            final OffsetFetchResponseData data = new OffsetFetchResponseData().setTopics(List.of(
                new OffsetFetchResponseTopic().setName(ScriptedBroker.TOPIC).setPartitions(List.of(
                    new OffsetFetchResponsePartition().setCommittedOffset(offset).setMetadata("")
                        .setErrorCode(call.version() >= 2 ? 0 : code)))));
            return ScriptedBroker.answer(call, call.version() >= 2 ? data.setErrorCode(code) : data);
        }
        final boolean isById = call.version() >= 10;
        return ScriptedBroker.answer(call, new OffsetFetchResponseData().setGroups(List.of(
            new OffsetFetchResponseGroup().setGroupId(GROUP).setErrorCode(code).setTopics(List.of(
                new OffsetFetchResponseTopics().setName(isById ? "" : ScriptedBroker.TOPIC)
                    .setTopicId(isById ? ScriptedBroker.TOPIC_ID : Uuid.ZERO_UUID)
                    .setPartitions(List.of(new OffsetFetchResponsePartitions()
                        .setCommittedOffset(offset).setMetadata(""))))))));
    }

    private Reading start()
    {
        return Reading.start(Reading.context(broker)
            .startPosition(StartPosition.committed(GROUP, StartPosition.earliest())));
    }

    private void expectAllToPass(final Reading reading)
    {
        final GroupOffsets offsets = reading.consumer().groupOffsets(GROUP);
        reading.untilCount(0, 1);
        assertEquals(List.of("c"), reading.values(0));
        offsets.commit();
        reading.until("the commit", offsets::isCommitted);
        assertEquals(3, offsets.committedOffset(0));
        assertEquals(3, committed);
    }

    static IntStream versions()
    {
        return IntStream.rangeClosed(0, 10);
    }

    @ParameterizedTest
    @MethodSource("versions")
    void shouldSpeakEveryVersion(final int version)
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

    @ParameterizedTest
    @ValueSource(ints = {14, 15, 16, 7, 3, 100, 88})
    void shouldTryAgainWhatPasses(final int code)
    {
        findErrors.addAll(List.of(code, code));
        fetchErrors.addAll(List.of(code, code));
        commitErrors.addAll(List.of(code, code));
        try (Reading reading = start())
        {
            expectAllToPass(reading);
            assertEquals(3, broker.requestCount(ApiMessageType.OFFSET_COMMIT));
            assertEquals(3, broker.requestCount(ApiMessageType.OFFSET_FETCH));
        }
    }

    @Test
    void shouldSendAgainWhatWasOnItsWay()
    {
        commitErrors.addAll(List.of(-1, 0));
        try (Reading reading = start())
        {
            expectAllToPass(reading);
            assertTrue(broker.requestCount(ApiMessageType.FIND_COORDINATOR) >= 2);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {22, 25, 27, 12, 28, 29, 30})
    void shouldGiveUpWhatDoesNotPass(final int code)
    {
        commitErrors.addAll(List.of(code));
        try (Reading reading = start())
        {
            final GroupOffsets offsets = reading.consumer().groupOffsets(GROUP);
            offsets.commit(0, 1);
            reading.until("the refusal", offsets::isCommitted);

            assertEquals(code, offsets.errorCode(0));
            assertEquals(-1, offsets.committedOffset(0));
            assertEquals(1, reading.errors().size(), reading.errors()::toString);
            assertEquals(code == 22 || code == 25 || code == 27, reading.hasError("a live group owns"));

            expectAllToPass(reading);
            assertEquals(0, offsets.errorCode(0));
        }
    }

    @Test
    void shouldAskAgainWhileTheGroupIsForbidden()
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
    void shouldTakeNoMoreMemoryThanIsBudgetedForAGroup()
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
        final Matcher held = Pattern.compile(", memory (\\d+) of a budget").matcher(reading.consumer().describe());
        assertTrue(held.find());
        return Long.parseLong(held.group(1));
    }

    @Test
    void shouldSayThatTheBrokerSpeaksNoVersion()
    {
        broker.maxVersion(ApiMessageType.OFFSET_FETCH, -1);
        try (Reading reading = Reading.start(Reading.context(broker)))
        {
            final CommittedOffsets query = reading.consumer().groupOffsets(GROUP).fetch();
            reading.until("the failure", query::isFailed);
            assertEquals(35, query.errorCode());
            assertTrue(reading.hasError("speaks no version of OffsetCommit or OffsetFetch"));
        }
    }
}
