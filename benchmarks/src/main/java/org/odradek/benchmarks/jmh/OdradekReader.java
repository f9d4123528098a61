// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.jmh;

import org.odradek.benchmarks.jmh.FetchBenchmark.FetchParameters;
import org.odradek.consumer.ConsumerContext;
import org.odradek.consumer.StartPosition;
import org.odradek.consumer.TopicConsumer;
import org.odradek.consumer.handler.RecordHandler;
import org.odradek.protocol.record.Record;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

import java.util.concurrent.TimeUnit;

/**
 * Our whole consumer as its users have it, on recorded answers instead of a socket: the duty cycle, the next request,
 * the walk over the batches, checksums, every check at the border, and a handler.
 */
@State(Scope.Benchmark)
public class OdradekReader
{
    private final RecordHandler handler = this::onRecord;
    private long sum;
    private int recordCount;
    private TopicConsumer consumer;

    @Setup
    public void setUp(final FetchParameters parameters)
    {
        final RecordedBatches batches = parameters.batches();
        recordCount = batches.recordCount();
        consumer = TopicConsumer.connect(new ConsumerContext()
            .bootstrapServers(RecordedAnswers.HOST + ":" + RecordedAnswers.PORT)
            .topic(RecordedAnswers.TOPIC)
            .startPosition(StartPosition.offset(0))
            .checkCrcs(parameters.isCheckingCrcs)
            .errorHandler((error) ->
            {
                throw new IllegalStateException(error);
            })
            .poller(new RecordedSocket.RecordedPoller(new RecordedAnswers(batches))));
        if (!consumer.awaitReady(TimeUnit.SECONDS.toNanos(10)))
        {
            throw new IllegalStateException("Not ready:\n" + consumer.describe());
        }
        parameters.check(readFetch());
    }

    @TearDown
    public void tearDown()
    {
        consumer.close();
    }

    private void onRecord(final Record record)
    {
        final int index = record.valueIndex();
        sum += RecordedBatches.touch(record.offset(), record.timestamp(), record.keyLength(),
            record.buffer().getByte(index), record.buffer().getByte(index + record.valueLength() - 1));
    }

    /**
     * @return the sum over the records of all fetches so far.
     */
    long readFetch()
    {
        int left = recordCount;
        while (left > 0)
        {
            left -= consumer.poll(handler, left);
        }
        return sum;
    }
}
