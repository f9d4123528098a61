// SPDX-License-Identifier: Apache-2.0
package org.odradek.micrometer;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import org.odradek.consumer.handler.ConsumerCounters;

import java.util.Collection;
import java.util.Map;
import java.util.function.IntSupplier;

/** The names, tags and units that Micrometer uses for the metrics of Kafka's own consumer. */
final class KafkaNames
{
    static final Map<String, String> LAGS = Map.of(
        "kafka.consumer.fetch.manager.records.lag", "The latest lag of the partition",
        "kafka.consumer.fetch.manager.records.lag.max", "The max lag of the partition");

    private static final String FETCH_MANAGER = "kafka.consumer.fetch.manager.";
    private static final String FETCH_TOTAL = FETCH_MANAGER + "fetch.total";
    private static final String COORDINATOR = "kafka.consumer.coordinator.";
    private static final double MS_PER_SECOND = 1e3;

    private KafkaNames()
    {
    }

    /** Returns the tags of the meters, which have the keys of Kafka's consumer. */
    static Tags tags(final Tags userTags, final String clientId)
    {
        return userTags.and(Tag.of("client.id", clientId), Tag.of("kafka.version", "odradek"));
    }

    /**
     * Adds the first meter, and refuses a second consumer with the same tags, for which a registry would return the
     * meters of the first consumer. After a refusal, {@code meters} must not be closed, because that would remove the
     * meter of the first consumer.
     *
     * @throws IllegalStateException if the registry has this meter of another consumer.
     */
    static void addFirst(
        final Meters meters,
        final MeterRegistry registry,
        final MetricsSource source,
        final Tags tags,
        final String clientId)
    {
        final Collection<Meter> before = registry.find(FETCH_TOTAL).meters();
        final Meter fetches = meters.counter(FETCH_TOTAL, null, "The total number of fetch requests.",
            tags, () -> source.count(ConsumerCounters.FETCHES));
        if (before.contains(fetches))
        {
            throw new IllegalStateException("a consumer with client id " + clientId + " and the same tags has " +
                "Kafka's names in this registry already: give each consumer another client id, or other tags");
        }
    }

    static void add(
        final Meters meters,
        final MetricsSource source,
        final Tags tags,
        final String topic,
        final IntSupplier partitions,
        final HistogramWindow fetchLatency)
    {
        final Tags topicTags = tags.and("topic", topic);
        meters.counter(FETCH_MANAGER + "records.consumed.total", null, "The total number of records consumed",
            topicTags, () -> source.count(ConsumerCounters.RECORDS));
        meters.counter(FETCH_MANAGER + "bytes.consumed.total", null, "The total number of bytes consumed",
            topicTags, () -> source.count(ConsumerCounters.RECORD_BYTES));
        if (fetchLatency != null)
        {
            meters.gauge(FETCH_MANAGER + "fetch.latency.avg", null, "The average time taken for a fetch request.",
                tags, () -> fetchLatency.mean() * MS_PER_SECOND);
            meters.gauge(FETCH_MANAGER + "fetch.latency.max", null, "The max time taken for any fetch request.",
                tags, () -> fetchLatency.quantile(1) * MS_PER_SECOND);
        }
        meters.counter(COORDINATOR + "rebalance.total", null, "The total number of successful rebalance events",
            tags, () -> source.count(ConsumerCounters.REBALANCES));
        meters.counter(COORDINATOR + "commit.total", null, "The total number of commit calls",
            tags, () -> source.count(ConsumerCounters.COMMITS));
        meters.gauge(COORDINATOR + "last.heartbeat.seconds.ago", null,
            "The number of seconds since the last coordinator heartbeat was sent", tags, source::heartbeatAge);
        if (source.hasFile())
        {
            meters.gauge(COORDINATOR + "assigned.partitions", null,
                "The number of partitions currently assigned to this consumer", tags, partitions::getAsInt);
            meters.gauge("kafka.consumer.last.poll.seconds.ago", null,
                "The number of seconds since the last poll() invocation.", tags,
                () -> source.file().pollAgeMs(System.currentTimeMillis()) / MS_PER_SECOND);
        }
    }
}
