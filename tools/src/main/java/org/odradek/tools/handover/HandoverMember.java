// SPDX-License-Identifier: Apache-2.0
package org.odradek.tools.handover;

import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.odradek.consumer.ConsumerContext;
import org.odradek.consumer.GroupSettings;
import org.odradek.consumer.StartPosition;
import org.odradek.consumer.TopicConsumer;
import org.odradek.testkit.ParentLines;

import java.io.BufferedOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * The main class of a member. It joins when its parent sends a line, writes a line with partition, offset and time for
 * each record, and leaves at the next line.
 */
public final class HandoverMember
{
    static final String READY = "ready";
    static final String LEFT = "left";

    private static final int RECORD_LIMIT = 500;
    private static final int WAIT_MS = 100;

    private static volatile boolean isLeaving;

    private HandoverMember()
    {
    }

    /** @param args bootstrap server, topic (which is also the group), whether it is ours, heartbeat interval or 0. */
    public static void main(final String[] args) throws InterruptedException
    {
        final PrintStream out = new PrintStream(new BufferedOutputStream(new FileOutputStream(FileDescriptor.out)));
        out.println(READY);
        out.flush();
        ParentLines.take();
        final Thread waiting = new Thread(HandoverMember::awaitLeave);
        waiting.setDaemon(true);
        waiting.start();
        if (Boolean.parseBoolean(args[2]))
        {
            readWithOurs(args[0], args[1], Integer.parseInt(args[3]), out);
        }
        else
        {
            readWithStock(args[0], args[1], out);
        }
        out.println(LEFT);
        out.flush();
    }

    private static void awaitLeave()
    {
        try
        {
            ParentLines.take();
            isLeaving = true;
        }
        catch (final InterruptedException ex)
        {
            Thread.currentThread().interrupt();
        }
    }

    private static void readWithOurs(
        final String bootstrap, final String topic, final int heartbeatMs, final PrintStream out)
    {
        try (TopicConsumer consumer = TopicConsumer.connect(new ConsumerContext()
            .bootstrapServers(bootstrap).topic(topic).startPosition(StartPosition.earliest())
            .group(new GroupSettings(topic).heartbeatIntervalMs(heartbeatMs))))
        {
            while (!isLeaving)
            {
                if (consumer.poll((record) -> write(out, record.partition(), record.offset()),
                    RECORD_LIMIT, WAIT_MS * 1_000_000L) > 0)
                {
                    out.flush();
                }
            }
        }
    }

    /** Its defaults are those of ours: it commits every 5 seconds, and at a close. */
    private static void readWithStock(final String bootstrap, final String topic, final PrintStream out)
    {
        try (KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(Map.of("bootstrap.servers", bootstrap,
            "group.id", topic, "group.protocol", "consumer", "auto.offset.reset", "earliest"),
            new ByteArrayDeserializer(), new ByteArrayDeserializer()))
        {
            consumer.subscribe(List.of(topic));
            while (!isLeaving)
            {
                for (final ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(WAIT_MS)))
                {
                    write(out, record.partition(), record.offset());
                }
                out.flush();
            }
        }
    }

    private static void write(final PrintStream out, final int partition, final long offset)
    {
        out.println(partition + " " + offset + " " + System.nanoTime());
    }
}
