// SPDX-License-Identifier: Apache-2.0
package org.odradek.workers;

import org.agrona.concurrent.NanoClock;
import org.odradek.client.ClientException;
import org.odradek.client.core.SafeCallbacks;
import org.odradek.consumer.handler.ControlledRecordHandler;
import org.odradek.protocol.record.Record;
import org.odradek.protocol.record.RecordCopy;

/**
 * Copies each record of a poll into the ring of its worker. A record that cannot be dispatched is refused, and the next
 * poll begins with it.
 */
final class Dispatcher implements ControlledRecordHandler
{
    private static final int REFUSED = -2;

    private final RecordRouter router;
    private final boolean isTooLargeSkipped;
    private final int maxLength;
    private boolean isHeld;
    private String refusal;
    private int refusedPartition;
    private int refusedEpoch;
    private long refusedOffset;
    /** True if the refused record was offered in this poll. */
    private boolean isRefusedNow;
    /** The worker whose ring was full for the record that was refused last, or -1. */
    private int fullWorker = -1;
    private long fullNs;
    private boolean isFullNow;
    private final WorkerRing[] rings;
    private final WorkerCounters counters;
    private final Fences fences;
    private final WorkBarrier barrier;
    private final NanoClock clock;
    private final SafeCallbacks callbacks;

    Dispatcher(
        final WorkerSettings settings,
        final WorkerRing[] rings,
        final WorkerCounters counters,
        final Fences fences,
        final WorkBarrier barrier,
        final NanoClock clock,
        final SafeCallbacks callbacks)
    {
        router = settings.router();
        isTooLargeSkipped = settings.skipTooLarge();
        maxLength = rings[0].messages.maxMsgLength();
        this.rings = rings;
        this.counters = counters;
        this.fences = fences;
        this.barrier = barrier;
        this.clock = clock;
        this.callbacks = callbacks;
    }

    void hold(final boolean isNowHeld)
    {
        isHeld = isNowHeld;
    }

    @Override
    public Action onRecord(final Record record)
    {
        if (refusal != null && refuseAgain(record) || isHeld)
        {
            return Action.ABORT;
        }
        final int partition = record.partition();
        final int ownership = fences.ownership(partition);
        final int worker = route(record);
        if (worker == REFUSED || worker != RecordRouter.DONE && !write(record, worker, ownership))
        {
            return Action.ABORT;
        }
        barrier.dispatched(partition, ownership, record.ownershipEpoch(), record.offset() + 1);
        return Action.CONTINUE;
    }

    private int route(final Record record)
    {
        try
        {
            final int worker = router.worker(record, rings.length);
            if (worker >= RecordRouter.DONE && worker < rings.length)
            {
                return worker;
            }
            throw new IndexOutOfBoundsException("there is no worker " + worker + " of " + rings.length);
        }
        catch (final Throwable ex)
        {
            refuse(record, "The router failed on the record", ex);
            return REFUSED;
        }
    }

    /** @return false if the record was not written, and does not count as dispatched. */
    private boolean write(final Record record, final int worker, final int ownership)
    {
        final int length = RecordCopy.length(record);
        if (length > maxLength)
        {
            return skipTooLarge(record, worker, length);
        }
        final boolean isWritten = rings[worker].write(record, length, ownership);
        if (fullWorker >= 0 || !isWritten)
        {
            countFull(worker, isWritten);
        }
        return isWritten;
    }

    private boolean skipTooLarge(final Record record, final int worker, final int length)
    {
        final String sentence = "The copy of " + length + " bytes for worker " + worker + ", of which " + maxLength +
            " fit into an eighth of its ring (ringLength), is too large for the record";
        if (isTooLargeSkipped)
        {
            counters.add(worker, WorkerCounters.TOO_LARGE, 1);
            callbacks.onError(new ClientException(sentence + where(record) + ", which counts as processed."));
        }
        else
        {
            refuse(record, sentence, null);
        }
        return isTooLargeSkipped;
    }

    private void countFull(final int worker, final boolean isWritten)
    {
        final long nowNs = clock.nanoTime();
        if (fullWorker >= 0)
        {
            counters.add(fullWorker, WorkerCounters.RING_FULL_NS, nowNs - fullNs);
        }
        fullWorker = isWritten ? -1 : worker;
        fullNs = nowNs;
        isFullNow = !isWritten;
    }

    /** No time counts, and no refusal lasts, while the record is not delivered, for example because of a pause. */
    void endPoll()
    {
        fullWorker = isFullNow ? fullWorker : -1;
        isFullNow = false;
        refusal = isRefusedNow ? refusal : null;
        isRefusedNow = false;
    }

    private void refuse(final Record record, final String sentence, final Throwable cause)
    {
        refusedPartition = record.partition();
        refusedEpoch = record.ownershipEpoch();
        refusedOffset = record.offset();
        refusal = sentence + where(record) +
            "; nothing is dispatched until its partition is sought, paused or unassigned.";
        isRefusedNow = true;
        callbacks.onError(new ClientException(refusal, cause));
    }

    private static String where(final Record record)
    {
        return " at offset " + record.offset() + " of partition " + record.partition();
    }

    /** @return true if this is the record that was refused; another record ends the refusal. */
    private boolean refuseAgain(final Record record)
    {
        if (record.partition() != refusedPartition || record.ownershipEpoch() != refusedEpoch ||
            record.offset() != refusedOffset)
        {
            refusal = null;
        }
        isRefusedNow = refusal != null;
        return isRefusedNow;
    }

    @Override
    public String toString()
    {
        return refusal != null ? refusal : isHeld ? "dispatches nothing" : "dispatches";
    }
}
