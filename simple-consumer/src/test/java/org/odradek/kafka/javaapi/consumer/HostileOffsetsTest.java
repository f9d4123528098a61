// SPDX-License-Identifier: Apache-2.0
package org.odradek.kafka.javaapi.consumer;

import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.FindCoordinatorResponseData;
import org.apache.kafka.common.message.FindCoordinatorResponseData.Coordinator;
import org.apache.kafka.common.message.ListOffsetsResponseData;
import org.apache.kafka.common.message.ListOffsetsResponseData.ListOffsetsPartitionResponse;
import org.apache.kafka.common.message.ListOffsetsResponseData.ListOffsetsTopicResponse;
import org.apache.kafka.common.message.OffsetCommitResponseData;
import org.apache.kafka.common.message.OffsetCommitResponseData.OffsetCommitResponsePartition;
import org.apache.kafka.common.message.OffsetCommitResponseData.OffsetCommitResponseTopic;
import org.apache.kafka.common.message.OffsetFetchResponseData;
import org.apache.kafka.common.message.OffsetFetchResponseData.OffsetFetchResponseGroup;
import org.apache.kafka.common.message.OffsetFetchResponseData.OffsetFetchResponsePartitions;
import org.apache.kafka.common.message.OffsetFetchResponseData.OffsetFetchResponseTopics;
import org.apache.kafka.common.protocol.ApiMessage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.odradek.harness.Answer;
import org.odradek.harness.RequestFrame;
import org.odradek.harness.ScriptedPeer;
import org.odradek.kafka.api.FetchRequestBuilder;
import org.odradek.kafka.api.PartitionOffsetRequestInfo;
import org.odradek.kafka.common.ErrorMapping;
import org.odradek.kafka.common.OffsetAndMetadata;
import org.odradek.kafka.common.OffsetMetadataAndError;
import org.odradek.kafka.common.TopicAndPartition;
import org.odradek.kafka.javaapi.FetchResponse;
import org.odradek.kafka.javaapi.OffsetCommitRequest;
import org.odradek.kafka.javaapi.OffsetCommitResponse;
import org.odradek.kafka.javaapi.OffsetFetchRequest;
import org.odradek.kafka.javaapi.OffsetRequest;
import org.odradek.kafka.javaapi.OffsetResponse;
import org.odradek.testkit.AllocationMeter;

import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Tests responses that list many partitions of a topic with a long name, although one partition of another topic was
 * requested: what is allocated is a multiple of the frame, and only what was requested is returned. A requested
 * partition that a response leaves out has an error, unless the broker throttles.
 */
class HostileOffsetsTest
{
    private static final int COUNT = 50_000;
    private static final long MAX_ALLOCATED = 100L << 20;
    private static final String LONG_NAME = "x".repeat(32_000);
    private static final TopicAndPartition WANTED = new TopicAndPartition("topic", 0);
    private static final TopicAndPartition LEFT_OUT = new TopicAndPartition("topic", 1);

    private volatile int throttleTimeMs;
    private final ScriptedPeer peer = ScriptedPeer.start(this::onRequest);
    private final SimpleConsumer consumer = new SimpleConsumer("127.0.0.1", peer.port(), 10_000, 0, "simple");

    @AfterEach
    void close()
    {
        consumer.close();
        peer.close();
    }

    private Answer onRequest(final RequestFrame frame)
    {
        final ApiMessage response = switch (frame.type())
        {
            case API_VERSIONS -> RequestFrame.versions(
                ApiMessageType.METADATA, ApiMessageType.FIND_COORDINATOR, ApiMessageType.API_VERSIONS,
                ApiMessageType.LIST_OFFSETS, ApiMessageType.OFFSET_FETCH, ApiMessageType.OFFSET_COMMIT,
                ApiMessageType.FETCH);
            case FIND_COORDINATOR -> new FindCoordinatorResponseData().setCoordinators(List.of(
                new Coordinator().setKey("group").setNodeId(7).setHost("127.0.0.1").setPort(peer.port())));
            case FETCH -> new FetchResponseData().setThrottleTimeMs(throttleTimeMs);
            case LIST_OFFSETS -> new ListOffsetsResponseData().setTopics(List.of(
                new ListOffsetsTopicResponse().setName(LONG_NAME).setPartitions(IntStream.range(0, COUNT)
                    .mapToObj((p) -> new ListOffsetsPartitionResponse().setPartitionIndex(p)).toList()),
                new ListOffsetsTopicResponse().setName("topic").setPartitions(List.of(
                    new ListOffsetsPartitionResponse().setOffset(5)))));
            case OFFSET_FETCH -> new OffsetFetchResponseData().setGroups(List.of(
                new OffsetFetchResponseGroup().setGroupId("group").setTopics(List.of(
                    new OffsetFetchResponseTopics().setName(LONG_NAME).setPartitions(IntStream.range(0, COUNT)
                        .mapToObj((p) -> new OffsetFetchResponsePartitions().setPartitionIndex(p)).toList()),
                    new OffsetFetchResponseTopics().setName("topic").setPartitions(List.of(
                        new OffsetFetchResponsePartitions().setCommittedOffset(6)))))));
            default -> new OffsetCommitResponseData().setTopics(List.of(
                new OffsetCommitResponseTopic().setName(LONG_NAME).setPartitions(IntStream.range(0, COUNT)
                    .mapToObj((p) -> new OffsetCommitResponsePartition().setPartitionIndex(p)).toList()),
                new OffsetCommitResponseTopic().setName("topic").setPartitions(List.of(
                    new OffsetCommitResponsePartition().setErrorCode((short)7)))));
        };
        return frame.answer(response);
    }

    private static void assertFrugal(final Runnable call)
    {
        final AllocationMeter meter = new AllocationMeter();
        meter.start();
        call.run();
        meter.stop();
        assertTrue(meter.allocatedBytes() < MAX_ALLOCATED, () -> meter.allocatedBytes() + " bytes");
    }

    @Test
    void shouldReturnOnlyTheRequestedOffsets()
    {
        assertFrugal(() -> assertEquals(5, consumer.getOffsetsBefore(new OffsetRequest(
            Map.of(WANTED, new PartitionOffsetRequestInfo(-1, 1)), (short)0, "simple")).offsets("topic", 0)[0]));
    }

    @Test
    void shouldReturnOnlyTheRequestedCommittedOffsets()
    {
        assertFrugal(() -> assertEquals(List.of(WANTED), List.copyOf(consumer.fetchOffsets(
            new OffsetFetchRequest("group", List.of(WANTED), 1, "simple")).offsets().keySet())));
    }

    @Test
    void shouldReturnOnlyTheErrorsOfWhatWasCommitted()
    {
        assertFrugal(() -> assertEquals(Map.of(WANTED, (short)7), consumer.commitOffsets(new OffsetCommitRequest(
            "group", Map.of(WANTED, new OffsetAndMetadata(1, "", -1)), 1, "simple")).errors()));
    }

    /** The program would take its offset for stored. */
    @Test
    void shouldNotCountAPartitionThatIsLeftOutAsCommitted()
    {
        final OffsetCommitResponse response = consumer.commitOffsets(new OffsetCommitRequest(
            "group", Map.of(LEFT_OUT, new OffsetAndMetadata(1, "", -1)), 1, "simple"));

        assertTrue(response.hasError());
        assertEquals(ErrorMapping.UnknownCode(), response.errorCode(LEFT_OUT));
    }

    @Test
    void shouldReportAnErrorForEachPartitionThatIsLeftOut()
    {
        assertEquals(new OffsetMetadataAndError(-1, "", ErrorMapping.UnknownCode()), consumer.fetchOffsets(
            new OffsetFetchRequest("group", List.of(WANTED, LEFT_OUT), 1, "simple")).offsets().get(LEFT_OUT));
        final OffsetResponse offsets = consumer.getOffsetsBefore(new OffsetRequest(
            Map.of(LEFT_OUT, new PartitionOffsetRequestInfo(-1, 1)), (short)0, "simple"));
        assertEquals(ErrorMapping.UnknownCode(), offsets.errorCode("topic", 1));
        assertEquals(0, offsets.offsets("topic", 1).length);
        final FetchResponse fetched = consumer.fetch(
            new FetchRequestBuilder().clientId("simple").addFetch("topic", 1, 5, 100).build());
        assertEquals(ErrorMapping.UnknownCode(), fetched.errorCode("topic", 1));
        assertEquals(-1, fetched.highWatermark("topic", 1));
        assertFalse(fetched.messageSet("topic", 1).iterator().hasNext());
    }

    /** A broker that throttles a fetch answers without partitions. */
    @Test
    void shouldReportNoErrorIfTheBrokerThrottles()
    {
        throttleTimeMs = 100;

        final FetchResponse fetched = consumer.fetch(
            new FetchRequestBuilder().clientId("simple").addFetch("topic", 1, 5, 100).build());

        assertFalse(fetched.hasError());
        assertEquals(ErrorMapping.NoError(), fetched.errorCode("topic", 1));
        assertFalse(fetched.messageSet("topic", 1).iterator().hasNext());
    }
}
