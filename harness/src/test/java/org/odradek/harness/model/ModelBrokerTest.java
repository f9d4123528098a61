// SPDX-License-Identifier: Apache-2.0
package org.odradek.harness.model;

import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.message.ApiVersionsRequestData;
import org.apache.kafka.common.message.ApiVersionsResponseData;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchRequestData.FetchPartition;
import org.apache.kafka.common.message.FetchRequestData.FetchTopic;
import org.apache.kafka.common.message.FetchRequestData.ForgottenTopic;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.FetchResponseData.PartitionData;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

class ModelBrokerTest
{
    private static final long NS_PER_MS = 1_000_000;
    private static final int WAIT_MS = 500;

    private final ModelCluster cluster = new ModelCluster(() -> nowNs());
    private long nowNs;
    private ModelBroker broker;
    private ModelTopic topic;
    private ModelClient client;

    private long nowNs()
    {
        return nowNs;
    }

    @BeforeEach
    void setUp()
    {
        broker = cluster.addBroker(1, "b1", 9092, BrokerRelease.NEWEST).rack("east");
        cluster.addBroker(2, "b2", 9092, BrokerRelease.NEWEST).rack("west");
        topic = cluster.createTopic("t", 3, 2);
        topic.partitions().forEach((partition) -> partition.elect(1));
        client = new ModelClient(broker);
    }

    @Test
    void shouldAnswerLongPollWhenEnoughBytesAreThere()
    {
        client.send(ApiMessageType.FETCH, fetch(0, 0, 0).setMinBytes(100));
        assertNull(client.poll());
        assertEquals(WAIT_MS * NS_PER_MS, client.connection.nextDeadline());

        final long changes = broker.changeCount();
        topic.partition(0).log().append(BatchTemplate.ofValues("a"));
        assertTrue(broker.changeCount() > changes);
        assertNull(client.poll());

        topic.partition(0).log().append(BatchTemplate.ofValues("b"));
        assertEquals(2 * BatchTemplate.ofValues("a").length(), records(poll()).get(0));
    }

    @Test
    void shouldAnswerLongPollWhenItsWaitHasEnded()
    {
        client.send(ApiMessageType.FETCH, fetch(0, 0, 0));
        nowNs = WAIT_MS * NS_PER_MS - 1;
        assertNull(client.poll());

        nowNs++;
        assertEquals(3, poll().responses().get(0).partitions().size());
    }

    @Test
    void shouldAnswerLongPollWhenLeaderMoves()
    {
        client.send(ApiMessageType.FETCH, fetch(0, 0, 0));
        assertNull(client.poll());

        topic.partition(1).elect(2);

        final FetchResponseData response = poll();
        final PartitionData moved = response.responses().get(0).partitions().get(1);
        assertEquals(Errors.FENCED_LEADER_EPOCH.code(), moved.errorCode());
        assertEquals(2, moved.currentLeader().leaderId());
        assertEquals(2, moved.currentLeader().leaderEpoch());
        assertEquals("b2", response.nodeEndpoints().find(2).host());
    }

    @Test
    void shouldReturnFirstBatchWholeAndCutLaterOnesAtTheLimit()
    {
        final int length = BatchTemplate.ofValues("a").length();
        topic.partition(0).log().append(BatchTemplate.ofValues("a"));
        topic.partition(1).log().append(BatchTemplate.ofValues("b"));

        assertEquals(List.of(length, 0, 0), records(exchange(fetch(0, 0, 0).setMaxBytes(1))));
        assertEquals(List.of(length, 0, 0), records(exchange(fetch(0, 0, 0).setMaxBytes(length + 10))));
        topic.partition(0).log().append(BatchTemplate.ofValues("c"));
        assertEquals(List.of(length + 10, 0, 0), records(exchange(fetch(0, 0, 0).setMaxBytes(length + 10))));
    }

    @Test
    void shouldKeepSessionAndLeaveOutWhatHasNotChanged()
    {
        topic.partition(0).log().append(BatchTemplate.ofValues("a"));
        final int id = exchange(fetch(0, 0, 0)).sessionId();
        assertTrue(id > 0);

        final FetchResponseData unchanged = exchange(incremental(id, 1, 1, 0, 0));
        assertEquals(List.of(), unchanged.responses());
        topic.partition(1).log().append(BatchTemplate.ofValues("b"));
        final FetchResponseData changed = exchange(incremental(id, 2));
        assertEquals(1, changed.responses().get(0).partitions().get(0).partitionIndex());

        // A partition with records is last in the next response, and its position was not advanced.
        topic.partition(2).log().append(BatchTemplate.ofValues("c"));
        final FetchResponseData both = exchange(incremental(id, 3));
        assertEquals(List.of(2, 1), both.responses().get(0).partitions().stream()
            .map(PartitionData::partitionIndex).toList());
        assertEquals(List.of(0, 1, 2), broker.sessions().partitions());
    }

    @Test
    void shouldRefuseWrongSessionsAndEndOneWithoutPartitions()
    {
        final int id = exchange(fetch(0, 0, 0).setMaxWaitMs(0)).sessionId();

        assertEquals(Errors.FETCH_SESSION_ID_NOT_FOUND.code(), exchange(incremental(id + 1, 1)).errorCode());
        assertEquals(Errors.INVALID_FETCH_SESSION_EPOCH.code(), exchange(incremental(id, 2)).errorCode());
        client.send(ApiMessageType.FETCH, 12, incremental(id, 1));
        assertEquals(Errors.FETCH_SESSION_TOPIC_ID_ERROR.code(), poll().errorCode());

        final FetchRequestData forget = incremental(id, 1);
        forget.forgottenTopicsData().add(
            new ForgottenTopic().setTopicId(topic.id()).setPartitions(List.of(0, 1, 2)));
        assertEquals(0, exchange(forget).sessionId());
        assertEquals(0, broker.sessions().count());
    }

    @Test
    void shouldEvictOnlyIdleSessions()
    {
        broker.sessions().limit(1);
        final int first = exchange(fetch(0, 0, 0).setMaxWaitMs(0)).sessionId();
        assertEquals(0, exchange(fetch(0, 0, 0).setMaxWaitMs(0)).sessionId());

        nowNs += 120_001 * NS_PER_MS;
        final int second = exchange(fetch(0, 0, 0).setMaxWaitMs(0)).sessionId();

        assertTrue(second > 0);
        assertEquals(Errors.FETCH_SESSION_ID_NOT_FOUND.code(), exchange(incremental(first, 1)).errorCode());
    }

    @Test
    void shouldServeFollowersUpToTheirEnd()
    {
        cluster.followerFetching(true);
        topic.partition(0).log().append(BatchTemplate.ofValues("a"));
        topic.partition(0).log().append(BatchTemplate.ofValues("b"));
        topic.partition(0).replicaEndOffset(2, 1);

        final FetchRequestData request = fetch(1, 0, 0).setRackId("west");
        assertEquals(2, exchange(request).responses().get(0).partitions().get(0).preferredReadReplica());
        final ModelClient follower = new ModelClient(cluster.broker(2));
        follower.send(ApiMessageType.FETCH, fetch(2, 0, 0));
        final FetchResponseData beyond = (FetchResponseData)follower.poll();
        assertEquals(Errors.OFFSET_OUT_OF_RANGE.code(),
            beyond.responses().get(0).partitions().get(0).errorCode());

        follower.send(ApiMessageType.FETCH, fetch(0, 0, 0));
        final PartitionData data = ((FetchResponseData)follower.poll()).responses().get(0).partitions().get(0);
        assertEquals(1, data.highWatermark());
        assertEquals(BatchTemplate.ofValues("a").length(), data.records().sizeInBytes());
    }

    @Test
    void shouldAnswerFromStaleView()
    {
        broker.stale(true);
        topic.partition(0).log().append(BatchTemplate.ofValues("a"));
        topic.partition(0).elect(2);

        final MetadataResponseData stale = metadata(client);
        assertEquals(1, stale.topics().find("t").partitions().get(0).leaderId());
        assertEquals(2, metadata(new ModelClient(cluster.broker(2))).topics().find("t").partitions().get(0).leaderId());
        assertEquals(0, exchange(fetch(0, 0, 0).setMaxWaitMs(0)).responses().get(0).partitions().get(0)
            .highWatermark());

        broker.stale(false);
        assertEquals(2, metadata(client).topics().find("t").partitions().get(0).leaderId());
    }

    @Test
    void shouldMuteThrottledConnectionAndDelayAndDropResponses()
    {
        final List<ModelRequest> seen = new ArrayList<>();
        cluster.hooks(new BrokerHooks()
        {
            @Override
            public void onRequest(final ModelRequest request)
            {
                seen.add(request);
                switch (seen.size())
                {
                    case 1 -> request.throttle(100);
                    case 2 -> request.delayResponse(7);
                    default -> request.dropResponse();
                }
            }
        });

        assertEquals(100, metadata(client).throttleTimeMs());
        client.send(ApiMessageType.METADATA, new MetadataRequestData());
        assertNull(client.poll());
        nowNs = client.connection.nextDeadline();
        assertEquals(100 * NS_PER_MS, nowNs);
        assertNull(client.poll());
        nowNs = client.connection.nextDeadline();
        assertEquals(100 * NS_PER_MS + 7, nowNs);
        assertNotNull(client.poll());

        client.send(ApiMessageType.METADATA, new MetadataRequestData());
        assertNull(client.poll());
        assertEquals(Long.MAX_VALUE, client.connection.nextDeadline());
        assertEquals(3, seen.size());
    }

    @Test
    void shouldPlanErrorsOfPartitionsAndMutateFrames()
    {
        cluster.hooks(new BrokerHooks()
        {
            @Override
            public Errors partitionError(final ModelRequest request, final String name, final int partition)
            {
                return partition == 1 ? Errors.KAFKA_STORAGE_ERROR : Errors.NONE;
            }

            @Override
            public ByteBuffer onResponse(final ModelRequest request, final ByteBuffer frame)
            {
                return request.type() == ApiMessageType.METADATA ? frame.limit(frame.limit() - 1) : frame;
            }
        });

        assertEquals(Errors.KAFKA_STORAGE_ERROR.code(),
            exchange(fetch(0, 0, 0)).responses().get(0).partitions().get(1).errorCode());
        client.send(ApiMessageType.METADATA, new MetadataRequestData());
        final ByteBuffer cut = client.connection.response();
        assertEquals(cut.getInt(0), cut.remaining() - Integer.BYTES + 1);
    }

    @Test
    void shouldSendScriptedAndChangedResponses()
    {
        final List<ModelRequest> seen = new ArrayList<>();
        cluster.hooks(new BrokerHooks()
        {
            @Override
            public void onRequest(final ModelRequest request)
            {
                seen.add(request);
                if (seen.size() == 1)
                {
                    request.respond(new MetadataResponseData().setControllerId(77));
                }
                else if (seen.size() == 2)
                {
                    request.respond(new byte[] {1, 2, 3});
                }
            }

            @Override
            public void onAnswer(final ModelRequest request, final ApiMessage response)
            {
                ((MetadataResponseData)response).setClusterId("changed");
            }
        });

        final MetadataResponseData scripted = metadata(client);
        assertEquals(77, scripted.controllerId());
        assertEquals("changed", scripted.clusterId());
        client.send(ApiMessageType.METADATA, new MetadataRequestData());
        assertEquals(Integer.BYTES + Integer.BYTES + 1 + 3, client.connection.response().remaining());
        assertEquals(1, metadata(client).controllerId());
    }

    @Test
    void shouldServePipelinedRequestsInTurn()
    {
        client.send(ApiMessageType.FETCH, fetch(0, 0, 0));
        client.send(ApiMessageType.METADATA, new MetadataRequestData());
        assertNull(client.connection.response());

        topic.partition(0).log().append(BatchTemplate.ofValues("a"));

        assertEquals(1, client.connection.response().getInt(Integer.BYTES), "correlation id of the fetch");
        assertEquals(2, client.connection.response().getInt(Integer.BYTES));
        assertNull(client.connection.response());
    }

    @Test
    void shouldRefuseUnsupportedVersionsAsReleasesDo()
    {
        client.send(ApiMessageType.FETCH, 18, fetch(0, 0, 0));
        assertNull(client.poll());
        assertFalse(client.connection.isClosed());

        broker.start(new BrokerRelease(2, 3));
        final ModelClient toOld = new ModelClient(broker);
        toOld.send(ApiMessageType.API_VERSIONS, 0, new ApiVersionsRequestData());
        final ApiVersionsResponseData versions = (ApiVersionsResponseData)toOld.poll();
        assertEquals(11, versions.apiKeys().find(ApiMessageType.FETCH.apiKey()).maxVersion());
        assertEquals(8, versions.apiKeys().find(ApiMessageType.METADATA.apiKey()).maxVersion());
        toOld.send(ApiMessageType.FETCH, 12, fetch(0, 0, 0));
        assertTrue(toOld.connection.isClosed());

        final ModelClient malformed = new ModelClient(broker);
        malformed.connection.request(ByteBuffer.wrap(new byte[] {0, 1, 0, 11, 0}));
        assertTrue(malformed.connection.isClosed());
    }

    @Test
    void shouldEndConnectionsAndSessionsWhenItStops()
    {
        final int id = exchange(fetch(0, 0, 0).setMaxWaitMs(0)).sessionId();

        broker.stop();

        assertTrue(client.connection.isClosed());
        broker.start(BrokerRelease.NEWEST);
        client = new ModelClient(broker);
        assertEquals(Errors.FETCH_SESSION_ID_NOT_FOUND.code(), exchange(incremental(id, 1)).errorCode());
    }

    private FetchRequestData fetch(final long... offsets)
    {
        return listing(new FetchRequestData().setMaxWaitMs(WAIT_MS).setMinBytes(1).setSessionId(0).setSessionEpoch(0),
            offsets);
    }

    private FetchRequestData incremental(final int id, final int epoch, final long... offsets)
    {
        return listing(new FetchRequestData().setMaxWaitMs(0).setMinBytes(1).setSessionId(id).setSessionEpoch(epoch),
            offsets);
    }

    private FetchRequestData listing(final FetchRequestData request, final long... offsets)
    {
        final FetchTopic listed = new FetchTopic().setTopicId(topic.id()).setTopic(topic.name());
        for (int i = 0; i < offsets.length; i++)
        {
            listed.partitions().add(new FetchPartition().setPartition(i).setCurrentLeaderEpoch(1)
                .setFetchOffset(offsets[i]).setPartitionMaxBytes(1_000_000));
        }
        if (offsets.length > 0)
        {
            request.topics().add(listed);
        }
        return request;
    }

    private FetchResponseData exchange(final FetchRequestData request)
    {
        client.send(ApiMessageType.FETCH, request);
        return poll();
    }

    private FetchResponseData poll()
    {
        final ApiMessage response = client.poll();
        assertNotNull(response);
        return (FetchResponseData)response;
    }

    private static MetadataResponseData metadata(final ModelClient client)
    {
        return (MetadataResponseData)client.send(ApiMessageType.METADATA, new MetadataRequestData().setTopics(null))
            .poll();
    }

    private static List<Integer> records(final FetchResponseData response)
    {
        return response.responses().get(0).partitions().stream()
            .map((partition) -> partition.records().sizeInBytes()).toList();
    }
}
