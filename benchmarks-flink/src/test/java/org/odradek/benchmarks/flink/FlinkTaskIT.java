// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.flink;

import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.odradek.benchmarks.report.Usage;
import org.odradek.benchmarks.rig.Child;
import org.odradek.benchmarks.rig.Settings;
import org.odradek.benchmarks.rig.ThreeLongs;
import org.odradek.testkit.EmbeddedBroker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Runs the jobs of the scenario in this JVM with both sources.
 */
@Tag("slow")
class FlinkTaskIT
{
    private static final int RECORDS = 100_000;
    private static final int VALUE_LENGTH = 23;
    private static final String TOPIC = "flink-pass";
    private static final String LIVE_TOPIC = "flink-live";
    private static final Usage WRITTEN = new Usage();

    private static EmbeddedBroker broker;

    @BeforeAll
    static void beforeAll()
    {
        broker = EmbeddedBroker.start();
        broker.createTopic(TOPIC, 1);
        broker.createTopic(LIVE_TOPIC, 1);
        broker.produce(TOPIC, 0, RECORDS, FlinkTaskIT::value);
        for (int i = 0; i < RECORDS; i++)
        {
            WRITTEN.records++;
            WRITTEN.bytes += VALUE_LENGTH;
            WRITTEN.sum += ThreeLongs.sum(value(i));
        }
    }

    @AfterAll
    static void afterAll()
    {
        broker.close();
    }

    private static byte[] value(final long number)
    {
        final byte[] value = new byte[VALUE_LENGTH];
        ThreeLongs.fill(value, number, number);
        return value;
    }

    private static FlinkTask task(final String source, final String job, final String topic)
    {
        return new FlinkTask(Settings.of("source", source, "job", job, "topic", topic,
            "bootstrap", broker.bootstrapServers(), "records", RECORDS, "valueLength", VALUE_LENGTH,
            "checkpointIntervalMs", 20, "checkCrcs", true, "fetchMaxBytes", 1 << 20, "partitionMaxBytes", 1 << 20,
            "fetchMinBytes", 1, "fetchMaxWaitMs", 100, "recordLimit", 500));
    }

    @ParameterizedTest
    @CsvSource({
        "odradek-flink, chained", "odradek-flink, checkpoints", "flink-kafka, chained", "flink-kafka, checkpoints"})
    void shouldReadEveryRecordInAPass(final String source, final String job) throws Exception
    {
        final FlinkTask task = task(source, job, TOPIC);
        task.obey(Child.OPEN, "");
        try
        {
            final Usage usage = (Usage)task.obey(Child.PASS, "");

            usage.mustHaveReadTheSameAs(WRITTEN, source);
            assertTrue(usage.wallNs > 0 && usage.processCpuNs > 0);
            assertEquals(job.equals(FlinkTask.CHECKPOINTS), usage.latencyHistogram().getTotalCount() > 0);
        }
        finally
        {
            task.close();
        }
    }

    /** On a slow machine, no record may arrive in a turn. */
    @ParameterizedTest
    @ValueSource(strings = {"odradek-flink", "flink-kafka"})
    void shouldMeasureATurnOnALiveTopic(final String source) throws Exception
    {
        final Thread producing = new Thread(FlinkTaskIT::produce, "producing");
        producing.start();
        final FlinkTask task = task(source, FlinkTask.CHAINED, LIVE_TOPIC);
        try
        {
            Usage usage;
            do
            {
                task.obey(Child.RUN, "");
                task.obey(Child.MEASURE, "");
                Thread.sleep(300);
                usage = (Usage)task.obey(Child.STOP, "");
                usage.mustBeComplete(source);
                assertEquals(usage.records, usage.latencyHistogram().getTotalCount());
            }
            while (usage.records == 0);
        }
        finally
        {
            producing.interrupt();
            producing.join();
        }
    }

    /** Until interrupted; the first long of a value is the time. */
    private static void produce()
    {
        try (Producer<byte[], byte[]> producer = broker.producer(0, "1"))
        {
            final byte[] value = new byte[VALUE_LENGTH];
            for (long number = 0; !Thread.currentThread().isInterrupted(); number++)
            {
                ThreeLongs.fill(value, System.nanoTime(), number);
                producer.send(new ProducerRecord<>(LIVE_TOPIC, 0, null, value)).get();
            }
        }
        catch (final Exception ex)
        {
            Thread.currentThread().interrupt();
        }
    }
}
