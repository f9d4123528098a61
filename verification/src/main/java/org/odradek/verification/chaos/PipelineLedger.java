// SPDX-License-Identifier: Apache-2.0
package org.odradek.verification.chaos;

import org.odradek.publisher.PublisherListener;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What one incarnation of a pipeline has published, and what became of it. The thread of the pipeline writes it, and
 * the verdict reads it after the end of that thread.
 */
final class PipelineLedger
{
    /** What was reported on a record of the output. */
    enum Outcome
    {
        /** Nothing. */
        NONE,
        /** It was acknowledged. */
        ACKNOWLEDGED,
        /** It was given up, and may be in the log all the same. */
        UNKNOWN,
        /** It was given up, and is not in the log. */
        NOT_WRITTEN
    }

    /** A record that the publisher has accepted. */
    static final class Publication
    {
        final int partition;
        final long sequence;
        final int epoch;
        final int output;
        final long ns;
        Outcome outcome = Outcome.NONE;
        long offset = PublisherListener.NULL_OFFSET;

        /**
         * @param partition of the input.
         * @param sequence  of the input in its partition.
         * @param epoch     of the ownership of that partition.
         * @param output    the partition of the output.
         * @param ns        when it was accepted.
         */
        Publication(final int partition, final long sequence, final int epoch, final int output, final long ns)
        {
            this.partition = partition;
            this.sequence = sequence;
            this.epoch = epoch;
            this.output = output;
            this.ns = ns;
        }

        @Override
        public String toString()
        {
            return "input " + partition + "-" + sequence + " of epoch " + epoch + " to partition " + output;
        }
    }

    /**
     * A partition of the input was revoked.
     *
     * @param committedOffset or -1.
     */
    record Revocation(int partition, long committedOffset, long ns)
    {
    }

    private final String name;
    private final List<Publication> publications = new ArrayList<>();
    private final List<Revocation> revocations = new ArrayList<>();
    private final List<String> problems = new ArrayList<>();
    /** By partition of the output, in the order of positions. */
    private final Map<Integer, List<Publication>> outputs = new HashMap<>();
    /** Read by the thread of the run. */
    private final AtomicLong acknowledged = new AtomicLong();
    /** Read by the thread of the run. */
    private final AtomicLong lost = new AtomicLong();
    /** Read by the thread of the run. */
    private final Set<Integer> owned = ConcurrentHashMap.newKeySet();

    PipelineLedger(final String name)
    {
        this.name = name;
    }

    String name()
    {
        return name;
    }

    /** Records of the output that are acknowledged; any thread may read it. */
    long acknowledged()
    {
        return acknowledged.get();
    }

    List<Publication> publications()
    {
        return publications;
    }

    List<Revocation> revocations()
    {
        return revocations;
    }

    /** Partitions that were lost; any thread may read it. */
    long lost()
    {
        return lost.get();
    }

    /** Partitions that it owns; any thread may read it. */
    int owned()
    {
        return owned.size();
    }

    /** Sentences on what the pipeline or its clients did wrong. */
    List<String> problems()
    {
        return problems;
    }

    /** @param position of the publication in its partition, from 1. */
    void onPublished(final Publication publication, final long position)
    {
        publications.add(publication);
        final List<Publication> own = outputs.computeIfAbsent(publication.output, (id) -> new ArrayList<>());
        own.add(publication);
        if (own.size() != position)
        {
            problems.add(name + " has published " + publication + " at position " + position + ", not " + own.size());
        }
    }

    void onAcknowledged(final int output, final long firstPosition, final int count, final long baseOffset)
    {
        report(output, firstPosition, count, Outcome.ACKNOWLEDGED);
        for (int i = 0; i < count && baseOffset != PublisherListener.NULL_OFFSET; i++)
        {
            outputs.get(output).get((int) firstPosition - 1 + i).offset = baseOffset + i;
        }
        acknowledged.addAndGet(count);
    }

    void onFailed(final int output, final long firstPosition, final int count, final boolean isMaybeWritten)
    {
        report(output, firstPosition, count, isMaybeWritten ? Outcome.UNKNOWN : Outcome.NOT_WRITTEN);
    }

    private void report(final int output, final long firstPosition, final int count, final Outcome outcome)
    {
        for (int i = 0; i < count; i++)
        {
            final Publication publication = outputs.get(output).get((int) firstPosition - 1 + i);
            if (publication.outcome != Outcome.NONE)
            {
                problems.add(name + " has two reports on " + publication);
            }
            publication.outcome = outcome;
        }
    }

    void onAssigned(final int partition)
    {
        owned.add(partition);
    }

    void onRevoked(final int partition, final long committedOffset, final long ns)
    {
        owned.remove(partition);
        revocations.add(new Revocation(partition, committedOffset, ns));
    }

    void onLost(final int partition)
    {
        owned.remove(partition);
        lost.incrementAndGet();
    }
}
