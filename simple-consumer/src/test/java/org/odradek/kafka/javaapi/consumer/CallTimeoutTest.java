// SPDX-License-Identifier: Apache-2.0
package org.odradek.kafka.javaapi.consumer;

import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.message.ApiVersionsResponseData;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.record.internal.ControlRecordType;
import org.apache.kafka.common.record.internal.EndTransactionMarker;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.odradek.harness.Answer;
import org.odradek.harness.model.BatchTemplate;
import org.odradek.harness.model.BrokerRelease;
import org.odradek.harness.model.ModelCluster;
import org.odradek.harness.model.ModelPeer;
import org.odradek.harness.model.ModelPeer.Call;
import org.odradek.kafka.api.FetchRequestBuilder;
import org.odradek.kafka.javaapi.TopicMetadataRequest;
import org.odradek.kafka.message.MessageAndOffset;

import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Calls with a timeout of a second that a broker could prolong for minutes or for ever. The limit of each test is far
 * above that timeout.
 */
@Timeout(60)
class CallTimeoutTest
{
    private static final String TOPIC = "held";
    private static final int TIMEOUT_MS = 1_000;
    private static final long RECORD_OFFSET = 1L << 40;

    private final ModelCluster cluster = new ModelCluster(ModelPeer.clock());
    private final ModelPeer peer = ModelPeer.start(cluster, 1, BrokerRelease.NEWEST);
    private final SimpleConsumer consumer =
        new SimpleConsumer("127.0.0.1", peer.peer().port(), TIMEOUT_MS, 64 * 1024, "simple");
    private volatile long lastMarkerOffset = Long.MAX_VALUE;
    private volatile long largestOffset;
    private volatile long lowestOffset;

    CallTimeoutTest()
    {
        peer.change(() -> cluster.createTopic(TOPIC, 1, 1).partition(0).log().append(BatchTemplate.ofValues("a")));
    }

    @AfterEach
    void close()
    {
        consumer.close();
        peer.close();
    }

    private Answer withMarker(final Call call)
    {
        final long offset = ((FetchRequestData)call.request()).topics().get(0).partitions().get(0).fetchOffset();
        largestOffset = Math.max(largestOffset, offset);
        lowestOffset = Math.min(lowestOffset, offset);
        final FetchResponseData response = (FetchResponseData)peer.usual(call);
        response.responses().get(0).partitions().get(0).setErrorCode((short)0).setRecords(offset > lastMarkerOffset ?
            MemoryRecords.withRecords(RECORD_OFFSET, Compression.NONE, new SimpleRecord(new byte[1])) :
            MemoryRecords.withEndTransactionMarker(
                offset, 1, 0, 7, (short)0, new EndTransactionMarker(ControlRecordType.COMMIT, 0)));
        return call.answer(response);
    }

    private List<Long> fetch()
    {
        final List<Long> offsets = new ArrayList<>();
        for (final MessageAndOffset entry : consumer.fetch(
            new FetchRequestBuilder().clientId("simple").addFetch(TOPIC, 0, 0, 1 << 20).build()).messageSet(TOPIC, 0))
        {
            offsets.add(entry.offset());
        }
        return offsets;
    }

    /** The program does not know the offset after the markers, so the next call must not begin with the same ones. */
    @Test
    void shouldEndAFetchThatFindsOnlyMarkersAndGoOnAfterThemInTheNext()
    {
        peer.script(ApiMessageType.FETCH, this::withMarker);

        do
        {
            assertThrows(SocketTimeoutException.class, this::fetch);
        }
        while (largestOffset < 2);

        lastMarkerOffset = largestOffset;
        lowestOffset = Long.MAX_VALUE;
        final List<Long> offsets = new ArrayList<>();
        while (isTimedOut(() -> offsets.addAll(fetch())))
        {
            assertEquals(List.of(), offsets);
        }
        assertEquals(List.of(RECORD_OFFSET), offsets);
        assertTrue(lowestOffset > 0);
    }

    /** Kafka demands this for quotas of requests. */
    @Test
    void shouldNotWaitLongerForTheThrottleOfANewConnectionAndKeepTheConnection()
    {
        peer.script(ApiMessageType.API_VERSIONS, (call) -> call.answer(
            ((ApiVersionsResponseData)peer.usual(call)).setThrottleTimeMs(4 * TIMEOUT_MS)));
        final SocketTimeoutException timeout = assertThrows(SocketTimeoutException.class, this::metadata);

        assertTrue(timeout.getMessage().startsWith("No response to METADATA within 1000 ms: "), timeout.getMessage());
        // A new connection would be throttled again, for ever.
        while (isTimedOut(this::metadata))
        {
            assertTrue(peer.requestCount(ApiMessageType.API_VERSIONS) > 0);
        }
    }

    private static boolean isTimedOut(final Runnable call)
    {
        try
        {
            call.run();
            return false;
        }
        catch (final Exception ex)
        {
            assertEquals(SocketTimeoutException.class, ex.getClass());
            return true;
        }
    }

    private void metadata()
    {
        assertFalse(consumer.send(new TopicMetadataRequest(List.of(TOPIC))).topicsMetadata().isEmpty());
    }

    /** It lasts for 8 s at least, and never begins another time. */
    @Test
    void shouldNotWaitLongerForAResponseOfWhichBytesArrive()
    {
        final int length = 64 << 20;
        peer.script(ApiMessageType.FETCH, (call) -> Answer.raw(ByteBuffer.allocate(length).putInt(length)
            .putInt(call.frame().correlationId()).array()).inPieces(8 << 10));

        assertThrows(SocketTimeoutException.class, this::fetch);

        assertTrue(peer.requestCount(ApiMessageType.FETCH) <= 1);
    }
}
