// SPDX-License-Identifier: Apache-2.0
package org.odradek.tools.demo;

import org.agrona.DirectBuffer;
import org.odradek.consumer.ConsumerContext;
import org.odradek.consumer.StartPosition;
import org.odradek.consumer.TopicConsumer;
import org.odradek.consumer.handler.RecordHandler;
import org.odradek.protocol.record.Record;

import java.nio.ByteOrder;
import java.util.Properties;
import java.util.concurrent.TimeUnit;

/**
 * A client with our consumer, as a user would write it.
 */
final class OdradekClient implements DemoClient
{
    private static final long POLL_TIMEOUT_NS = TimeUnit.MILLISECONDS.toNanos(POLL_TIMEOUT_MS);

    private final ValueSink sink;
    private final TopicConsumer consumer;
    private final RecordHandler handler = this::onRecord;

    OdradekClient(final Properties connection, final String topic, final ValueSink sink)
    {
        this.sink = sink;
        consumer = TopicConsumer.connect(ConsumerContext.from(connection)
            .topic(topic)
            .startPosition(StartPosition.latest())
            .fetchMaxBytes(MAX_BYTES)
            .partitionMaxBytes(PARTITION_MAX_BYTES)
            .fetchMinBytes(MIN_BYTES)
            .fetchMaxWaitMs(MAX_WAIT_MS)
            .checkCrcs(CHECK_CRCS));
    }

    @Override
    public void poll()
    {
        consumer.poll(handler, MAX_POLL_RECORDS, POLL_TIMEOUT_NS);
    }

    private void onRecord(final Record record)
    {
        if (record.valueLength() == VALUE_LENGTH)
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
