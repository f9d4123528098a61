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
 * What one incarnation of a pipeline has published, and what became of it. The threads of the pipeline write it, and
 * the verdict reads it after their end.
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
     * A partition of the output, as one publisher sees it.
     *
     * @param publisher its index in the pipeline.
     */
    private record Output(int publisher, int partition)
    {
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
    /** In the order of positions. */
    private final Map<Output, List<Publication>> outputs = new HashMap<>();
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

    /**
     * @param publisher the index of the publisher that has accepted the publication.
     * @param position  of the publication in its partition, from 1.
     */
    synchronized void onPublished(final int publisher, final Publication publication, final long position)
    {
        publications.add(publication);
        final List<Publication> own =
            outputs.computeIfAbsent(new Output(publisher, publication.output), (id) -> new ArrayList<>());
        own.add(publication);
        if (own.size() != position)
        {
            problems.add(name + " has published " + publication + " at position " + position + ", not " + own.size());
        }
    }

    synchronized void onAcknowledged(
        final int publisher, final int output, final long firstPosition, final int count, final long baseOffset)
    {
        final List<Publication> reported = report(publisher, output, firstPosition, count, Outcome.ACKNOWLEDGED);
        for (int i = 0; i < count && baseOffset != PublisherListener.NULL_OFFSET; i++)
        {
            reported.get(i).offset = baseOffset + i;
        }
        acknowledged.addAndGet(count);
    }

    synchronized void onFailed(
        final int publisher, final int output, final long firstPosition, final int count, final boolean isMaybeWritten)
    {
        report(publisher, output, firstPosition, count, isMaybeWritten ? Outcome.UNKNOWN : Outcome.NOT_WRITTEN);
    }

    private List<Publication> report(
        final int publisher, final int output, final long firstPosition, final int count, final Outcome outcome)
    {
        final int from = (int) firstPosition - 1;
        final List<Publication> reported = outputs.get(new Output(publisher, output)).subList(from, from + count);
        for (final Publication publication : reported)
        {
            if (publication.outcome != Outcome.NONE)
            {
                problems.add(name + " has two reports on " + publication);
            }
            publication.outcome = outcome;
        }
        return reported;
    }

    synchronized void onProblem(final String problem)
    {
        problems.add(name + " " + problem);
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
