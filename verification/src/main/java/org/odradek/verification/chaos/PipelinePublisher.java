// SPDX-License-Identifier: Apache-2.0
package org.odradek.verification.chaos;

import org.agrona.concurrent.UnsafeBuffer;
import org.odradek.client.Acknowledgements;
import org.odradek.consumer.handler.ControlledRecordHandler;
import org.odradek.protocol.record.Record;
import org.odradek.publisher.FailedBatch;
import org.odradek.publisher.Publisher;
import org.odradek.publisher.PublisherContext;
import org.odradek.publisher.PublisherListener;
import org.odradek.publisher.TopicPublisher;
import org.odradek.workers.Worker;

/**
 * Publishes the records of the input under their keys: all of them on the thread of a pipeline, or those of a worker on
 * the thread of the worker.
 */
final class PipelinePublisher implements ControlledRecordHandler, PublisherListener
{
    private static final int WORKER_BARRIER_MS = 1;

    private final PipelineLedger ledger;
    private final int index;
    private final int keyCount;
    private final UnsafeBuffer key = new UnsafeBuffer(new byte[Integer.BYTES]);
    private final Worker worker;
    private final Publisher publisher;
    private final TopicPublisher output;
    /** Takes how far the input was processed. */
    private final Acknowledgements processed;
    /** Set by the thread, read by that of the pipeline. */
    private volatile boolean isGivenUp;

    /**
     * A publisher without a worker.
     *
     * @param keyCount of a partition of the input.
     * @param input    is acknowledged after the output.
     * @param isEarly  a defect: it is acknowledged before.
     */
    PipelinePublisher(
        final PublisherContext context,
        final PipelineLedger ledger,
        final int keyCount,
        final Acknowledgements input,
        final int barrierMs,
        final boolean isEarly)
    {
        this(context, ledger, keyCount, null, input, barrierMs, isEarly);
    }

    /** The publisher of a worker, whose records are complete when their output is acknowledged. */
    PipelinePublisher(
        final PublisherContext context,
        final PipelineLedger ledger,
        final int keyCount,
        final Worker worker,
        final boolean isEarly)
    {
        this(context, ledger, keyCount, worker, worker.completion(), WORKER_BARRIER_MS, isEarly);
    }

    private PipelinePublisher(
        final PublisherContext context,
        final PipelineLedger ledger,
        final int keyCount,
        final Worker worker,
        final Acknowledgements input,
        final int barrierMs,
        final boolean isEarly)
    {
        this.ledger = ledger;
        this.keyCount = keyCount;
        this.worker = worker;
        index = worker == null ? 0 : worker.index();
        publisher = Publisher.connect(context.listener(this));
        output = publisher.topic(ChaosPipeline.OUTPUT);
        processed = isEarly ? input : publisher.inputBarrier(input, barrierMs)::processed;
    }

    /** Whether a batch was given up. */
    boolean isGivenUp()
    {
        return isGivenUp;
    }

    /** Does the work of the publisher and, if there is one, of the worker. */
    int doWork()
    {
        return (worker == null ? 0 : worker.doWork()) + publisher.doWork();
    }

    long nextDeadlineNs()
    {
        return publisher.nextDeadlineNs();
    }

    void close(final long timeoutNs)
    {
        publisher.close(timeoutNs);
    }

    @Override
    public Action onRecord(final Record record)
    {
        final int partition = record.partition();
        final long sequence =
            ChaosRecord.sequence(partition, record.buffer(), record.valueIndex(), record.valueLength());
        key.putInt(0, PipelineJudge.key(partition, sequence, keyCount));
        final int to = output.partitionForKey(key, 0, Integer.BYTES);
        final long position = to < 0 ? to : output.offer(to, key, 0, Integer.BYTES,
            record.buffer(), record.valueIndex(), record.valueLength());
        if (position < 0)
        {
            return Action.ABORT;
        }
        final int epoch = record.ownershipEpoch();
        ledger.onPublished(index, new PipelineLedger.Publication(
            partition, sequence, epoch, to, System.nanoTime()), position);
        if (worker == null)
        {
            processed.acknowledge(partition, epoch, record.offset() + 1);
        }
        else
        {
            processed.acknowledge(0, 1, worker.position());
        }
        return Action.CONTINUE;
    }

    @Override
    public void onAcknowledged(
        final String topic, final int partition, final long firstPosition, final int count, final long baseOffset)
    {
        ledger.onAcknowledged(index, partition, firstPosition, count, baseOffset);
    }

    @Override
    public void onFailed(final FailedBatch batch)
    {
        ledger.onFailed(index, batch.partition(), batch.firstPosition(), batch.count(), batch.isMaybeWritten());
        isGivenUp = true;
    }
}
