// SPDX-License-Identifier: Apache-2.0
package org.odradek.simulation;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/** What one publisher has accepted and reported for one partition. */
final class PublishedTrack
{
    /** What was reported about a batch. */
    enum Fate
    {
        ACKNOWLEDGED, MAYBE_WRITTEN, NOT_WRITTEN
    }

    /** A batch that was reported. */
    record Outcome(long first, long last, Fate fate)
    {
    }

    /** The length of the value of a record, when it was accepted, and how long the publisher had worked then. */
    private record Accepted(long position, int length, long timeNs, long workedNs)
    {
    }

    final int life;
    final int partition;
    final List<Outcome> outcomes = new ArrayList<>();
    long accepted;
    long reported;
    long acknowledged;
    boolean isStopped;
    private long failed;
    /** When it has stopped, and how long the publisher had worked then. */
    private long stoppedNs;
    private long stoppedWorkedNs;
    /** Of the records that were not reported. */
    private final ArrayDeque<Accepted> times = new ArrayDeque<>();

    PublishedTrack(final int life, final int partition)
    {
        this.life = life;
        this.partition = partition;
    }

    void accept(final int length, final long nowNs, final long workedNs)
    {
        times.add(new Accepted(++accepted, length, nowNs, workedNs));
    }

    void acknowledge(final long first, final int count)
    {
        report(first, count, Fate.ACKNOWLEDGED);
        acknowledged = reported;
    }

    void fail(
        final long first, final int count, final boolean isMaybeWritten, final long nowNs, final long workedNs)
    {
        report(first, count, isMaybeWritten ? Fate.MAYBE_WRITTEN : Fate.NOT_WRITTEN);
        stoppedNs = isStopped ? stoppedNs : nowNs;
        stoppedWorkedNs = isStopped ? stoppedWorkedNs : workedNs;
        isStopped = true;
        failed = reported;
    }

    private void report(final long first, final int count, final Fate fate)
    {
        reported = first + count - 1;
        outcomes.add(new Outcome(first, reported, fate));
        while (!times.isEmpty() && times.peek().position <= reported)
        {
            times.remove();
        }
    }

    void skip(final long nowNs, final long workedNs)
    {
        isStopped = false;
        acknowledged = failed;
        for (int i = times.size(); i > 0; i--)
        {
            final Accepted time = times.remove();
            times.add(new Accepted(time.position, time.length, time.timeNs + nowNs - stoppedNs,
                time.workedNs + workedNs - stoppedWorkedNs));
        }
    }

    /** When the oldest record was accepted that was not reported, and later by the time for which it has stopped. */
    long oldestNs()
    {
        return times.isEmpty() ? Long.MAX_VALUE : times.peek().timeNs;
    }

    /** Whether a record was accepted after a position before a time. */
    boolean isFollowed(final long position, final long timeNs)
    {
        return times.stream().anyMatch((time) -> time.position > position && time.timeNs <= timeNs);
    }

    /** Whether one batch cannot hold all that was not reported. */
    boolean hasFullBatch(final int batchLength)
    {
        return times.stream().mapToLong(Accepted::length).sum() > batchLength;
    }

    /** How long the publisher had worked then. */
    long oldestWorkedNs()
    {
        return times.isEmpty() ? Long.MAX_VALUE : times.peek().workedNs;
    }

    @Override
    public String toString()
    {
        return "partition " + partition + " to have accepted " + accepted + " and acknowledged " + acknowledged +
            (isStopped ? ", and to have stopped" : "");
    }
}
