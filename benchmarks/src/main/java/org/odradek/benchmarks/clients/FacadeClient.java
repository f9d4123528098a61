// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.clients;

import org.apache.kafka.common.Node;
import org.odradek.benchmarks.rig.Client;
import org.odradek.benchmarks.rig.Settings;
import org.odradek.benchmarks.rig.Sink;
import org.odradek.benchmarks.rig.ThreeLongs;
import org.odradek.kafka.api.FetchRequest;
import org.odradek.kafka.api.FetchRequestBuilder;
import org.odradek.kafka.javaapi.FetchResponse;
import org.odradek.kafka.javaapi.consumer.SimpleConsumer;
import org.odradek.kafka.message.MessageAndOffset;
import org.odradek.testkit.TopicClient;

import java.nio.ByteBuffer;

/** The loop of a program that was written for Kafka's SimpleConsumer, on the facade that has its names. */
public final class FacadeClient implements Client
{
    private static final String CLIENT = "facade";
    private static final int TIMEOUT_MS = 30_000;
    private static final int BUFFER_LENGTH = 64 * 1024;

    private final Settings settings;
    private final Sink sink;
    private final String topic;
    private final SimpleConsumer consumer;
    private long offset;
    private long fetches;

    public FacadeClient(final Settings settings, final Sink sink)
    {
        this.settings = settings;
        this.sink = sink;
        topic = settings.text("topic");
        try (TopicClient client = new TopicClient(settings.text("bootstrap")))
        {
            final Node leader = client.partition(topic, 0).leader();
            consumer = new SimpleConsumer(leader.host(), leader.port(), TIMEOUT_MS, BUFFER_LENGTH, CLIENT);
        }
    }

    @Override
    public void rewind()
    {
        offset = 0;
    }

    @Override
    public void poll()
    {
        final FetchRequest request = new FetchRequestBuilder().clientId(CLIENT)
            .maxWait(settings.number("fetchMaxWaitMs")).minBytes(settings.number("fetchMinBytes"))
            .addFetch(topic, 0, offset, settings.number("partitionMaxBytes")).build();
        final FetchResponse response = consumer.fetch(request);
        fetches++;
        if (response.hasError())
        {
            throw new IllegalStateException("facade: error " + response.errorCode(topic, 0));
        }
        for (final MessageAndOffset entry : response.messageSet(topic, 0))
        {
            if (entry.offset() >= offset)
            {
                final ByteBuffer payload = entry.message().payload().order(ThreeLongs.ORDER);
                final int index = payload.position();
                sink.onValue(0, entry.offset(), payload.remaining(), payload.getLong(index + ThreeLongs.FIRST),
                    payload.getLong(index + ThreeLongs.SECOND) + payload.getLong(index + ThreeLongs.THIRD));
                offset = entry.nextOffset();
            }
        }
    }

    @Override
    public long fetches()
    {
        return fetches;
    }

    @Override
    public void close()
    {
        consumer.close();
    }
}
