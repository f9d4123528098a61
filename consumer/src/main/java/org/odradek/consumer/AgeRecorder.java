// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

import org.odradek.consumer.handler.BatchHandler;
import org.odradek.consumer.handler.ControlledRecordHandler;
import org.odradek.consumer.net.DutyClock;
import org.odradek.consumer.status.ConsumerHistograms;
import org.odradek.protocol.record.Record;
import org.odradek.protocol.record.StoredBatch;

import java.util.Objects;

/**
 * Stands before a handler only where ages are recorded, so that the loop knows nothing of it. The time of day is read
 * once in a duty cycle that delivers.
 */
final class AgeRecorder implements ControlledRecordHandler, BatchHandler
{
    private final DutyClock clock;
    private final ConsumerHistograms histograms;
    private long nowMs;
    private long cycleNs;
    private ControlledRecordHandler recordHandler;
    private BatchHandler batchHandler;

    AgeRecorder(final DutyClock clock, final ConsumerHistograms histograms)
    {
        this.clock = clock;
        this.histograms = histograms;
        nowMs = System.currentTimeMillis();
        cycleNs = clock.nowNs();
    }

    AgeRecorder records(final ControlledRecordHandler handler)
    {
        recordHandler = Objects.requireNonNull(handler, "handler");
        return this;
    }

    AgeRecorder batches(final BatchHandler handler)
    {
        batchHandler = Objects.requireNonNull(handler, "handler");
        return this;
    }

    @Override
    public Action onRecord(final Record record)
    {
        // Before the handler runs: after it the view may stand elsewhere.
        final long timestampMs = record.timestamp();
        final long now = nowMs();
        final Action action = recordHandler.onRecord(record);
        if (action != Action.ABORT)
        {
            histograms.onRecord(now, timestampMs);
        }
        return action;
    }

    @Override
    public Action onBatch(final StoredBatch batch)
    {
        final long timestampMs = batch.maxTimestamp();
        final long now = nowMs();
        final Action action = batchHandler.onBatch(batch);
        if (action != Action.ABORT)
        {
            histograms.onRecord(now, timestampMs);
        }
        return action;
    }

    private long nowMs()
    {
        if (cycleNs != clock.nowNs())
        {
            cycleNs = clock.nowNs();
            nowMs = System.currentTimeMillis();
        }
        return nowMs;
    }
}
