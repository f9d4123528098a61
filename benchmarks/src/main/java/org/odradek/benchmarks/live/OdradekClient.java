// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.live;

import org.agrona.DirectBuffer;
import org.odradek.consumer.TopicConsumer;
import org.odradek.consumer.handler.RecordHandler;
import org.odradek.protocol.record.Record;

import java.nio.ByteOrder;
import java.util.concurrent.TimeUnit;

/**
 * Our consumer as its user writes it.
 */
final class OdradekClient implements LiveClient
{
    private final long pollTimeoutNs;
    private final ValueSink sink;
    private final TopicConsumer consumer;
    private final RecordHandler handler = this::onRecord;
    private Throwable error;

    private OdradekClient(final ClientSettings settings, final ValueSink sink, final int latencyBudgetMs)
    {
        pollTimeoutNs = TimeUnit.MILLISECONDS.toNanos(settings.pollTimeoutMs());
        this.sink = sink;
        consumer = OdradekConnection.open(settings, latencyBudgetMs, this::onError);
    }

    static OdradekClient withEqualSettings(final ClientSettings settings, final ValueSink sink)
    {
        return new OdradekClient(settings, sink, 0);
    }

    static OdradekClient withPacing(final ClientSettings settings, final ValueSink sink)
    {
        return new OdradekClient(settings, sink, ClientSettings.PACED_LATENCY_BUDGET_MS);
    }

    @Override
    public void poll()
    {
        consumer.poll(handler, ClientSettings.RECORD_LIMIT, pollTimeoutNs);
        if (error != null)
        {
            throw new IllegalStateException(error);
        }
    }

    private void onRecord(final Record record)
    {
        final DirectBuffer buffer = record.buffer();
        final int index = record.valueIndex();
        final int length = record.valueLength();
        sink.onValue(record.partition(), record.offset(), length, buffer.getLong(index, ByteOrder.BIG_ENDIAN),
            buffer.getLong(index + length - Long.BYTES, ByteOrder.BIG_ENDIAN));
    }

    /** A run with trouble in it measures the trouble. */
    private void onError(final Throwable cause)
    {
        error = cause;
    }

    @Override
    public long fetches()
    {
        return consumer.counters().fetches();
    }

    @Override
    public void close()
    {
        consumer.close();
    }
}
