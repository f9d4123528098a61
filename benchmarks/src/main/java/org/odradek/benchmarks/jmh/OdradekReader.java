// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.jmh;

import org.odradek.consumer.ConsumerContext;
import org.odradek.consumer.StartPosition;
import org.odradek.consumer.TopicConsumer;
import org.odradek.consumer.handler.RecordHandler;
import org.odradek.protocol.record.Record;

import java.util.concurrent.TimeUnit;

/**
 * Our whole consumer as its users have it, on recorded answers instead of a socket: the duty cycle, the next request,
 * the walk over the batches, checksums, every check at the border, and a handler.
 */
final class OdradekReader implements FetchBenchmark.Reader
{
    private final RecordHandler handler = this::onRecord;
    private final int recordCount;
    private final TopicConsumer consumer;
    private long sum;

    OdradekReader(final RecordedBatches batches, final boolean isCheckingCrcs)
    {
        recordCount = batches.recordCount();
        consumer = TopicConsumer.connect(new ConsumerContext()
            .bootstrapServers(RecordedBroker.HOST + ":" + RecordedBroker.PORT)
            .topic(RecordedBroker.TOPIC)
            .startPosition(StartPosition.offset(0))
            .checkCrcs(isCheckingCrcs)
            .errorHandler((error) ->
            {
                throw new IllegalStateException(error);
            })
            .poller(new RecordedBroker(batches)));
        if (!consumer.awaitReady(TimeUnit.SECONDS.toNanos(10)))
        {
            throw new IllegalStateException("Not ready:\n" + consumer.describe());
        }
    }

    @Override
    public long readFetch()
    {
        int left = recordCount;
        while (left > 0)
        {
            left -= consumer.poll(handler, left);
        }
        return sum;
    }

    private void onRecord(final Record record)
    {
        final int index = record.valueIndex();
        sum += RecordedBatches.touch(record.offset(), record.timestamp(), record.keyLength(),
            record.buffer().getByte(index), record.buffer().getByte(index + record.valueLength() - 1));
    }
}
