// SPDX-License-Identifier: Apache-2.0
package org.odradek.kafka.javaapi.consumer;

import org.agrona.concurrent.NanoClock;
import org.agrona.concurrent.SystemNanoClock;
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
import org.odradek.client.security.SecuritySettings;
import org.odradek.harness.Answer;
import org.odradek.harness.model.BatchTemplate;
import org.odradek.harness.model.BrokerRelease;
import org.odradek.harness.model.ModelCluster;
import org.odradek.harness.model.ModelPeer;
import org.odradek.harness.model.ModelPeer.Call;
import org.odradek.kafka.api.FetchRequestBuilder;
import org.odradek.kafka.javaapi.TopicMetadataRequest;
import org.odradek.kafka.message.MessageAndOffset;
import org.odradek.kafka.wire.BlockingBroker;

import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Calls with a timeout of a second that a broker could prolong for minutes or for ever. */
class CallTimeoutTest
{
    private static final String TOPIC = "held";
    private static final int TIMEOUT_MS = 1_000;
    private static final long LAST_MARKER_OFFSET = 2;
    private static final long RECORD_OFFSET = 1L << 40;

    private final ModelCluster cluster = new ModelCluster(ModelPeer.clock());
    private final ModelPeer peer = ModelPeer.start(cluster, 1, BrokerRelease.NEWEST);
    /** The time of the client stands still, unless a test moves it. */
    private final AtomicLong nowNs = new AtomicLong();
    private volatile NanoClock clock = nowNs::get;
    private final BlockingBroker broker = new BlockingBroker("127.0.0.1", peer.peer().port(), TIMEOUT_MS, 64 * 1024,
        "simple", SecuritySettings.plaintext(), () -> clock.nanoTime());
    private final List<Long> requested = Collections.synchronizedList(new ArrayList<>());

    CallTimeoutTest()
    {
        peer.change(() -> cluster.createTopic(TOPIC, 1, 1).partition(0).log().append(BatchTemplate.ofValues("a")));
    }

    @AfterEach
    void close()
    {
        broker.close();
        peer.close();
    }

    /** The timeout of the call passes when the last marker is requested for the first time. */
    private Answer withMarker(final Call call)
    {
        final long offset = ((FetchRequestData)call.request()).topics().get(0).partitions().get(0).fetchOffset();
        final boolean isFirst = !requested.contains(offset);
        requested.add(offset);
        if (isFirst && offset == LAST_MARKER_OFFSET)
        {
            nowNs.addAndGet(TimeUnit.MILLISECONDS.toNanos(TIMEOUT_MS));
        }
        final FetchResponseData response = (FetchResponseData)peer.usual(call);
        response.responses().get(0).partitions().get(0).setErrorCode((short)0).setRecords(
            offset > LAST_MARKER_OFFSET ?
            MemoryRecords.withRecords(RECORD_OFFSET, Compression.NONE, new SimpleRecord(new byte[1])) :
            MemoryRecords.withEndTransactionMarker(
                offset, 1, 0, 7, (short)0, new EndTransactionMarker(ControlRecordType.COMMIT, 0)));
        return call.answer(response);
    }

    private List<Long> fetch() throws IOException
    {
        final List<Long> offsets = new ArrayList<>();
        for (final MessageAndOffset entry : broker.fetch(
            new FetchRequestBuilder().clientId("simple").addFetch(TOPIC, 0, 0, 1 << 20).build()).messageSet(TOPIC, 0))
        {
            offsets.add(entry.offset());
        }
        return offsets;
    }

    /** The program does not know the offset after the markers, so the next call must not begin with the same ones. */
    @Test
    void shouldEndAFetchThatFindsOnlyMarkersAndGoOnAfterThemInTheNext() throws IOException
    {
        peer.script(ApiMessageType.FETCH, this::withMarker);

        assertThrows(SocketTimeoutException.class, this::fetch);
        assertEquals(List.of(0L, 1L, 2L), requested);

        assertEquals(List.of(RECORD_OFFSET), fetch());
        // The timeout may have ended the wait before the last marker arrived.
        assertEquals(LAST_MARKER_OFFSET + 1, requested.get(requested.size() - 1));
        assertEquals(1, requested.lastIndexOf(1L), requested::toString);
    }

    /** Kafka demands this for quotas of requests. */
    @Test
    void shouldNotWaitLongerForTheThrottleOfANewConnectionAndKeepTheConnection() throws IOException
    {
        clock = SystemNanoClock.INSTANCE;
        peer.script(ApiMessageType.API_VERSIONS, (call) -> call.answer(
            ((ApiVersionsResponseData)peer.usual(call)).setThrottleTimeMs(4 * TIMEOUT_MS)));
        final SocketTimeoutException timeout = assertThrows(SocketTimeoutException.class, this::metadata);

        assertTrue(timeout.getMessage().startsWith("No response to METADATA within 1000 ms: "), timeout.getMessage());
        // A new connection would be throttled again, for ever.
        while (isTimedOut())
        {
            assertTrue(peer.requestCount(ApiMessageType.API_VERSIONS) < 10);
        }
    }

    private boolean isTimedOut() throws IOException
    {
        try
        {
            metadata();
            return false;
        }
        catch (final SocketTimeoutException ex)
        {
            return true;
        }
    }

    private void metadata() throws IOException
    {
        assertFalse(broker.metadata(new TopicMetadataRequest(List.of(TOPIC))).topicsMetadata().isEmpty());
    }

    /** A piece arrives after each reading of the clock; all pieces take far more readings than the timeout. */
    @Test
    void shouldNotWaitLongerForAResponseOfWhichBytesArrive()
    {
        final int length = 64 << 20;
        final Semaphore readings = new Semaphore(0);
        peer.script(ApiMessageType.FETCH, (call) ->
        {
            clock = () ->
            {
                readings.release();
                return nowNs.addAndGet(TimeUnit.MILLISECONDS.toNanos(TIMEOUT_MS / 100));
            };
            return Answer.raw(ByteBuffer.allocate(length).putInt(length)
                .putInt(call.frame().correlationId()).array()).inPieces(8 << 10, readings);
        });

        assertThrows(SocketTimeoutException.class, this::fetch);

        assertEquals(1, peer.requestCount(ApiMessageType.FETCH));
        // The peer writes until it finds that the connection is closed.
        readings.release(length);
    }
}
