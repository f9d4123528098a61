// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.jmh;

import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.ApiVersionsResponseData;
import org.apache.kafka.common.message.ApiVersionsResponseData.ApiVersion;
import org.apache.kafka.common.message.ApiVersionsResponseData.ApiVersionCollection;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.FetchResponseData.FetchableTopicResponse;
import org.apache.kafka.common.message.FetchResponseData.PartitionData;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponseBroker;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponseBrokerCollection;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponsePartition;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponseTopic;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponseTopicCollection;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.MessageUtil;
import org.apache.kafka.common.record.internal.MemoryRecords;

import java.nio.ByteBuffer;
import java.util.List;

/**
 * What a broker with one topic of one partition answers, encoded once by kafka-clients' own message classes. The same
 * fetch is answered again and again.
 */
final class RecordedAnswers
{
    static final String TOPIC = "recorded";
    static final String HOST = "127.0.0.1";
    static final int PORT = 9092;

    private static final int SIZE_LENGTH = 4;
    private static final int CORRELATION_ID_LENGTH = 4;
    private static final int LENGTH_INDEX_IN_BATCH = 8;
    private static final int BATCH_OVERHEAD = 12;
    private static final Uuid TOPIC_ID = new Uuid(23, 1);

    private final RecordedBatches batches;
    private final ByteBuffer[] encoded = new ByteBuffer[ApiKeys.API_VERSIONS.id + 1];
    private final int[] batchIndexes;
    private final long[] baseOffsets;

    RecordedAnswers(final RecordedBatches batches)
    {
        this.batches = batches;
        batchIndexes = new int[batches.batchCount()];
        baseOffsets = new long[batches.batchCount()];
    }

    /**
     * @return a whole frame, its size in front, with correlation id 0; each version is encoded once.
     */
    ByteBuffer to(final short apiKey, final short version)
    {
        if (encoded[apiKey] == null)
        {
            encoded[apiKey] = frame(ApiKeys.forId(apiKey), version);
        }
        return encoded[apiKey];
    }

    private ByteBuffer frame(final ApiKeys api, final short version)
    {
        final ByteBuffer body = MessageUtil.toByteBufferAccessor(body(api), version).buffer();
        final int headerLength = CORRELATION_ID_LENGTH + (api.responseHeaderVersion(version) > 0 ? 1 : 0);
        final ByteBuffer frame = ByteBuffer.allocateDirect(SIZE_LENGTH + headerLength + body.remaining());
        frame.putInt(frame.capacity() - SIZE_LENGTH).position(SIZE_LENGTH + headerLength).put(body).flip();
        if (api == ApiKeys.FETCH)
        {
            findBatches(frame);
        }
        return frame;
    }

    private ApiMessage body(final ApiKeys api)
    {
        return switch (api)
        {
            case API_VERSIONS -> versions();
            case METADATA -> metadata();
            case FETCH -> fetch();
            default -> throw new IllegalStateException("No answer to " + api + " was recorded.");
        };
    }

    private static ApiMessage versions()
    {
        final ApiVersionCollection versions = new ApiVersionCollection();
        for (final ApiKeys api : List.of(ApiKeys.FETCH, ApiKeys.METADATA, ApiKeys.LIST_OFFSETS, ApiKeys.API_VERSIONS))
        {
            versions.add(new ApiVersion()
                .setApiKey(api.id).setMinVersion(api.oldestVersion()).setMaxVersion(api.latestVersion()));
        }
        return new ApiVersionsResponseData().setApiKeys(versions);
    }

    private static ApiMessage metadata()
    {
        final MetadataResponseBrokerCollection brokers = new MetadataResponseBrokerCollection();
        brokers.add(new MetadataResponseBroker().setNodeId(1).setHost(HOST).setPort(PORT));
        final MetadataResponseTopicCollection topics = new MetadataResponseTopicCollection();
        topics.add(new MetadataResponseTopic().setName(TOPIC).setTopicId(TOPIC_ID).setPartitions(List.of(
            new MetadataResponsePartition().setPartitionIndex(0).setLeaderId(1).setLeaderEpoch(0)
                .setReplicaNodes(List.of(1)).setIsrNodes(List.of(1)))));
        return new MetadataResponseData().setBrokers(brokers).setControllerId(1).setTopics(topics);
    }

    private ApiMessage fetch()
    {
        return new FetchResponseData().setResponses(List.of(new FetchableTopicResponse()
            .setTopic(TOPIC).setTopicId(TOPIC_ID).setPartitions(List.of(new PartitionData().setPartitionIndex(0)
                .setHighWatermark(Long.MAX_VALUE).setLastStableOffset(Long.MAX_VALUE).setLogStartOffset(0)
                .setRecords(MemoryRecords.readableRecords(batches.bytes()))))));
    }

    private void findBatches(final ByteBuffer frame)
    {
        final ByteBuffer bytes = batches.bytes();
        int inBatches = 0;
        // The record set is the last of the answer, but for the tagged fields that end it.
        int start = frame.limit() - bytes.limit();
        while (frame.slice(start, bytes.limit()).mismatch(bytes) >= 0)
        {
            start--;
        }
        for (int i = 0; i < batchIndexes.length; i++)
        {
            batchIndexes[i] = start + inBatches;
            baseOffsets[i] = bytes.getLong(inBatches);
            inBatches += BATCH_OVERHEAD + bytes.getInt(inBatches + LENGTH_INDEX_IN_BATCH);
        }
    }

    /**
     * Let the batches of a fetch begin where those of the one before ended.
     *
     * @param buffer     that holds the answer.
     * @param from       index of the answer.
     * @param fetchCount how many came before.
     */
    void renewOffsets(final ByteBuffer buffer, final int from, final long fetchCount)
    {
        final long shift = fetchCount * batches.recordCount();
        for (int i = 0; i < batchIndexes.length; i++)
        {
            buffer.putLong(from + batchIndexes[i], baseOffsets[i] + shift);
        }
    }
}
