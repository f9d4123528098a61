// SPDX-License-Identifier: Apache-2.0
package org.odradek.kafka.javaapi.consumer;

import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchRequestData.FetchPartition;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.FetchResponseData.FetchableTopicResponse;
import org.apache.kafka.common.message.FetchResponseData.PartitionData;
import org.apache.kafka.common.record.internal.ControlRecordType;
import org.apache.kafka.common.record.internal.EndTransactionMarker;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.odradek.harness.Answer;
import org.odradek.harness.model.BatchTemplate;
import org.odradek.harness.model.BrokerRelease;
import org.odradek.harness.model.ModelCluster;
import org.odradek.harness.model.ModelPeer;
import org.odradek.harness.model.ModelPeer.Call;
import org.odradek.kafka.api.FetchRequestBuilder;
import org.odradek.kafka.javaapi.FetchResponse;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Fetches from partitions whose response holds only a marker at offset 2, the last of the log. */
class FetchWaitTest
{
    private static final String TOPIC = "quiet";
    private static final long MARKER_OFFSET = 2;
    private static final int MAX_WAIT_MS = 10_000;

    private final ModelCluster cluster = new ModelCluster(ModelPeer.clock());
    private final ModelPeer peer = ModelPeer.start(cluster, 1, BrokerRelease.NEWEST);
    private final List<String> requests = Collections.synchronizedList(new ArrayList<>());
    private final SimpleConsumer consumer;
    private volatile boolean isThrottled;
    /** True if the log ends with the marker from the second request on. */
    private volatile boolean isShortened;
    private volatile long endOffset = Long.MAX_VALUE;

    FetchWaitTest()
    {
        peer.change(() -> cluster.createTopic(TOPIC, 2, 1).partition(0).log().append(BatchTemplate.ofValues("a")));
        peer.script(ApiMessageType.FETCH, this::answer);
        consumer = new SimpleConsumer("127.0.0.1", peer.peer().port(), 20_000, 64 * 1024, "simple");
    }

    @AfterEach
    void close()
    {
        consumer.close();
        peer.close();
    }

    private Answer answer(final Call call)
    {
        final FetchRequestData request = (FetchRequestData)call.request();
        final FetchResponseData response = new FetchResponseData();
        final StringBuilder text = new StringBuilder(request.maxWaitMs() + " " + request.minBytes());
        request.topics().forEach((topic) ->
        {
            final FetchableTopicResponse answered =
                new FetchableTopicResponse().setTopic(topic.topic()).setTopicId(topic.topicId());
            for (final FetchPartition asked : topic.partitions())
            {
                text.append(" ").append(asked.partition()).append(":").append(asked.fetchOffset());
                answered.partitions().add(asked.fetchOffset() >= endOffset ?
                    new PartitionData().setPartitionIndex(asked.partition()).setErrorCode((short)1) :
                    new PartitionData().setPartitionIndex(asked.partition()).setHighWatermark(3)
                    .setLastStableOffset(3).setLogStartOffset(0).setRecords(endOffset < Long.MAX_VALUE ?
                            record(asked.fetchOffset()) : records(asked.fetchOffset())));
            }
            response.responses().add(answered);
        });
        requests.add(text.toString());
        endOffset = isShortened ? MARKER_OFFSET + 1 : endOffset;
        return call.answer(
            isThrottled && requests.size() > 1 ? new FetchResponseData().setThrottleTimeMs(100) : response);
    }

    private static MemoryRecords record(final long offset)
    {
        return MemoryRecords.withRecords(offset, Compression.NONE, new SimpleRecord(new byte[1]));
    }

    private static MemoryRecords records(final long offset)
    {
        if (offset > MARKER_OFFSET)
        {
            return MemoryRecords.EMPTY;
        }
        return offset < MARKER_OFFSET ? record(offset) :
            MemoryRecords.withEndTransactionMarker(
                MARKER_OFFSET, 1, 0, 7, (short)0, new EndTransactionMarker(ControlRecordType.COMMIT, 0));
    }

    private FetchResponse fetch(final long... offsets)
    {
        final FetchRequestBuilder request =
            new FetchRequestBuilder().clientId("simple").maxWait(MAX_WAIT_MS).minBytes(7);
        for (int p = 0; p < offsets.length; p++)
        {
            request.addFetch(TOPIC, p, offsets[p], 1 << 20);
        }
        final FetchResponse response = consumer.fetch(request.build());
        assertFalse(response.hasError());
        return response;
    }

    private void assertRequests(final String first, final String endOfSecond)
    {
        assertEquals(2, requests.size(), requests::toString);
        assertEquals(first, requests.get(0));
        final String second = requests.get(1);
        assertTrue(second.endsWith(endOfSecond), second);
        assertTrue(Integer.parseInt(second.substring(0, second.indexOf(' '))) <= MAX_WAIT_MS, second);
    }

    /** A program that relies on the wait would spin otherwise. */
    @Test
    void shouldWaitAfterTheMarkerForTheRestOfTheTimeThatTheRequestSays()
    {
        fetch(2, 3);

        assertRequests("10000 7 0:2 1:3", " 7 0:3 1:3");
    }

    @Test
    void shouldNotWaitAfterTheMarkerIfThereAreMessages()
    {
        fetch(2, 1);

        assertRequests("10000 7 0:2 1:1", "0 0 0:3");
    }

    /** For example because the topic was created again: the offset of the program is in the log. */
    @Test
    void shouldFetchTheRequestedOffsetAgainIfTheOffsetAfterTheMarkerIsOutOfRange()
    {
        isShortened = true;

        final FetchResponse response = fetch(2, 1);

        assertEquals(List.of("10000 7 0:2 1:1", "0 0 0:3", "0 0 0:2"), requests);
        assertEquals(2, response.messageSet(TOPIC, 0).iterator().next().offset());
    }

    @Test
    void shouldKeepWhatTheFirstResponseSaysIfTheBrokerThrottlesTheFetchAfterTheMarker()
    {
        isThrottled = true;

        final FetchResponse response = fetch(2, 3);

        assertRequests("10000 7 0:2 1:3", " 7 0:3 1:3");
        assertEquals(3, response.highWatermark(TOPIC, 0));
        assertEquals(3, response.highWatermark(TOPIC, 1));
        assertFalse(response.messageSet(TOPIC, 0).iterator().hasNext());
    }
}
