// SPDX-License-Identifier: Apache-2.0
package org.odradek.publisher;

import org.agrona.collections.IntArrayList;
import org.odradek.client.Acknowledgements;
import org.odradek.client.core.PerPartition;

import java.util.Arrays;
import java.util.concurrent.TimeUnit;

/**
 * Acknowledges the input of a pipeline after the brokers have acknowledged the output. At an interval the barrier notes
 * how far each partition of the input has been processed, and up to which positions the publisher has accepted output.
 * When the output up to these positions is acknowledged or skipped, the barrier acknowledges the noted offsets of the
 * input. After a failure some input records may be processed again. With {@link Acks#LEADER} a failed leader may lose
 * output although the input was acknowledged.
 * <p>
 * Only the thread of the publisher may use the barrier.
 */
public final class InputBarrier
{
    private static final class Input
    {
        private int ownershipEpoch;
        private long nextOffset;
        private boolean isChanged;
        private int notedEpoch;
        private long notedOffset;
    }

    private static final class Output
    {
        private PartitionQueue queue;
        private long position;
    }

    private final Acknowledgements acknowledgements;
    private final long intervalNs;
    private final Topics topics;
    private final PublisherEvents events;
    private final UseGuard guard;
    private final PerPartition<Input> inputs = new PerPartition<>(Input::new);
    private final IntArrayList changed = new IntArrayList();
    /** The partitions of the input whose noted offsets are not acknowledged yet. */
    private final IntArrayList noted = new IntArrayList();
    private int outputCount;
    private Output[] outputs = {};
    private long nextNoteNs;

    InputBarrier(
        final Acknowledgements acknowledgements,
        final int intervalMs,
        final Topics topics,
        final PublisherEvents events,
        final UseGuard guard)
    {
        this.acknowledgements = acknowledgements;
        this.topics = topics;
        this.events = events;
        this.guard = guard;
        intervalNs = TimeUnit.MILLISECONDS.toNanos(intervalMs);
    }

    /**
     * Reports that the publisher has accepted the whole output of the records of an input partition before an offset.
     * Call this method after each record or batch of the input, even without output.
     *
     * @param partition      the id of the input partition.
     * @param ownershipEpoch the value of {@code ownershipEpoch()} of the record or batch.
     * @param nextOffset     the offset of the record plus 1, or the last offset of the batch plus 1.
     * @throws IllegalArgumentException if the partition is negative.
     * @throws IllegalStateException if another thread owns the publisher, a claim is open, or the publisher is closed.
     */
    public void processed(final int partition, final int ownershipEpoch, final long nextOffset)
    {
        guard.checkOpen();
        if (!inputs.has(partition))
        {
            add(partition);
        }
        final Input input = inputs.get(partition);
        input.ownershipEpoch = ownershipEpoch;
        input.nextOffset = nextOffset;
        if (!input.isChanged)
        {
            input.isChanged = true;
            changed.addInt(partition);
        }
    }

    private void add(final int partition)
    {
        if (partition < 0)
        {
            throw new IllegalArgumentException("partition " + partition + " of an input: it must be 0 or more");
        }
        inputs.ensureSize(partition + 1);
    }

    /** Returns true if the barrier has acknowledged all processed offsets. */
    public boolean isPassed()
    {
        return changed.isEmpty() && noted.isEmpty();
    }

    int doWork(final long nowNs)
    {
        int work = pass();
        if (noted.isEmpty() && !changed.isEmpty() && nextNoteNs - nowNs <= 0)
        {
            note();
            nextNoteNs = nowNs + intervalNs;
            work += 1 + pass();
        }
        assert isConsistent();
        return work;
    }

    void endInterval(final long nowNs)
    {
        nextNoteNs = nowNs;
    }

    private void note()
    {
        for (int i = 0; i < changed.size(); i++)
        {
            final int partition = changed.getInt(i);
            final Input input = inputs.get(partition);
            input.isChanged = false;
            input.notedEpoch = input.ownershipEpoch;
            input.notedOffset = input.nextOffset;
            noted.addInt(partition);
        }
        changed.clear();
        for (int t = 0; t < topics.count(); t++)
        {
            final TopicQueues queues = topics.get(t);
            for (int p = 0; p < queues.capacity(); p++)
            {
                note(queues.get(p));
            }
        }
    }

    private void note(final PartitionQueue queue)
    {
        if (queue.acknowledgedPosition() < queue.acceptedPosition())
        {
            if (outputCount == outputs.length)
            {
                outputs = Arrays.copyOf(outputs, Math.max(16, 2 * outputCount));
            }
            if (outputs[outputCount] == null)
            {
                outputs[outputCount] = new Output();
            }
            final Output output = outputs[outputCount++];
            output.queue = queue;
            output.position = queue.acceptedPosition();
        }
    }

    private int pass()
    {
        while (isLastAcknowledged())
        {
            outputCount--;
        }
        if (noted.isEmpty() || outputCount > 0)
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

    private boolean isLastAcknowledged()
    {
        return outputCount > 0 && outputs[outputCount - 1].position <=
            outputs[outputCount - 1].queue.acknowledgedPosition();
    }

    private void acknowledge(final int partition)
    {
        final Input input = inputs.get(partition);
        try
        {
            acknowledgements.acknowledge(partition, input.notedEpoch, input.notedOffset);
        }
        catch (final Exception ex)
        {
            events.onThrown("acknowledge of an input barrier", ex);
        }
    }

    /** Returns the time at which there is work even if no byte arrives, or {@code otherwiseNs} if that is earlier. */
    long nextDeadlineNs(final long nowNs, final long otherwiseNs)
    {
        if (isLastAcknowledged())
        {
            return nowNs;
        }
        final boolean isDue = noted.isEmpty() && !changed.isEmpty() && nextNoteNs - otherwiseNs < 0;
        return isDue ? nextNoteNs : otherwiseNs;
    }

    private boolean isConsistent()
    {
        // Only an open note waits for output.
        boolean isConsistent = outputCount == 0 || !noted.isEmpty();
        for (int i = 0; i < outputCount && isConsistent; i++)
        {
            // It waits for nothing that was accepted later.
            isConsistent = outputs[i].position <= outputs[i].queue.acceptedPosition();
        }
        for (int i = 0; i < changed.size() && isConsistent; i++)
        {
            // A partition is in the list of the next note once.
            isConsistent = inputs.get(changed.getInt(i)).isChanged;
        }
        return isConsistent;
    }

    @Override
    public String toString()
    {
        return "input barrier: " + changed.size() + " partitions processed further, " + noted.size() +
            " noted, which wait for " + outputCount + " partitions of the output";
    }
}
