/*
 * Licensed under the Apache License, Version 2.0; see the file LICENSE.
 */
package org.odradek.benchmarks.catchup;

import org.odradek.consumer.ConsumerContext;
import org.odradek.consumer.StartPosition;
import org.odradek.consumer.TopicConsumer;
import org.odradek.consumer.handler.RecordHandler;
import org.odradek.protocol.record.RecordFlyweight;

import java.util.concurrent.TimeUnit;

/**
 * Our consumer, with the fetch settings of the other arms.
 */
final class OdradekConsumer implements Arm
{
    private static final int RECORD_LIMIT = 100_000;
    private static final long READY_TIMEOUT_NS = TimeUnit.SECONDS.toNanos(15);
    private static final long POLL_TIMEOUT_NS = TimeUnit.SECONDS.toNanos(1);
    private static final long REST_NS = TimeUnit.MILLISECONDS.toNanos(3L * ArmSettings.FETCH_MAX_WAIT_MS);

    private final RecordHandler handler = this::onRecord;
    private final long endOffset;
    private final TopicConsumer consumer;
    private Tally current;
    private Throwable error;

    OdradekConsumer(final ArmSettings settings)
    {
        endOffset = settings.records();
        consumer = TopicConsumer.connect(new ConsumerContext()
            .bootstrapServers(settings.bootstrap())
            .topic(settings.topic())
            .startPosition(StartPosition.earliest())
            .fetchMaxBytes(ArmSettings.FETCH_MAX_BYTES)
            .partitionMaxBytes(ArmSettings.PARTITION_MAX_BYTES)
            .fetchMinBytes(ArmSettings.FETCH_MIN_BYTES)
            .fetchMaxWaitMs(ArmSettings.FETCH_MAX_WAIT_MS)
            .checkCrcs(true)
            .errorHandler(this::onError));
        if (!consumer.awaitReady(READY_TIMEOUT_NS))
        {
            throw new IllegalStateException("odradek is not ready:\n" + consumer.describe());
        }
        consumer.pause(0);
        rest();
    }

    @Override
    public void pass(final Tally tally)
    {
        current = tally;
        consumer.seek(0, 0);
        consumer.resume(0);
        while (consumer.nextOffset(0) < endOffset)
        {
            consumer.poll(handler, RECORD_LIMIT, POLL_TIMEOUT_NS);
            failOnError();
        }
    }

    /** Paused, it sends no new fetch, and the one that waits at the end of the log runs out. */
    @Override
    public void rest()
    {
        consumer.pause(0);
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

    private void onRecord(final RecordFlyweight record)
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
