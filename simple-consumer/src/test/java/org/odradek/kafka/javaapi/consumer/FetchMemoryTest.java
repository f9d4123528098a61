// SPDX-License-Identifier: Apache-2.0
package org.odradek.kafka.javaapi.consumer;

import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.message.FetchResponseData;
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
import org.odradek.kafka.api.FetchRequestBuilder;
import org.odradek.testkit.internal.JavaProcess;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Answers fetches with more than the direct memory of a JVM, and then as usual. */
@Timeout(120)
class FetchMemoryTest
{
    private static final String TOPIC = "large";
    private static final int LARGE = 40 << 20;
    /** The first call and its repetition. */
    private static final int ATTEMPTS = 2;

    private final ModelCluster cluster = new ModelCluster(ModelPeer.clock());
    private final ModelPeer peer = ModelPeer.start(cluster, 1, BrokerRelease.NEWEST);

    FetchMemoryTest()
    {
        peer.change(() -> cluster.createTopic(TOPIC, 1, 1).partition(0).log().append(BatchTemplate.ofValues("a", "b")));
    }

    @AfterEach
    void close()
    {
        peer.close();
    }

    /** Fetches twice and prints what comes. */
    public static final class Fetcher
    {
        private Fetcher()
        {
        }

        public static void main(final String[] args)
        {
            final SimpleConsumer consumer =
                new SimpleConsumer("127.0.0.1", Integer.parseInt(args[0]), 20_000, 64 * 1024, "simple");
            for (int i = 0; i < 2; i++)
            {
                try
                {
                    consumer.fetch(new FetchRequestBuilder().clientId("simple").addFetch(TOPIC, 0, 1, 1 << 20).build())
                        .messageSet(TOPIC, 0).forEach((entry) -> System.out.println("offset " + entry.offset()));
                }
                catch (final Exception ex)
                {
                    System.out.println(ex.getMessage());
                }
            }
            consumer.close();
        }
    }

    private List<String> fetch()
    {
        final List<String> lines = Collections.synchronizedList(new ArrayList<>());
        try (JavaProcess process = JavaProcess.of(Fetcher.class).flags("-XX:MaxDirectMemorySize=16m", "-Xmx128m")
            .args(Integer.toString(peer.peer().port())).onStdout(lines::add).start())
        {
            assertEquals(0, process.exitCode(60, TimeUnit.SECONDS), process::outputTail);
        }
        return lines;
    }

    private static void assertGoesOn(final List<String> lines, final String... parts)
    {
        for (final String part : parts)
        {
            assertTrue(lines.get(0).contains(part), lines::toString);
        }
        assertEquals(List.of("offset 0", "offset 1"), lines.subList(1, lines.size()));
    }

    @Test
    void shouldNameWhatWasFetchedIfThereIsNoMemoryForTheFrameAndGoOn()
    {
        final AtomicInteger calls = new AtomicInteger();
        peer.script(ApiMessageType.FETCH, (call) -> calls.getAndIncrement() >= ATTEMPTS ? null :
            Answer.raw(ByteBuffer.allocate(2 * Integer.BYTES)
                .putInt(LARGE).putInt(call.frame().correlationId()).array()));

        assertGoesOn(fetch(), "FETCH of partition 0 of topic large at offset 1",
            "a frame of " + LARGE + " bytes, for which no direct memory is left: raise -XX:MaxDirectMemorySize");
    }

    @Test
    void shouldNameTheOffsetIfThereIsNoMemoryForTheContentAndGoOn()
    {
        final MemoryRecords large =
            MemoryRecords.withRecords(1, Compression.gzip().build(), new SimpleRecord(new byte[LARGE]));
        final AtomicInteger calls = new AtomicInteger();
        peer.script(ApiMessageType.FETCH, (call) ->
        {
            if (calls.getAndIncrement() > 0)
            {
                return null;
            }
            final FetchResponseData response = (FetchResponseData)peer.usual(call);
            response.responses().get(0).partitions().get(0).setRecords(large);
            return call.answer(response);
        });

        assertGoesOn(fetch(), "Partition 0 cannot be read at offset 1: its content needs a buffer of ",
            " bytes, for which no direct memory is left: raise -XX:MaxDirectMemorySize");
    }
}
