// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.catchup;

import org.odradek.kafka.api.FetchRequest;
import org.odradek.kafka.api.FetchRequestBuilder;
import org.odradek.kafka.javaapi.FetchResponse;
import org.odradek.kafka.javaapi.consumer.SimpleConsumer;
import org.odradek.kafka.message.MessageAndOffset;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The loop of a program that was written for Kafka's SimpleConsumer, by the facade of its names.
 */
final class FacadeConsumer implements Arm
{
    private static final String CLIENT = "facade";
    private static final int TIMEOUT_MS = 30_000;
    private static final int BUFFER_LENGTH = 64 * 1024;

    private final ArmSettings settings;
    private final SimpleConsumer consumer;

    FacadeConsumer(final ArmSettings settings)
    {
        this.settings = settings;
        consumer = new SimpleConsumer(settings.leaderAddress().getHostString(), settings.leaderAddress().getPort(),
            TIMEOUT_MS, BUFFER_LENGTH, CLIENT);
    }

    @Override
    public void pass(final Tally tally)
    {
        long offset = 0;
        while (offset < settings.recordsPerPartition())
        {
            final FetchRequest request = new FetchRequestBuilder().clientId(CLIENT)
                .maxWait(ArmSettings.FETCH_MAX_WAIT_MS).minBytes(ArmSettings.FETCH_MIN_BYTES)
                .addFetch(settings.topic(), 0, offset, ArmSettings.PARTITION_MAX_BYTES).build();
            final FetchResponse response = consumer.fetch(request);
            if (response.hasError())
            {
                throw new IllegalStateException("facade: error " + response.errorCode(settings.topic(), 0));
            }
            for (final MessageAndOffset entry : response.messageSet(settings.topic(), 0))
            {
                if (entry.offset() >= offset)
                {
                    add(tally, entry.message().payload());
                    offset = entry.nextOffset();
                }
            }
        }
    }

    private static void add(final Tally tally, final ByteBuffer payload)
    {
        payload.order(ByteOrder.nativeOrder());
        final int index = payload.position();
        tally.add(payload.remaining(), payload.getLong(index + ThreeLongs.FIRST) +
            payload.getLong(index + ThreeLongs.SECOND) + payload.getLong(index + ThreeLongs.THIRD));
    }

    /** Nothing waits: it asks only when it is called. */
    @Override
    public void rest()
    {
    }

    @Override
    public void close()
    {
        consumer.close();
    }
}
