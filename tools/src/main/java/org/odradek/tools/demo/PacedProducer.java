// SPDX-License-Identifier: Apache-2.0
package org.odradek.tools.demo;

import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;

import java.nio.ByteBuffer;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * The main class of a producer that sends 23-byte values at a fixed rate until it is killed. A value holds three longs:
 * at 0 its offset, at 8 the time at which it was due, and at 15 both combined, which overlaps the second by a byte.
 */
public final class PacedProducer
{
    static final int LINGER_MS = 0;

    private static final long NS_PER_SECOND = TimeUnit.SECONDS.toNanos(1);

    private PacedProducer()
    {
    }

    /**
     * @param args bootstrap server, topic, records per second.
     */
    public static void main(final String[] args)
    {
        final Map<String, Object> settings = Map.of("bootstrap.servers", args[0], "linger.ms", LINGER_MS);
        try (KafkaProducer<byte[], byte[]> producer =
            new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer()))
        {
            send(producer, args[1], Long.parseLong(args[2]));
        }
    }

    private static void send(final KafkaProducer<byte[], byte[]> producer, final String topic, final long rate)
    {
        final long startNs = System.nanoTime();
        for (long sequence = 0; ; sequence++)
        {
            final long dueNs = startNs + sequence / rate * NS_PER_SECOND + sequence % rate * NS_PER_SECOND / rate;
            while (dueNs - System.nanoTime() > 0)
            {
                LockSupport.parkNanos(dueNs - System.nanoTime());
            }
            producer.send(new ProducerRecord<>(topic, 0, null, value(sequence, dueNs)), (metadata, ex) ->
            {
                if (ex != null)
                {
                    System.err.println("The producer cannot send: " + ex.getMessage());
                    Runtime.getRuntime().halt(1);
                }
            });
        }
    }

    static byte[] value(final long sequence, final long dueNs)
    {
        final ByteBuffer value = ByteBuffer.allocate(DemoClient.VALUE_LENGTH);
        value.putLong(0, sequence);
        value.putLong(8, dueNs);
        value.putLong(15, sequence ^ dueNs);
        return value.array();
    }
}
