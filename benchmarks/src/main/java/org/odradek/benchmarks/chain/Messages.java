// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.chain;

import org.HdrHistogram.AtomicHistogram;
import org.HdrHistogram.Histogram;
import org.odradek.benchmarks.report.Usage;

import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.stream.IntStream;

/**
 * The messages of one step: when each is due, when it was sent, how many came to the end and how long they took. Each
 * chain has 1,000 a second, the chains spread evenly over a millisecond. The time at which a message is due says which
 * one it is, so nothing else has to travel with it. Used by the sending thread, but for {@link #onEnd}.
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
    /** The latencies of all measured messages, from when each was due. */
    final Histogram corrected = new AtomicHistogram(Usage.LEAST_NS, Usage.MOST_NS, Usage.DIGITS);
    /** The same from when each was sent. */
    final Histogram uncorrected = new AtomicHistogram(Usage.LEAST_NS, Usage.MOST_NS, Usage.DIGITS);
    /** Set by the sending thread when all services are ready. */
    private volatile long startNs;
    private final AtomicLongArray[] sendTimes;
    /** Of each chain, so also the number of its next message. */
    private final AtomicLongArray arrived;

    /** @param warmUpMs milliseconds, and so messages of each chain, before the milliseconds that are measured. */
    Messages(final int chains, final int warmUpMs, final int measuredMs)
    {
        this.chains = chains;
        warmUpMessages = warmUpMs;
        messages = warmUpMs + measuredMs;
        sendTimes = new AtomicLongArray[chains];
        Arrays.setAll(sendTimes, (chain) -> new AtomicLongArray(REMEMBERED));
        arrived = new AtomicLongArray(chains);
    }

    /** @param nowNs when message 0 of chain 0 is to be sent, as {@code System.nanoTime()}. */
    void start(final long nowNs)
    {
        startNs = nowNs;
    }

    /** @param message counted over all chains, in the order in which they are due. */
    long dueNs(final long message)
    {
        return startNs + message / chains * PERIOD_NS + message % chains * PERIOD_NS / chains;
    }

    /** Returns the number of the message in its chain; throws if the chain has no message of that time. */
    long number(final int chain, final long dueNs)
    {
        final long number = (dueNs - startNs) / PERIOD_NS;
        if (number >= messages || dueNs != dueNs(number * chains + chain))
        {
            throw new IllegalStateException("chain " + chain + ": a message of " + (dueNs - startNs) +
                " ns after the start arrived, which was never sent there");
        }
        return number;
    }

    void onSend(final long message)
    {
        sendTimes[(int)(message % chains)].setRelease((int)(message / chains) & REMEMBERED - 1, System.nanoTime());
    }

    /**
     * Takes what the last service of a chain wrote, on the one thread that reads it. It compares every message with the
     * one that had to come next in its chain, so that each arrives exactly once and in order, after so many services as
     * a chain has, and records how long it took.
     */
    void onEnd(final int chain, final int hops, final long dueNs)
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

    /** How many have arrived. */
    long count()
    {
        return IntStream.range(0, chains).mapToLong(arrived::getAcquire).sum();
    }
}
