// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.chain;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.HdrHistogram.Histogram;
import org.odradek.benchmarks.report.Usage;

/**
 * The messages of one step: when each is due, when it was sent, how many came to the end and how long they took. Each
 * chain has 1,000 a second, the chains spread evenly over a millisecond. The time at which a message is due says which
 * one it is, so nothing else has to travel with it. Used by the sending thread, but for the {@link End}s.
 */
final class Messages
{
    static final long PERIOD_NS = TimeUnit.MILLISECONDS.toNanos(1);
    /** A chain with so many messages on their way is cut off long before. */
    private static final int REMEMBERED = 1 << 14;

    final int chains;
    /** Of each chain, not measured. */
    final int warmUpMessages;
    /** Of each chain, in all. */
    final int messages;
    private volatile long startNs; // set by the sending thread when all services are ready
    private final AtomicLongArray[] sendTimes;
    private final AtomicLongArray arrived; // of each chain, so also the number of its next message
    private final List<End> ends = new ArrayList<>();

    /**
     * @param warmUpMs   milliseconds, and so messages of each chain, before those that are measured.
     * @param measuredMs milliseconds measured.
     */
    Messages(final int chains, final int warmUpMs, final int measuredMs)
    {
        this.chains = chains;
        warmUpMessages = warmUpMs;
        messages = warmUpMs + measuredMs;
        sendTimes = new AtomicLongArray[chains];
        Arrays.setAll(sendTimes, chain -> new AtomicLongArray(REMEMBERED));
        arrived = new AtomicLongArray(chains);
    }

    /**
     * @param nowNs when message 0 of chain 0 is to be sent, as {@code System.nanoTime()}.
     */
    void start(final long nowNs)
    {
        startNs = nowNs;
    }

    long dueNs(final int chain, final long number)
    {
        return startNs + number * PERIOD_NS + chain * PERIOD_NS / chains;
    }

    /**
     * @return the number of the message in its chain.
     * @throws IllegalStateException if the chain has no message of that time.
     */
    long number(final int chain, final long dueNs)
    {
        final long number = (dueNs - startNs) / PERIOD_NS;
        if (number >= messages || dueNs != dueNs(chain, number))
        {
            throw new IllegalStateException("chain " + chain + ": a message of " + (dueNs - startNs) +
                " ns after the start arrived, which was never sent there");
        }
        return number;
    }

    void onSend(final int chain, final long number, final long nowNs)
    {
        sendTimes[chain].setRelease((int)number & REMEMBERED - 1, nowNs);
    }

    /**
     * @return the ends of some or all chains, for one thread.
     */
    End end()
    {
        final End end = new End();
        ends.add(end);
        return end;
    }

    /** How many have arrived. */
    long count()
    {
        return IntStream.range(0, chains).mapToLong(arrived::getAcquire).sum();
    }

    /** Only when all have arrived. */
    Histogram corrected()
    {
        return sum(end -> end.corrected);
    }

    /** Only when all have arrived. */
    Histogram uncorrected()
    {
        return sum(end -> end.uncorrected);
    }

    private Histogram sum(final Function<End, Histogram> histogram)
    {
        final Histogram sum = Usage.histogram();
        ends.forEach(end -> sum.add(histogram.apply(end)));
        return sum;
    }

    /**
     * Reads what the last service of a chain wrote. It compares every message with the one that had to come next in its
     * chain, so that each arrives exactly once and in order, and records how long it took. Used by one thread.
     */
    final class End
    {
        private final Histogram corrected = Usage.histogram();
        private final Histogram uncorrected = Usage.histogram();

        /**
         * @param hops  how many services the message went through.
         * @param dueNs when it was due.
         */
        void onMessage(final int chain, final int hops, final long dueNs)
        {
            final long nowNs = System.nanoTime();
            final long number = number(chain, dueNs);
            final long expected = arrived.getPlain(chain);
            if (number != expected || hops != Chains.SERVICES)
            {
                throw new IllegalStateException("chain " + chain + ": message " + number + " arrived after " + hops +
                    " services where message " + expected + " after " + Chains.SERVICES + " had to come");
            }
            if (number >= warmUpMessages)
            {
                final long sentNs = sendTimes[chain].getAcquire((int)number & REMEMBERED - 1);
                corrected.recordValue(Math.min(Usage.MOST_NS, nowNs - dueNs));
                uncorrected.recordValue(Math.min(Usage.MOST_NS, nowNs - sentNs));
            }
            arrived.setRelease(chain, number + 1);
        }
    }
}
