// SPDX-License-Identifier: Apache-2.0
package org.apache.kafka.clients.consumer.internals;

import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.metrics.Metrics;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.utils.internals.BufferSupplier;
import org.apache.kafka.common.utils.internals.LogContext;
import org.slf4j.Logger;

import java.util.List;
import java.util.Set;

/**
 * Reads one partition of a fetch response with the stock consumer's own {@link CompletedFetch}, which only classes of
 * its package can create.
 */
public final class StockFetch implements AutoCloseable
{
    private final Logger logger = new LogContext().logger(StockFetch.class);
    private final Metrics metrics = new Metrics();
    private final BufferSupplier buffers = BufferSupplier.create();
    private final FetchMetricsManager metricsManager =
        new FetchMetricsManager(metrics, new FetchMetricsRegistry());
    private final SubscriptionState subscriptions =
        new SubscriptionState(new LogContext(), AutoOffsetResetStrategy.NONE);
    private final Deserializers<byte[], byte[]> deserializers =
        new Deserializers<>(new ByteArrayDeserializer(), new ByteArrayDeserializer(), metrics);
    private long nextOffset;

    /**
     * @param isReadCommitted deliver nothing of aborted transactions.
     * @param partition       that the data belongs to.
     * @param data            with record set and aborted transactions.
     * @param fetchOffset     that was requested.
     * @return every record that the stock consumer would deliver; its checksums have been checked.
     */
    public List<ConsumerRecord<byte[], byte[]>> read(
        final boolean isReadCommitted,
        final TopicPartition partition,
        final FetchResponseData.PartitionData data,
        final long fetchOffset)
    {
        final IsolationLevel level =
            isReadCommitted ? IsolationLevel.READ_COMMITTED : IsolationLevel.READ_UNCOMMITTED;
        final CompletedFetch fetch = new CompletedFetch(logger, subscriptions, buffers, partition, data,
            new FetchMetricsAggregator(metricsManager, Set.of(partition)), fetchOffset);
        final FetchConfig config = new FetchConfig(1, 1, 1, 1, 1, true, "", level);
        final List<ConsumerRecord<byte[], byte[]>> records =
            fetch.fetchRecords(config, deserializers, Integer.MAX_VALUE);
        if (!fetch.isExhausted())
        {
            // The stock consumer throws an error only in the next call.
            fetch.fetchRecords(config, deserializers, Integer.MAX_VALUE);
            throw new IllegalStateException("not all was read");
        }
        fetch.drain();
        nextOffset = fetch.nextFetchOffset();
        return records;
    }

    /**
     * @return the offset at which the stock consumer would continue after the last {@link #read}.
     */
    public long nextOffset()
    {
        return nextOffset;
    }

    @Override
    public void close()
    {
        metrics.close();
        buffers.close();
    }
}
