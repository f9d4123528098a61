// SPDX-License-Identifier: Apache-2.0
package org.odradek.flink;

import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.groups.SourceReaderMetricGroup;
import org.odradek.consumer.GroupOffsets;
import org.odradek.consumer.TopicConsumer;
import org.odradek.consumer.handler.ConsumerCounters;

import java.util.Arrays;
import java.util.Locale;

/**
 * Reports a reader in Flink's metric groups: the standard metrics of sources, those of KafkaSource under its own names,
 * and every counter of the consumer. The task's thread writes volatile numbers, and reporters read them.
 */
final class ReaderMetrics
{
    /** The group and names that dashboards of KafkaSource use. */
    private static final String GROUP = "KafkaSourceReader";
    private static final String CONSUMER_GROUP = "OdradekConsumer";

    /** The values that are reported for a partition; volatile because reporters read them. */
    private static final class PartitionValues
    {
        volatile long currentOffset = GroupOffsets.NULL_OFFSET;
        volatile long committedOffset = GroupOffsets.NULL_OFFSET;
        volatile long lag;
    }

    private final MetricGroup group;
    private final Counter records;
    private final Counter bytes;
    private final Counter failedRecords;
    private PartitionValues[] partitions = {};
    /** Volatile because reporters read it. */
    private volatile long pendingRecords;

    ReaderMetrics(final SourceReaderMetricGroup readerGroup, final ConsumerCounters counters)
    {
        records = readerGroup.getIOMetricGroup().getNumRecordsInCounter();
        bytes = readerGroup.getIOMetricGroup().getNumBytesInCounter();
        failedRecords = readerGroup.getNumRecordsInErrorsCounter();
        readerGroup.setPendingRecordsGauge(() -> pendingRecords);
        group = readerGroup.addGroup(GROUP);
        group.gauge("commitsSucceeded", (Gauge<Long>)() -> counters.get(ConsumerCounters.COMMITS));
        group.gauge("commitsFailed", (Gauge<Long>)() -> counters.get(ConsumerCounters.COMMIT_FAILURES));
        final MetricGroup consumerGroup = group.addGroup(CONSUMER_GROUP);
        for (int i = 0; i < ConsumerCounters.count(); i++)
        {
            final int id = i;
            consumerGroup.gauge(camelCase(ConsumerCounters.name(id)), (Gauge<Long>)() -> counters.get(id));
        }
    }

    private static String camelCase(final String words)
    {
        final StringBuilder name = new StringBuilder();
        for (final String word : words.split(" "))
        {
            name.append(name.isEmpty() ? word : word.substring(0, 1).toUpperCase(Locale.ROOT) + word.substring(1));
        }
        return name.toString();
    }

    void addPartition(final PartitionSplit split)
    {
        if (split.partition() >= partitions.length)
        {
            partitions = Arrays.copyOf(partitions, split.partition() + 1);
        }
        if (partitions[split.partition()] == null)
        {
            final PartitionValues values = new PartitionValues();
            partitions[split.partition()] = values;
            final MetricGroup ofPartition = group
                .addGroup("topic", split.topic())
                .addGroup("partition", Integer.toString(split.partition()));
            ofPartition.gauge("currentOffset", (Gauge<Long>)() -> values.currentOffset);
            ofPartition.gauge("committedOffset", (Gauge<Long>)() -> values.committedOffset);
            ofPartition.gauge("recordsLag", (Gauge<Long>)() -> values.lag);
        }
    }

    void onRecords(final int recordCount, final long byteCount)
    {
        records.inc(recordCount);
        bytes.inc(byteCount);
    }

    void onFailedRecord()
    {
        failedRecords.inc();
    }

    /** Publishes the last offset of a split that has been read to its end: its partition is no longer assigned. */
    void onFinished(final int partition, final long nextOffset)
    {
        partitions[partition].currentOffset = nextOffset - 1;
    }

    /**
     * Publishes the offsets of all partitions.
     *
     * @param commits null if nothing is committed.
     */
    void update(final TopicConsumer consumer, final GroupOffsets commits)
    {
        long pending = 0;
        for (int p = 0; p < partitions.length; p++)
        {
            final PartitionValues values = partitions[p];
            if (values != null)
            {
                final boolean isAssigned = consumer.isAssigned(p);
                values.lag = isAssigned ? Math.max(0, consumer.lag(p)) : 0;
                values.currentOffset = isAssigned ? consumer.nextOffset(p) - 1 : values.currentOffset;
                values.committedOffset = commits == null ? values.committedOffset : commits.committedOffset(p);
                pending += values.lag;
            }
        }
        pendingRecords = pending;
    }
}
