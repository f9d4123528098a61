// SPDX-License-Identifier: Apache-2.0
package org.odradek.harness.model;

import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.RecordBatch;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What the leader of a partition knows of its idempotent producers, as the ProducerStateManager of a broker does. It is
 * derived from the log, so it moves to another leader with it and is truncated with it.
 */
final class ProducerStates
{
    /** Of one producer in its last epoch, as many batches are known again. */
    private static final int DUPLICATES_KNOWN = 5;

    /** A batch of a producer. */
    record Appended(
        short epoch, int firstSequence, int lastSequence, long baseOffset, long lastOffset, long timestamp)
    {
    }

    /** By producer id, in the order of their offsets. */
    private final Map<Long, List<Appended>> appended = new HashMap<>();

    /** Returns the batch of the log that a batch repeats, or null. */
    Appended duplicate(final RecordBatch batch, final BrokerRelease release)
    {
        final List<Appended> known = appended.getOrDefault(batch.producerId(), List.of());
        final int count = release.isBefore(1, 0) ? 1 : DUPLICATES_KNOWN;
        for (int i = known.size() - 1; i >= Math.max(0, known.size() - count); i--)
        {
            final Appended earlier = known.get(i);
            // A new epoch forgets the batches of the one before.
            if (batch.producerEpoch() == known.get(known.size() - 1).epoch &&
                batch.producerEpoch() == earlier.epoch && batch.baseSequence() == earlier.firstSequence &&
                batch.lastSequence() == earlier.lastSequence)
            {
                return earlier;
            }
        }
        return null;
    }

    /** Returns the error of a batch that is no duplicate, or {@link Errors#NONE} if it may be appended. */
    Errors check(final RecordBatch batch, final BrokerRelease release, final long logStartOffset)
    {
        final List<Appended> known = appended.getOrDefault(batch.producerId(), List.of());
        final Appended last = known.isEmpty() ? null : known.get(known.size() - 1);
        // Since 2.5 a producer is still known when its records were deleted, and an unknown one may have any sequence.
        final boolean isUnknown = last == null || release.isBefore(2, 5) && last.lastOffset < logStartOffset;
        if (batch.producerEpoch() < (isUnknown ? RecordBatch.NO_PRODUCER_EPOCH : last.epoch))
        {
            return Errors.INVALID_PRODUCER_EPOCH;
        }
        if (isUnknown)
        {
            return batch.baseSequence() == 0 || !release.isBefore(2, 5) ? Errors.NONE :
                release.isBefore(1, 0) ? Errors.OUT_OF_ORDER_SEQUENCE_NUMBER : Errors.UNKNOWN_PRODUCER_ID;
        }
        final int expected = batch.producerEpoch() > last.epoch ? 0 : last.lastSequence + 1 & Integer.MAX_VALUE;
        if (batch.baseSequence() == expected)
        {
            return Errors.NONE;
        }
        return release.isBefore(1, 0) && batch.producerEpoch() == last.epoch &&
            batch.lastSequence() <= last.lastSequence ?
            Errors.DUPLICATE_SEQUENCE_NUMBER : Errors.OUT_OF_ORDER_SEQUENCE_NUMBER;
    }

    /** Notes a batch that was appended. */
    void add(final RecordBatch batch, final long baseOffset)
    {
        appended.computeIfAbsent(batch.producerId(), (id) -> new ArrayList<>()).add(new Appended(
            batch.producerEpoch(), batch.baseSequence(), batch.lastSequence(), baseOffset,
            baseOffset + batch.lastOffset() - batch.baseOffset(), batch.maxTimestamp()));
    }

    /** Forgets the batches that a log with this end does not have. */
    void truncate(final long endOffset)
    {
        appended.values().forEach((batches) -> batches.removeIf((batch) -> batch.lastOffset >= endOffset));
        appended.values().removeIf(List::isEmpty);
    }
}
