// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.scenarios;

import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.odradek.benchmarks.rig.OptionCheck;
import org.odradek.benchmarks.rig.OptionCheck.Range;
import org.odradek.consumer.ConsumerContext;
import org.odradek.consumer.FetchSessionMode;
import org.odradek.consumer.StartPosition;
import org.odradek.consumer.TopicConsumer;
import org.odradek.consumer.handler.ConsumerCounters;
import org.odradek.consumer.handler.RecordHandler;
import org.odradek.testkit.BrokerProcess;
import org.odradek.testkit.BrokerSettings;
import org.odradek.testkit.TopicClient;
import org.odradek.testkit.internal.ThreadUsage;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

/** {@code bench partitions}: what do fetch sessions save a consumer of very many partitions, on its own broker? */
@Command(name = "partitions", mixinStandardHelpOptions = true, sortOptions = false,
    description = "Reads very many partitions of which few have new records, with fetch sessions and without.")
public final class Partitions implements Callable<Integer>
{
    private static final String TOPIC = "odradek-partitions";
    /** A controller takes no operation of more than 10,000 records. */
    private static final int PARTITIONS_AT_ONCE = 2_000;
    private static final int VALUE_LENGTH = 100;
    private static final long INTERVAL_NS = 10_000_000;
    private static final int RECORD_LIMIT = 1_000;
    private static final long POLL_TIMEOUT_NS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long READY_TIMEOUT_NS = TimeUnit.MINUTES.toNanos(5);

    /** Read by the writing thread. */
    private volatile boolean isDone;
    private long sum;
    private final RecordHandler handler = (record) -> sum += record.valueLength();
    private Throwable error;
    @Spec
    private CommandSpec spec;
    @Range(most = 10_000)
    @Option(names = "--partitions", defaultValue = "10000", paramLabel = "N",
        description = "Partitions of the topic (default: ${DEFAULT-VALUE}).")
    private int partitions;
    @Option(names = "--active", defaultValue = "16", paramLabel = "N",
        description = "Of them so many get a hundred records a second (default: ${DEFAULT-VALUE}).")
    private int active;
    @Range
    @Option(names = "--seconds", defaultValue = "20", paramLabel = "N",
        description = "Measured with sessions and without, after as many to warm up (default: ${DEFAULT-VALUE}).")
    private int seconds;

    @Override
    public Integer call() throws InterruptedException
    {
        new OptionCheck(spec).ranges().that(active >= 1 && active <= partitions,
            "--active must be between 1 and the number of partitions, not " + active + ".");
        say("starting a broker");
        try (BrokerProcess broker = BrokerProcess.start(new BrokerSettings()
            .jvmFlags("-Xmx1g", BrokerSettings.COMPILE_FULLY)))
        {
            final TopicClient client = broker.client();
            say("making a topic of " + partitions + " partitions");
            client.createTopic(TOPIC, Math.min(partitions, PARTITIONS_AT_ONCE), Map.of());
            for (int count = PARTITIONS_AT_ONCE; count < partitions; count += PARTITIONS_AT_ONCE)
            {
                client.addPartitions(TOPIC, Math.min(partitions, count + PARTITIONS_AT_ONCE));
            }
            try (Producer<byte[], byte[]> producer = client.producer(0, "1"))
            {
                final Thread writing = new Thread(() -> write(producer), "trickle");
                writing.start();
                say("measuring");
                final String withSessions = measure(FetchSessionMode.ON, broker.bootstrapServers());
                final String without = measure(FetchSessionMode.OFF, broker.bootstrapServers());
                List.of("", "| sessions | partitions | ready ms | fetches | records/fetch | bytes received/fetch | " +
                    "CPU us/fetch | bytes allocated | budget bytes | beyond budget |", "|---|" + "---:|".repeat(9),
                    withSessions, without, "").forEach(System.out::println);
                isDone = true;
                writing.join();
            }
        }
        say("done");
        return ExitCode.OK;
    }

    private static void say(final String line)
    {
        System.out.println("partitions: " + line);
    }

    /** Writes a record to each active partition a hundred times a second. */
    private void write(final Producer<byte[], byte[]> producer)
    {
        final byte[] value = new byte[VALUE_LENGTH];
        while (!isDone)
        {
            for (int i = 0; i < active; i++)
            {
                producer.send(new ProducerRecord<>(TOPIC, i * (partitions / active), null, value));
            }
            LockSupport.parkNanos(INTERVAL_NS);
        }
    }

    /** One consumer over all partitions: a line of how long until it is ready, and what its fetches cost then. */
    private String measure(final FetchSessionMode mode, final String bootstrap)
    {
        final ConsumerContext context = new ConsumerContext().bootstrapServers(bootstrap).topic(TOPIC)
            .partitions(IntStream.range(0, partitions).toArray()).expectedLeaders(1)
            .startPosition(StartPosition.earliest()).fetchSession(mode)
            .errorHandler((cause) -> error = cause).conclude();
        final long startNs = System.nanoTime();
        try (TopicConsumer consumer = TopicConsumer.connect(context))
        {
            if (!consumer.awaitReady(READY_TIMEOUT_NS))
            {
                throw new IllegalStateException("odradek is not ready:\n" + consumer.describe());
            }
            final long readyMs = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startNs);
            // Made before the first is filled, so that none is in what was allocated between.
            final long[] before = new long[5];
            final long[] after = new long[5];
            pollAndFill(before, consumer);
            pollAndFill(after, consumer);
            if (error != null)
            {
                throw new IllegalStateException("odradek: " + error.getMessage(), error);
            }
            final double fetches = Math.max(1, after[0] - before[0]);
            return String.format(Locale.ROOT, "| %s | %,d | %,d | %,.0f | %,.1f | %,.0f | %,.1f | %,d | %,d | %,d |",
                mode, partitions, readyMs, fetches, (after[1] - before[1]) / fetches,
                (after[2] - before[2]) / fetches, (after[3] - before[3]) / fetches / 1_000, after[4] - before[4],
                context.memoryBudget(), consumer.counters().get(ConsumerCounters.BUDGET_EXCEEDED_BYTES));
        }
    }

    private void pollAndFill(final long[] figures, final TopicConsumer consumer)
    {
        final long startNs = System.nanoTime();
        while (System.nanoTime() - startNs < TimeUnit.SECONDS.toNanos(seconds))
        {
            consumer.poll(handler, RECORD_LIMIT, POLL_TIMEOUT_NS);
        }
        final ConsumerCounters counters = consumer.counters();
        figures[0] = counters.fetches();
        figures[1] = counters.records();
        figures[2] = counters.get(ConsumerCounters.BYTES_RECEIVED);
        figures[3] = ThreadUsage.cpuNs();
        figures[4] = ThreadUsage.allocatedBytes();
    }
}
