// SPDX-License-Identifier: Apache-2.0
package org.odradek.publisher;

import org.agrona.concurrent.UnsafeBuffer;
import org.odradek.client.TransportType;
import org.odradek.client.security.PlainMechanism;
import org.odradek.client.security.SecuritySettings;
import org.odradek.client.security.TlsProviderType;
import org.odradek.client.security.TlsSettings;
import org.odradek.testkit.AllocationMeter;
import org.odradek.testkit.BrokerSecurity;
import org.odradek.testkit.internal.ThreadUsage;

import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/**
 * Main class of a JVM that publishes and prints how many bytes its thread allocated meanwhile, and how many threads the
 * publisher has started since before it was created. It warms up with rounds of the measured work until several in a
 * row have allocated nothing. Then it measures until a window has allocated nothing, or the windows end. Its exit code
 * is 0 only if nothing was allocated in a window.
 */
public final class AllocationProbe
{
    private static final int QUIET_ROUNDS = 8;
    private static final int MAX_WARM_UP_ROUNDS = 1_000;
    private static final int VALUE_LENGTH = 23;
    private static final long TIMEOUT_NS = TimeUnit.SECONDS.toNanos(60);

    private final int records = Integer.getInteger("probe.records");
    private final boolean isPlanted = Boolean.getBoolean("probe.planted");
    private final UnsafeBuffer key = new UnsafeBuffer(new byte[8]);
    private final UnsafeBuffer value = new UnsafeBuffer(new byte[VALUE_LENGTH]);
    private final RecordHeaders headers = new RecordHeaders().add("header", new byte[] {1, 2, 3});
    private final Publisher publisher;
    private final TopicPublisher topic;
    private Object planted;

    private AllocationProbe(final Publisher publisher, final TopicPublisher topic)
    {
        this.publisher = publisher;
        this.topic = topic;
    }

    /** No arguments; settings are system properties. */
    public static void main(final String[] args)
    {
        final long[] acknowledged = new long[1];
        final long threads = startedThreads();
        try (Publisher publisher = Publisher.connect(new PublisherContext()
            .bootstrapServers(System.getProperty("probe.bootstrap"))
            .transport(TransportType.valueOf(System.getProperty("probe.transport")))
            .security(security(System.getProperty("probe.trust")))
            .acks(Acks.valueOf(System.getProperty("probe.acks")))
            .compression(Compression.valueOf(System.getProperty("probe.compression")))
            .bufferMemory(4 * 1024 * 1024)
            .metadataMaxAgeMs(200)
            .countersFile(System.getProperty("probe.file") == null ? null : Path.of(System.getProperty("probe.file")))
            .listener(new PublisherListener()
            {
                @Override
                public void onAcknowledged(final String name, final int partition, final long firstPosition,
                    final int count, final long baseOffset)
                {
                    acknowledged[0] += count;
                }
            })))
        {
            final AllocationProbe probe =
                new AllocationProbe(publisher, publisher.topic(System.getProperty("probe.topic")));
            check(publisher.awaitReady(TIMEOUT_NS), publisher);
            final long bytes = probe.run();
            check(acknowledged[0] == publisher.counters().get(PublisherCounters.RECORDS), publisher);
            System.out.println("bytes=" + bytes + " threads=" + (startedThreads() - threads) + " records=" +
                probe.records + " of " + publisher.counters());
            System.exit(bytes == 0 ? 0 : 1);
        }
    }

    private static long startedThreads()
    {
        return ManagementFactory.getThreadMXBean().getTotalStartedThreadCount();
    }

    /** TLS by BoringSSL and SASL, or neither without a file of certificates to trust. */
    private static SecuritySettings security(final String trust)
    {
        return trust == null ? SecuritySettings.plaintext() : SecuritySettings.sasl(
            PlainMechanism.plain(BrokerSecurity.USER, BrokerSecurity.PASSWORD.toCharArray()))
            .tls(TlsSettings.trust(Path.of(trust)).provider(TlsProviderType.BORINGSSL));
    }

    private static void check(final boolean isTrue, final Publisher publisher)
    {
        if (!isTrue)
        {
            throw new IllegalStateException(publisher.describe());
        }
    }

    private long run()
    {
        final AllocationMeter meter = new AllocationMeter();
        int quietRounds = 0;
        for (int i = 0; i < MAX_WARM_UP_ROUNDS && quietRounds < QUIET_ROUNDS; i++)
        {
            final long compilationMs = ThreadUsage.compilationMs();
            meter.start();
            publish(records / QUIET_ROUNDS, false);
            meter.stop();
            quietRounds = meter.allocatedBytes() == 0 && ThreadUsage.compilationMs() == compilationMs ?
                quietRounds + 1 : 0;
        }
        long bytes = Long.MAX_VALUE;
        for (int window = Integer.getInteger("probe.windows"); window > 0 && bytes != 0; window--)
        {
            meter.start();
            publish(records, isPlanted);
            meter.stop();
            bytes = meter.allocatedBytes();
        }
        return bytes;
    }

    /** In turn by each form, and with waits in between. */
    private void publish(final int count, final boolean isObjectPlanted)
    {
        int accepted = 0;
        while (accepted < count)
        {
            value.putLong(0, accepted);
            final long result = offer(accepted);
            accepted += result > 0 ? 1 : 0;
            if (result < 0 || (accepted & 0xFF) == 0)
            {
                publisher.doWork();
            }
            if (isObjectPlanted && accepted == count / 2)
            {
                planted = new Object();
            }
        }
        check(publisher.awaitAcknowledged(TIMEOUT_NS), publisher);
    }

    private long offer(final int number)
    {
        final int partition =
            (number & 4) == 0 ? topic.nextPartition() : topic.partitionForKey(value, 0, VALUE_LENGTH);
        switch (number & 3)
        {
            case 0:
                return (number & 8) == 0 ? topic.offer(partition, 1_000L + number, key, value, headers) :
                    topic.offer(partition, key, value, headers);

            case 1:
                final long result = topic.tryClaim(partition, key.capacity(), VALUE_LENGTH);
                if (result > 0)
                {
                    topic.claim().key().putLong(0, number);
                    topic.claim().value().putBytes(0, value, 0, VALUE_LENGTH);
                    topic.claim().commit();
                }
                return result;

            case 2:
                return topic.offer(partition, key, 0, key.capacity(), null, 0, TopicPublisher.NULL_LENGTH);

            default:
                return topic.offer(partition, null, 0, TopicPublisher.NULL_LENGTH, value, 0, VALUE_LENGTH);
        }
    }
}
