// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.clients;

import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.odradek.benchmarks.rig.Arm;
import org.odradek.benchmarks.rig.Child;
import org.odradek.benchmarks.rig.RigMain;
import org.odradek.benchmarks.rig.Settings;
import org.odradek.consumer.ConsumerContext;
import org.odradek.consumer.TopicConsumer;
import org.odradek.consumer.handler.RecordHandler;
import org.odradek.testkit.internal.ParentLines;

import java.time.Duration;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.TimeUnit;

/**
 * A member of a group, ours or the stock client's. It joins at the word {@code join}, writes a line with partition,
 * offset and time for each record, and leaves at {@code leave}. All else has the client's defaults: each commits every
 * 5 seconds and when it leaves.
 */
public final class Member implements RigMain.Task
{
    public static final String JOIN = "join";
    public static final String LEAVE = "leave";
    public static final Arm ODRADEK = arm("odradek", "isOurs", true, "protocol", "consumer");
    public static final Arm ODRADEK_1S = ODRADEK.as("odradek-1s", "heartbeatMs", 1_000);
    public static final Arm ODRADEK_CLASSIC = ODRADEK.as("odradek-classic", "protocol", "classic");
    public static final Arm STOCK = arm("stock", "protocol", "classic");
    public static final Arm STOCK_NEW = STOCK.as("stock-new", "protocol", "consumer");
    private static final int RECORD_LIMIT = 500;
    private static final int WAIT_MS = 100;

    private final Settings settings;
    private final StringBuilder lines = new StringBuilder();
    private AutoCloseable consumer;
    private Runnable poll;

    /** @param settings bootstrap, topic, group, isOurs, protocol (classic or consumer), sessionMs, heartbeatMs. */
    public Member(final Settings settings)
    {
        this.settings = settings;
    }

    private static Arm arm(final String name, final Object... settings)
    {
        return new Arm(name, (arm, all, jvm) -> Child.start(arm, Member.class, all, jvm), Settings.of(settings));
    }

    @Override
    public Object obey(final String word, final String argument) throws Exception
    {
        if (JOIN.equals(word))
        {
            consumer = settings.is("isOurs") ? ours() : stock();
            return RigMain.state("joined");
        }
        consumer.close();
        consumer = null;
        return RigMain.state("left");
    }

    private Properties properties()
    {
        final Properties properties = settings.connection();
        properties.put(ConsumerConfig.GROUP_ID_CONFIG, settings.text("group"));
        properties.put(ConsumerConfig.GROUP_PROTOCOL_CONFIG, settings.text("protocol"));
        properties.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
        if ("classic".equals(settings.text("protocol")))
        {
            // With the protocol consumer the brokers set it.
            properties.put(ConsumerConfig.SESSION_TIMEOUT_MS_CONFIG, settings.text("sessionMs"));
        }
        return properties;
    }

    private TopicConsumer ours()
    {
        final ConsumerContext context =
            ConsumerContext.from(properties()).topic(settings.text("topic")).joinGroup();
        context.group().heartbeatIntervalMs((int)settings.number("heartbeatMs", 0));
        final TopicConsumer ours = TopicConsumer.connect(context);
        final RecordHandler handler = (record) -> append(record.partition(), record.offset());
        poll = () -> ours.poll(handler, RECORD_LIMIT, TimeUnit.MILLISECONDS.toNanos(WAIT_MS));
        return ours;
    }

    private KafkaConsumer<byte[], byte[]> stock()
    {
        final KafkaConsumer<byte[], byte[]> stock =
            new KafkaConsumer<>(properties(), new ByteArrayDeserializer(), new ByteArrayDeserializer());
        stock.subscribe(List.of(settings.text("topic")));
        poll = () -> stock.poll(Duration.ofMillis(WAIT_MS))
            .forEach((record) -> append(record.partition(), record.offset()));
        return stock;
    }

    @Override
    public void idle()
    {
        while (consumer != null && ParentLines.isEmpty())
        {
            poll.run();
            if (lines.length() > 0)
            {
                System.out.print(lines);
                System.out.flush();
                lines.setLength(0);
            }
        }
    }

    private void append(final int partition, final long offset)
    {
        lines.append(partition).append(' ').append(offset).append(' ').append(System.nanoTime()).append('\n');
    }
}
