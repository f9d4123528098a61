// SPDX-License-Identifier: Apache-2.0
package org.odradek.tools.demo;

import org.agrona.DirectBuffer;
import org.odradek.consumer.ConsumerContext;
import org.odradek.consumer.StartPosition;
import org.odradek.consumer.TopicConsumer;
import org.odradek.consumer.handler.RecordHandler;
import org.odradek.protocol.record.Record;

import java.nio.ByteOrder;
import java.util.concurrent.TimeUnit;

/**
 * Our consumer as its user writes it.
 */
final class OdradekClient implements DemoClient
{
    private static final long POLL_TIMEOUT_NS = TimeUnit.MILLISECONDS.toNanos(FetchSettings.POLL_TIMEOUT_MS);

    private final ValueSink sink;
    private final TopicConsumer consumer;
    private final RecordHandler handler = this::onRecord;

    OdradekClient(final String bootstrap, final String topic, final ValueSink sink)
    {
        this.sink = sink;
        consumer = TopicConsumer.connect(new ConsumerContext()
            .bootstrapServers(bootstrap)
            .topic(topic)
            .startPosition(StartPosition.latest())
            .fetchMaxBytes(FetchSettings.MAX_BYTES)
            .partitionMaxBytes(FetchSettings.PARTITION_MAX_BYTES)
            .fetchMinBytes(FetchSettings.MIN_BYTES)
            .fetchMaxWaitMs(FetchSettings.MAX_WAIT_MS)
            .checkCrcs(FetchSettings.CHECK_CRCS));
    }

    @Override
    public void poll()
    {
        consumer.poll(handler, FetchSettings.MAX_POLL_RECORDS, POLL_TIMEOUT_NS);
    }

    private void onRecord(final Record record)
    {
        if (record.valueLength() == FetchSettings.VALUE_LENGTH)
        {
            final DirectBuffer buffer = record.buffer();
            final int index = record.valueIndex();
            sink.onValue(record.offset(), buffer.getLong(index, ByteOrder.BIG_ENDIAN),
                buffer.getLong(index + 8, ByteOrder.BIG_ENDIAN), buffer.getLong(index + 15, ByteOrder.BIG_ENDIAN));
        }
        else
        {
            sink.onWrongLength();
        }
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
