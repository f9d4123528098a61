// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.catchup;

import org.odradek.consumer.ConsumerContext;
import org.odradek.consumer.StartPosition;
import org.odradek.consumer.TopicConsumer;
import org.odradek.consumer.handler.RecordHandler;
import org.odradek.protocol.record.Record;

import java.util.concurrent.TimeUnit;

/**
 * Our consumer, with the fetch settings of the other arms.
 */
final class OdradekConsumer implements Arm
{
    private static final int RECORD_LIMIT = 100_000;
    private static final long READY_TIMEOUT_NS = TimeUnit.MINUTES.toNanos(2);
    private static final long POLL_TIMEOUT_NS = TimeUnit.SECONDS.toNanos(1);
    private static final long REST_NS = TimeUnit.MILLISECONDS.toNanos(3L * ArmSettings.FETCH_MAX_WAIT_MS);

    private final RecordHandler handler = this::onRecord;
    private final long endOffset;
    private final int partitions;
    private final TopicConsumer consumer;
    private Tally current;
    private Throwable error;

    OdradekConsumer(final ArmSettings settings)
    {
        endOffset = settings.recordsPerPartition();
        partitions = settings.partitions();
        consumer = TopicConsumer.connect(new ConsumerContext()
            .bootstrapServers(settings.bootstrap())
            .topic(settings.topic())
            .startPosition(StartPosition.earliest())
            .fetchMaxBytes(ArmSettings.FETCH_MAX_BYTES)
            .partitionMaxBytes(ArmSettings.PARTITION_MAX_BYTES)
            .fetchMinBytes(ArmSettings.FETCH_MIN_BYTES)
            .fetchMaxWaitMs(ArmSettings.FETCH_MAX_WAIT_MS)
            .checkCrcs(settings.isCheckingCrcs())
            .errorHandler(this::onError));
        if (!consumer.awaitReady(READY_TIMEOUT_NS))
        {
            throw new IllegalStateException("odradek is not ready:\n" + consumer.describe());
        }
        rest();
    }

    @Override
    public void pass(final Tally tally)
    {
        current = tally;
        for (int partition = 0; partition < partitions; partition++)
        {
            consumer.seek(partition, 0);
            consumer.resume(partition);
        }
        while (!isAtEnd())
        {
            consumer.poll(handler, RECORD_LIMIT, POLL_TIMEOUT_NS);
            failOnError();
        }
    }

    /** Paused, it sends no new fetch, and the one that waits at the end of the log runs out. */
    @Override
    public void rest()
    {
        for (int partition = 0; partition < partitions; partition++)
        {
            consumer.pause(partition);
        }
        final long startNs = System.nanoTime();
        while (System.nanoTime() - startNs < REST_NS)
        {
            consumer.poll(record -> {}, RECORD_LIMIT, REST_NS);
        }
    }

    @Override
    public void close()
    {
        consumer.close();
    }

    private boolean isAtEnd()
    {
        for (int partition = 0; partition < partitions; partition++)
        {
            if (consumer.nextOffset(partition) < endOffset)
            {
                return false;
            }
        }
        return true;
    }

    private void onRecord(final Record record)
    {
        current.add(record.valueLength(), record.valueLong(ThreeLongs.FIRST, ThreeLongs.ORDER) +
            record.valueLong(ThreeLongs.SECOND, ThreeLongs.ORDER) +
            record.valueLong(ThreeLongs.THIRD, ThreeLongs.ORDER));
    }

    private void onError(final Throwable cause)
    {
        error = cause;
    }

    /** A run with trouble in it measures the trouble. */
    private void failOnError()
    {
        if (error != null)
        {
            throw new IllegalStateException("odradek: " + error.getMessage(), error);
        }
    }
}
