// SPDX-License-Identifier: Apache-2.0
package org.odradek.micrometer;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.odradek.client.metrics.ExportedMetric;
import org.odradek.client.metrics.ListedCounter;
import org.odradek.consumer.CommitPolicy;
import org.odradek.consumer.ConsumerContext;
import org.odradek.consumer.GroupSettings;
import org.odradek.consumer.StartPosition;
import org.odradek.consumer.TopicConsumer;
import org.odradek.consumer.handler.ConsumerCounters;
import org.odradek.consumer.handler.ConsumerHistograms;
import org.odradek.publisher.Publisher;
import org.odradek.publisher.PublisherContext;
import org.odradek.publisher.PublisherCounters;
import org.odradek.testkit.Await;
import org.odradek.testkit.EmbeddedBroker;
import org.odradek.workers.WorkerCounters;
import org.odradek.workers.WorkerSettings;
import org.odradek.workers.Workers;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class OdradekMetricsIT
{
    private static final int RECORDS = 50;
    private static final String TOPIC = "orders";
    private static final int ALLOCATED = 10_000_000;
    private static final long TIMEOUT_NS = 60_000_000_000L;
    private static EmbeddedBroker broker;

    @TempDir
    private Path folder;

    @BeforeAll
    static void start()
    {
        broker = EmbeddedBroker.start();
        broker.createTopic(TOPIC, 2);
        broker.createTopic("published", 1);
        for (int p = 0; p < 2; p++)
        {
            broker.produce(TOPIC, p, RECORDS, (i) -> ("value-" + i).getBytes(StandardCharsets.UTF_8));
        }
    }

    @AfterAll
    static void stop()
    {
        broker.close();
    }

    private static TopicConsumer connect(final String topic)
    {
        return TopicConsumer.connect(context(topic));
    }

    private static ConsumerContext context(final String topic)
    {
        return new ConsumerContext().bootstrapServers(broker.bootstrapServers()).topic(topic)
            .clientId("reader").startPosition(StartPosition.earliest());
    }

    private ConsumerContext withFile()
    {
        return context(TOPIC).countersFile(folder.resolve("counters"));
    }

    private static void readAll(final TopicConsumer consumer)
    {
        Await.until("all records", () ->
        {
            consumer.poll((record) -> { }, 1_000, 50_000_000);
            return consumer.counters().records() == 2 * RECORDS;
        });
    }

    private static Set<String> names(final MeterRegistry registry, final String prefix)
    {
        return registry.getMeters().stream().map(Meter::getId).map(Meter.Id::getName)
            .filter((name) -> name.startsWith(prefix)).collect(Collectors.toCollection(TreeSet::new));
    }

    private static double lag(final MeterRegistry registry, final int partition)
    {
        return registry.get(ExportedMetric.LAG.name()).tag("partition", String.valueOf(partition)).gauge().value();
    }

    private static List<ListedCounter> ofWorkers()
    {
        return IntStream.range(0, ListedCounter.workerCount()).mapToObj(ListedCounter::ofWorker).toList();
    }

    /** The sidecar has the same names, from the same table. */
    @Test
    void shouldHaveTheNamesAndValuesOfTheTableInPrometheus()
    {
        final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        try (TopicConsumer consumer = TopicConsumer.connect(withFile().histograms(ConsumerHistograms.create()));
            OdradekMetrics metrics = new OdradekMetrics(consumer, Tags.empty()))
        {
            readAll(consumer);
            metrics.bindTo(registry);

            final List<String> lines = registry.scrape().lines().toList();

            final Set<ExportedMetric> ofOthers = Stream.concat(ofWorkers().stream(), ListedCounter.shownByPublisher()
                .stream().filter(ListedCounter::isOfPublisher)).map(ListedCounter::metric).collect(Collectors.toSet());
            assertEquals(ListedCounter.metrics().stream().filter((metric) -> !ofOthers.contains(metric))
                .map((metric) -> metric + (metric.isCounter() ? " counter" : " gauge")).sorted().toList(),
                lines.stream().filter((line) -> line.startsWith("# TYPE "))
                    .map((line) -> line.substring("# TYPE ".length())).sorted().toList());
            final String labels = "{client=\"reader\",topic=\"" + TOPIC + "\"} ";
            for (int id = 0; id < ConsumerCounters.count(); id++)
            {
                final ExportedMetric metric = ListedCounter.of(id).metric();
                assertTrue(lines.contains(metric + labels + metric.value(consumer.counters().get(id))) ||
                    metric.value(consumer.counters().get(id)) > 1e6, metric::toString);
                assertTrue(lines.contains("# HELP " + metric + " " + metric.help()), metric::toString);
            }
            assertTrue(lines.contains("odradek_up" + labels + "1.0"));
            assertTrue(lines.contains("odradek_partitions" + labels + "2.0"));
            assertTrue(lines.contains("odradek_partition_next_offset{client=\"reader\",partition=\"1\",topic=\"" +
                TOPIC + "\"} " + (double)RECORDS));
            assertTrue(registry.get(ExportedMetric.RECORD_AGE.name()).tag("quantile", "0.99").gauge().value() < 3_600);
            assertTrue(registry.get(ExportedMetric.FETCH_LATENCY.name()).tag("quantile", "1").gauge().value() > 0);
        }
        assertEquals(Set.of(), names(registry, ""));
    }

    @Test
    void shouldFollowTheAssignment()
    {
        final MeterRegistry registry = new SimpleMeterRegistry();
        try (TopicConsumer consumer = TopicConsumer.connect(withFile());
            OdradekMetrics metrics = new OdradekMetrics(consumer, Tags.of("app", "test")))
        {
            metrics.bindTo(registry);
            readAll(consumer);
            awaitPartitions(registry, consumer, 2);
            assertEquals(0, lag(registry, 0));
            consumer.seek(1, 20);
            consumer.unassign(0);
            assertEquals(10, consumer.poll((record) -> { }, 10, 60_000_000_000L));
            awaitPartitions(registry, consumer, 1);

            assertEquals(RECORDS - 30, lag(registry, 1));
            assertThrows(RuntimeException.class, () -> lag(registry, 0));
            consumer.assign(0, StartPosition.offset(5));
            awaitPartitions(registry, consumer, 2);
            lag(registry, 0);
        }
        assertEquals(Set.of(), names(registry, ""));
    }

    private static void awaitPartitions(final MeterRegistry registry, final TopicConsumer consumer, final int count)
    {
        Await.until(count + " partitions", () ->
        {
            consumer.await(() -> true, 1);
            return registry.get(ExportedMetric.PARTITIONS.name()).tag("app", "test").gauge().value() == count;
        });
    }

    @Test
    void shouldHaveADozenOfKafkasNamesIfAsked()
    {
        final MeterRegistry registry = new SimpleMeterRegistry();
        try (TopicConsumer consumer = TopicConsumer.connect(withFile().histograms(ConsumerHistograms.create()));
            OdradekMetrics metrics = new OdradekMetrics(consumer, Tags.empty()).kafkaNames(true))
        {
            readAll(consumer);
            metrics.bindTo(registry);

            assertEquals(Set.of(
                "kafka.consumer.fetch.manager.records.consumed.total",
                "kafka.consumer.fetch.manager.bytes.consumed.total",
                "kafka.consumer.fetch.manager.fetch.total", "kafka.consumer.fetch.manager.records.lag",
                "kafka.consumer.fetch.manager.records.lag.max", "kafka.consumer.fetch.manager.fetch.latency.avg",
                "kafka.consumer.fetch.manager.fetch.latency.max", "kafka.consumer.coordinator.assigned.partitions",
                "kafka.consumer.coordinator.rebalance.total", "kafka.consumer.coordinator.last.heartbeat.seconds.ago",
                "kafka.consumer.coordinator.commit.total", "kafka.consumer.last.poll.seconds.ago"),
                names(registry, "kafka."));
            assertEquals(2 * RECORDS, registry.get("kafka.consumer.fetch.manager.records.consumed.total")
                .tags("client.id", "reader", "topic", TOPIC).functionCounter().count());
            assertEquals(2, registry.get("kafka.consumer.coordinator.assigned.partitions").gauge().value());
            assertEquals(0, registry.get("kafka.consumer.fetch.manager.records.lag").tag("partition", "1").gauge()
                .value());
            assertTrue(registry.get("kafka.consumer.fetch.manager.fetch.latency.avg").gauge().value() > 0);
        }
    }

    /** A registry returns the meter that exists: the second consumer would be invisible. */
    @Test
    void shouldRefuseKafkasNamesOfASecondConsumerWithTheSameTags()
    {
        final MeterRegistry registry = new SimpleMeterRegistry();
        try (TopicConsumer first = connect(TOPIC);
            TopicConsumer second = connect("returns");
            OdradekMetrics ofFirst = new OdradekMetrics(first, Tags.empty()).kafkaNames(true);
            OdradekMetrics tagged = new OdradekMetrics(second, Tags.of("app", "returns")).kafkaNames(true))
        {
            ofFirst.bindTo(registry);
            final OdradekMetrics refused = new OdradekMetrics(second, Tags.empty()).kafkaNames(true);

            final IllegalStateException ex =
                assertThrows(IllegalStateException.class, () -> refused.bindTo(registry));

            assertTrue(ex.getMessage().startsWith("a consumer with client id reader and the same tags "),
                ex.getMessage());
            refused.close();
            tagged.bindTo(registry);
            assertEquals(2, registry.find("kafka.consumer.fetch.manager.fetch.total").functionCounters().size());
        }
        assertEquals(Set.of(), names(registry, ""));
    }

    /** The tags of one consumer may be among those of another, and a registry may add its own. */
    @Test
    void shouldTakeKafkasNamesOfASecondConsumerWithFewerTags()
    {
        final MeterRegistry registry = new SimpleMeterRegistry();
        registry.config().commonTags("host", "a");
        try (TopicConsumer first = connect(TOPIC);
            TopicConsumer second = connect("returns");
            OdradekMetrics tagged = new OdradekMetrics(second, Tags.of("app", "returns")).kafkaNames(true);
            OdradekMetrics ofFirst = new OdradekMetrics(first, Tags.empty()).kafkaNames(true);
            OdradekMetrics refused = new OdradekMetrics(second, Tags.empty()).kafkaNames(true))
        {
            tagged.bindTo(registry);
            ofFirst.bindTo(registry);

            assertThrows(IllegalStateException.class, () -> refused.bindTo(registry));

            assertEquals(2, registry.find("kafka.consumer.fetch.manager.fetch.total").functionCounters().size());
        }
        assertEquals(Set.of(), names(registry, ""));
    }

    /** The binder of another process reads the file, and the next one when the consumer is started again. */
    @Test
    void shouldReadTheFileOfAConsumerThatIsStartedAgain()
    {
        final MeterRegistry registry = new SimpleMeterRegistry();
        final OdradekMetrics metrics;
        try (TopicConsumer consumer = TopicConsumer.connect(withFile()))
        {
            readAll(consumer);
            metrics = new OdradekMetrics(folder.resolve("counters"), Tags.empty());
            metrics.bindTo(registry);
            assertEquals(2 * RECORDS, registry.get("odradek.records").functionCounter().count());
            assertEquals(1, registry.get("odradek.up").gauge().value());
            assertEquals(Set.of(), names(registry, ExportedMetric.THREAD_ALLOCATED.name()));
        }
        assertEquals(1, registry.get("odradek.closed").gauge().value());
        assertEquals(0, registry.get("odradek.up").gauge().value());
        try (TopicConsumer consumer = TopicConsumer.connect(withFile()))
        {
            Await.until("the new file", () -> registry.get("odradek.closed").gauge().value() == 0);
            // A counter that fell would be a negative number in a registry that publishes differences.
            assertEquals(2 * RECORDS, registry.get("odradek.records").functionCounter().count());
            assertEquals(0, consumer.counters().records());
            readAll(consumer);
            Await.until("the records of both", () ->
                registry.get("odradek.records").functionCounter().count() == 4 * RECORDS);
        }
        metrics.close();
        assertEquals(Set.of(), names(registry, ""));
    }

    @Test
    void shouldShowWhatThePollingThreadAllocates()
    {
        final MeterRegistry registry = new SimpleMeterRegistry();
        final byte[][] planted = new byte[1][];
        try (TopicConsumer consumer = connect(TOPIC);
            OdradekMetrics metrics = new OdradekMetrics(consumer, Tags.empty()))
        {
            metrics.bindTo(registry);
            assertEquals(0, registry.get("odradek.thread.allocated").functionCounter().count());
            assertEquals(Set.of(), names(registry, ExportedMetric.LAG.name()));
            readAll(consumer);
            final double before = registry.get("odradek.thread.allocated").functionCounter().count();
            consumer.seek(0, 0);
            assertEquals(1, consumer.poll((record) -> planted[0] = new byte[ALLOCATED], 1, 60_000_000_000L));

            final double after = registry.get("odradek.thread.allocated").functionCounter().count();

            assertTrue(before > 0 && after >= before + ALLOCATED, () -> before + " then " + after);
            assertEquals(ALLOCATED, planted[0].length);
        }
    }

    private Publisher published()
    {
        final Publisher publisher = Publisher.connect(new PublisherContext().clientId("writer")
            .bootstrapServers(broker.bootstrapServers()).countersFile(folder.resolve("counters")));
        publisher.topic("published");
        assertTrue(publisher.awaitReady(TIMEOUT_NS), publisher::describe);
        publish(publisher);
        return publisher;
    }

    private static void publish(final Publisher publisher)
    {
        final UnsafeBuffer value = new UnsafeBuffer(new byte[10]);
        for (int i = 0; i < RECORDS; i++)
        {
            assertTrue(publisher.topic("published").offer(0, null, value, null) > 0);
        }
        assertTrue(publisher.awaitAcknowledged(TIMEOUT_NS), publisher::describe);
    }

    /** A consumer and a publisher in one registry, where meters of one name must have the same tags. */
    // Behaviour Q237.
    @Test
    void shouldBindAPublisherBesideAConsumer()
    {
        final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        try (TopicConsumer consumer = connect(TOPIC);
            OdradekMetrics ofConsumer = new OdradekMetrics(consumer, Tags.empty());
            Publisher publisher = published();
            OdradekMetrics metrics = new OdradekMetrics(publisher, Tags.empty()))
        {
            ofConsumer.bindTo(registry);
            metrics.bindTo(registry);

            final List<String> lines = registry.scrape().lines().toList();
            final String labels = "{client=\"writer\",topic=\"\"} ";
            for (final ListedCounter counter : ListedCounter.shownByPublisher())
            {
                final long value = publisher.counters().get(counter.id());
                assertTrue(lines.contains(counter.metric() + labels + counter.metric().value(value)), counter::name);
            }
            assertTrue(lines.contains("odradek_publisher_records_total" + labels + (double)RECORDS));
            assertTrue(lines.contains("odradek_up" + labels + "1.0"));
            assertTrue(lines.stream().anyMatch(
                (line) -> line.startsWith("odradek_thread_allocated_bytes_total" + labels)));
            assertTrue(lines.stream().noneMatch((line) -> line.startsWith("odradek_fetches_total" + labels)));
            assertTrue(lines.stream().noneMatch((line) -> line.startsWith("odradek_partitions" + labels)));
            assertEquals("kafkaNames are those of Kafka's consumer, which a publisher does not have",
                assertThrows(IllegalStateException.class, () -> new OdradekMetrics(publisher, Tags.empty())
                .kafkaNames(true).bindTo(registry)).getMessage());
        }
        assertEquals(Set.of(), names(registry, ""));
    }

    @Test
    void shouldReadTheFileOfAPublisherThatIsStartedAgain()
    {
        final MeterRegistry registry = new SimpleMeterRegistry();
        final OdradekMetrics metrics;
        try (Publisher publisher = published())
        {
            metrics = new OdradekMetrics(folder.resolve("counters"), Tags.empty());
            metrics.bindTo(registry);
            assertEquals(RECORDS, registry.get("odradek.publisher.records").functionCounter().count());
            assertTrue(registry.get("odradek.connects").functionCounter().count() > 0);
            publish(publisher);
        }
        // Nobody has read the second half of its records from the old file before.
        try (Publisher publisher = published())
        {
            Await.until("the records of both", () ->
                registry.get("odradek.publisher.records").functionCounter().count() == 3 * RECORDS);
            assertEquals(RECORDS, publisher.counters().get(PublisherCounters.RECORDS));
        }
        metrics.close();
        assertEquals(Set.of(), names(registry, ""));
    }

    /** Each worker has a partition, if there are two. */
    private Workers worked(final int count, final String groupId)
    {
        final Workers workers = Workers.connect(withFile()
            .group(new GroupSettings(groupId).commitPolicy(CommitPolicy.acknowledged())),
            new WorkerSettings(count, (worker) -> (record) -> null)
                .router((record, workerCount) -> record.partition() % workerCount));
        final long[] processed = new long[1];
        Await.until("all records", () ->
        {
            workers.consumer().controlledPoll(workers.handler(), RECORDS);
            workers.doWork();
            processed[0] = 0;
            for (int w = 0; w < count; w++)
            {
                workers.worker(w).doWork();
                processed[0] += workers.counters().get(w, WorkerCounters.RECORDS);
            }
            return processed[0] == 2 * RECORDS && workers.isPassed();
        });
        return workers;
    }

    private static double records(final MeterRegistry registry, final int worker)
    {
        return registry.get("odradek.worker.records").tag("worker", String.valueOf(worker)).functionCounter().count();
    }

    @Test
    void shouldHaveTheCountersOfEachWorker()
    {
        final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        final Workers workers = worked(2, "prometheus");
        try (OdradekMetrics metrics = new OdradekMetrics(workers.consumer(), Tags.empty()))
        {
            metrics.bindTo(registry);

            final List<String> lines = registry.scrape().lines().toList();

            for (int w = 0; w < 2; w++)
            {
                final String labels = "{client=\"reader\",topic=\"" + TOPIC + "\",worker=\"" + w + "\"} ";
                assertTrue(lines.contains("odradek_worker_records_total" + labels + (double)RECORDS), lines::toString);
                for (final ListedCounter counter : ofWorkers())
                {
                    final String line = counter.metric() + labels;
                    assertTrue(lines.stream().anyMatch((shown) -> shown.startsWith(line)), () -> line + lines);
                }
            }
        }
        assertEquals(Set.of(), names(registry, ""));
        workers.close();
    }

    /** The binder of another process reads the file, and the next one with another number of workers. */
    @Test
    void shouldFollowTheWorkersOfAProgramThatIsStartedAgain()
    {
        final MeterRegistry registry = new SimpleMeterRegistry();
        worked(1, "first").close();
        final OdradekMetrics metrics = new OdradekMetrics(folder.resolve("counters"), Tags.empty());
        metrics.bindTo(registry);
        assertEquals(2 * RECORDS, records(registry, 0));

        worked(2, "second").close();
        Await.until("the new file", () -> registry.get("odradek.partitions").gauge().value() >= 0 &&
            records(registry, 0) == 3 * RECORDS);

        assertEquals(RECORDS, records(registry, 1));
        assertEquals(0, registry.get("odradek.worker.state").tag("worker", "1").gauge().value());
        try (TopicConsumer consumer = TopicConsumer.connect(withFile()))
        {
            Await.until("a file without workers", () ->
                Double.isNaN(registry.get("odradek.worker.state").tag("worker", "1").gauge().value()));
            assertEquals(0, consumer.counters().records());
            assertEquals(RECORDS, records(registry, 1));
        }
        metrics.close();
        assertEquals(Set.of(), names(registry, ""));
    }
}
