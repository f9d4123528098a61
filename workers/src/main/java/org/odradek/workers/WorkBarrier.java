// SPDX-License-Identifier: Apache-2.0
package org.odradek.workers;

import org.agrona.collections.IntArrayList;
import org.odradek.client.Acknowledgements;
import org.odradek.client.core.PerPartition;
import org.odradek.client.core.SafeCallbacks;

import java.util.concurrent.TimeUnit;

/**
 * Acknowledges what the workers have completed. At an interval it notes how far each partition has been dispatched, and
 * the end of each ring. When every worker has completed its ring up to the noted end, the noted offsets are
 * acknowledged. One barrier is open at a time.
 */
final class WorkBarrier
{
    private static final class Input
    {
        private int ownership;
        private int epoch;
        private long nextOffset;
        private boolean isChanged;
        private int notedOwnership;
        private int notedEpoch;
        private long notedOffset;
        private boolean isNoted;
    }

    private final long intervalNs;
    private final long maxAgeNs;
    private long nextNoteNs;
    private long notedNs;
    private long nextShowNs;
    private int passedRings;
    private final long[] ends;
    private final PerPartition<Input> inputs = new PerPartition<>(Input::new);
    private final IntArrayList changed = new IntArrayList();
    private final IntArrayList noted = new IntArrayList();
    private final WorkerRing[] rings;
    private final WorkerCounters counters;
    private final Fences fences;
    private final Acknowledgements acknowledgements;
    private final SafeCallbacks callbacks;

    WorkBarrier(
        final WorkerSettings settings,
        final WorkerRing[] rings,
        final WorkerCounters counters,
        final Fences fences,
        final Acknowledgements acknowledgements,
        final long nowNs,
        final SafeCallbacks callbacks)
    {
        nextNoteNs = nowNs;
        nextShowNs = nowNs;
        intervalNs = TimeUnit.MILLISECONDS.toNanos(settings.barrierIntervalMs());
        maxAgeNs = TimeUnit.MILLISECONDS.toNanos(settings.barrierMaxAgeMs());
        ends = new long[rings.length];
        this.rings = rings;
        this.counters = counters;
        this.fences = fences;
        this.acknowledgements = acknowledgements;
        this.callbacks = callbacks;
    }

    void dispatched(final int partition, final int ownership, final int epoch, final long nextOffset)
    {
        if (!inputs.has(partition))
        {
            inputs.ensureSize(partition + 1);
        }
        final Input input = inputs.get(partition);
        input.ownership = ownership;
        input.epoch = epoch;
        input.nextOffset = nextOffset;
        if (!input.isChanged)
        {
            input.isChanged = true;
            changed.addInt(partition);
        }
    }

    /** Returns true if no dispatched record of a partition waits for a barrier. */
    boolean isPassed(final int partition)
    {
        return !inputs.has(partition) || !inputs.get(partition).isChanged && !inputs.get(partition).isNoted;
    }

    boolean isPassed()
    {
        return changed.isEmpty() && noted.isEmpty();
    }

    /** @param isUrgent true if the next barrier does not wait for the end of the interval. */
    int doWork(final long nowNs, final boolean isUrgent)
    {
        int work = pass();
        if (noted.isEmpty() && !changed.isEmpty() && (isUrgent || nextNoteNs - nowNs <= 0))
        {
            note();
            notedNs = nowNs;
            nextNoteNs = nowNs + intervalNs;
            work += 1 + pass();
        }
        counters.barrierAgeNs(ageNs(nowNs));
        if (isUrgent || nextShowNs - nowNs <= 0)
        {
            nextShowNs = nowNs + intervalNs;
            show(ageNs(nowNs));
        }
        assert isConsistent();
        return work;
    }

    private void note()
    {
        for (int i = 0; i < changed.size(); i++)
        {
            final int partition = changed.getInt(i);
            final Input input = inputs.get(partition);
            input.notedOwnership = input.ownership;
            input.notedEpoch = input.epoch;
            input.notedOffset = input.nextOffset;
            input.isChanged = false;
            input.isNoted = true;
            noted.addInt(partition);
        }
        changed.clear();
        for (int r = 0; r < rings.length; r++)
        {
            ends[r] = rings[r].messages.producerPosition();
        }
        passedRings = 0;
    }

    /** Sets the gauges of the workers. */
    private void show(final long ageNs)
    {
        for (int r = 0; r < rings.length; r++)
        {
            counters.set(r, WorkerCounters.RING_BYTES, rings[r].messages.size());
            counters.set(r, WorkerCounters.BARRIER_AGE_NS, counters.completed(r) >= ends[r] ? 0 : ageNs);
        }
    }

    private int pass()
    {
        if (noted.isEmpty())
        {
            return 0;
        }
        while (passedRings < rings.length && counters.completed(passedRings) >= ends[passedRings])
        {
            passedRings++;
        }
        if (passedRings < rings.length)
        {
            return 0;
        }
        for (int i = 0; i < noted.size(); i++)
        {
            acknowledge(noted.getInt(i));
        }
        noted.clear();
        return 1;
    }

    private void acknowledge(final int partition)
    {
        final Input input = inputs.get(partition);
        input.isNoted = false;
        try
        {
            // The workers have skipped records of an ownership that has ended.
            if (!fences.isEnded(partition, input.notedOwnership))
            {
                acknowledgements.acknowledge(partition, input.notedEpoch, input.notedOffset);
            }
        }
        catch (final Exception ex)
        {
            callbacks.onError(ex);
        }
    }

    boolean isTooOld(final long nowNs)
    {
        return ageNs(nowNs) > maxAgeNs;
    }

    long ageNs(final long nowNs)
    {
        return noted.isEmpty() ? 0 : nowNs - notedNs;
    }

    int waitsFor()
    {
        return passedRings;
    }

    private boolean isConsistent()
    {
        boolean isConsistent = noted.isEmpty() || passedRings < rings.length;
        for (int i = 0; i < changed.size() && isConsistent; i++)
        {
            isConsistent = inputs.get(changed.getInt(i)).isChanged;
        }
        for (int i = 0; i < noted.size() && isConsistent; i++)
        {
            isConsistent = inputs.get(noted.getInt(i)).isNoted;
        }
        return isConsistent;
    }

    @Override
    public String toString()
    {
        return "barrier: " + changed.size() + " partitions dispatched further, " +
            (noted.isEmpty() ? "none open" : noted.size() + " noted, which wait for worker " + waitsFor());
    }
}
