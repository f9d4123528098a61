// SPDX-License-Identifier: Apache-2.0
package org.odradek.tools.demo;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.TopicPartition;
import org.odradek.testkit.ThreadUsage;

import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

/**
 * The main class of one measured client. It waits for its first record, warms up, measures, and then reads to the end
 * of the log, so that a missing record is found. It reports in lines of standard output that begin with
 * {@link #PROGRESS}, {@link #RESULT} or {@link #FAILED}.
 */
public final class ClientMain
{
    static final String PROGRESS = "progress ";
    static final String RESULT = "result ";
    static final String FAILED = "failed ";
    static final String OURS = "ours";
    static final String STOCK = "stock";
    static final int MAX_MORE_WARM_UP_SECONDS = 90;

    private static final long NS_PER_SECOND = TimeUnit.SECONDS.toNanos(1);
    private static final long PATIENCE_NS = TimeUnit.SECONDS.toNanos(30);

    private static final int CONFIG_INDEX = 5;
    private static final int WARM_UP_ROUND_SECONDS = 10;

    private final boolean isOurs;
    private final Properties connection;
    private final String topic;
    private final PollingLoop loop;

    private ClientMain(final String client, final Properties connection, final String topic)
    {
        isOurs = client.equals(OURS);
        this.connection = connection;
        this.topic = topic;
        this.loop = new PollingLoop(sink -> client.equals(OURS) ?
            new OdradekClient(connection, topic, sink) : new StockClient(connection, topic, sink));
    }

    /**
     * @param args client, bootstrap server, topic, seconds of warm-up, seconds to measure, and possibly a file with
     *             Kafka's properties of the connection.
     */
    public static void main(final String[] args)
    {
        try
        {
            final Properties connection = new Properties();
            if (args.length > CONFIG_INDEX)
            {
                try (Reader reader = Files.newBufferedReader(Path.of(args[CONFIG_INDEX])))
                {
                    connection.load(reader);
                }
            }
            connection.setProperty("bootstrap.servers", args[1]);
            new ClientMain(args[0], connection, args[2]).run(Long.parseLong(args[3]), Long.parseLong(args[4]));
        }
        catch (final Exception ex)
        {
            System.out.println(FAILED + (ex.getMessage() == null ? ex : ex.getMessage()));
            System.exit(1);
        }
    }

    private void run(final long warmUpSeconds, final long measuredSeconds)
        throws InterruptedException, ExecutionException, JsonProcessingException
    {
        loop.start();
        awaitOffset(0, "No record arrived within 30 s.");
        // The first reading is discarded: it loads the classes that the meters need.
        loop.read();
        warmUp(warmUpSeconds);

        final DemoResult.Reading from = loop.read();
        watch("measured", measuredSeconds);
        final DemoResult.Reading to = loop.read();

        awaitOffset(endOffset(), "The client did not reach the end of the log within 30 s.");
        final ValueSink sink = loop.stop();
        if (sink.gaps() != 0 || sink.wrongValues() != 0)
        {
            throw new IllegalStateException("Of " + sink.records() + " records, " + sink.gaps() +
                " did not follow the previous one and " + sink.wrongValues() + " did not hold the sent value.");
        }
        System.out.println(RESULT + new ObjectMapper().writeValueAsString(DemoResult.Client.between(from, to)));
        // Printed so that the JIT cannot drop the reads of the values.
        System.out.println("checksum " + Long.toHexString(sink.checksum()));
    }

    /**
     * When the JIT compiler first compiles a method of a class, it creates the string constants of that class on the
     * thread that runs the method. Our client is warm after a round without such an allocation; the stock client
     * allocates always.
     */
    private void warmUp(final long seconds) throws InterruptedException
    {
        long bytes = watch("warm-up", seconds);
        for (int more = 0; isOurs && bytes != 0 && more < MAX_MORE_WARM_UP_SECONDS; more += WARM_UP_ROUND_SECONDS)
        {
            bytes = watch("warm-up goes on", WARM_UP_ROUND_SECONDS);
        }
    }

    /**
     * @return bytes that the polling thread has allocated in this phase.
     */
    private long watch(final String phase, final long seconds) throws InterruptedException
    {
        final long startNs = System.nanoTime();
        final long startBytes = ThreadUsage.allocatedBytes(loop.threadId());
        long lastNs = startNs;
        long lastRecords = loop.records();
        long lastCpuNs = ThreadUsage.cpuNs(loop.threadId());
        for (long second = 1; second <= seconds; second++)
        {
            TimeUnit.NANOSECONDS.sleep(startNs + second * NS_PER_SECOND - System.nanoTime());
            loop.checkAlive();
            final long nowNs = System.nanoTime();
            final long records = loop.records();
            final long cpuNs = ThreadUsage.cpuNs(loop.threadId());
            System.out.println(PROGRESS + String.format(Locale.ROOT,
                "%s %d/%d s: %,.0f records/s, %,d bytes allocated, CPU %.1f %%", phase, second, seconds,
                1e9 * (records - lastRecords) / (nowNs - lastNs),
                ThreadUsage.allocatedBytes(loop.threadId()) - startBytes,
                100.0 * (cpuNs - lastCpuNs) / (nowNs - lastNs)));
            lastNs = nowNs;
            lastRecords = records;
            lastCpuNs = cpuNs;
        }
        return ThreadUsage.allocatedBytes(loop.threadId()) - startBytes;
    }

    private void awaitOffset(final long offset, final String sentence) throws InterruptedException
    {
        final long deadlineNs = System.nanoTime() + PATIENCE_NS;
        while (loop.records() == 0 || loop.nextOffset() < offset)
        {
            loop.checkAlive();
            if (deadlineNs - System.nanoTime() < 0)
            {
                throw new IllegalStateException(sentence);
            }
            Thread.sleep(1);
        }
    }

    private long endOffset() throws InterruptedException, ExecutionException
    {
        final TopicPartition partition = new TopicPartition(topic, 0);
        try (Admin admin = Admin.create(connection))
        {
            return admin.listOffsets(Map.of(partition, OffsetSpec.latest())).partitionResult(partition).get().offset();
        }
    }
}
