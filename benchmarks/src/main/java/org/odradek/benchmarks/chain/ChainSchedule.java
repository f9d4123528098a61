// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.chain;

import java.util.concurrent.TimeUnit;

/**
 * When each message of each chain is to be sent: 1,000 a second a chain, the chains spread evenly over a millisecond.
 * The time says which message it is, so nothing else has to travel with it.
 */
final class ChainSchedule
{
    static final long PERIOD_NS = TimeUnit.MILLISECONDS.toNanos(1);

    private final int chains;
    private final int warmUpMessages;
    private final int messages;
    private volatile long startNs; // set by the sending thread when all services are ready

    /**
     * @param warmUpMs   milliseconds, and so messages of each chain, before those that are measured.
     * @param measuredMs milliseconds measured.
     */
    ChainSchedule(final int chains, final int warmUpMs, final int measuredMs)
    {
        this.chains = chains;
        warmUpMessages = warmUpMs;
        messages = warmUpMs + measuredMs;
    }

    /**
     * @param nowNs when message 0 of chain 0 is to be sent, as {@code System.nanoTime()}.
     */
    void start(final long nowNs)
    {
        startNs = nowNs;
    }

    long intendedNs(final int chain, final long number)
    {
        return startNs + number * PERIOD_NS + phaseNs(chain);
    }

    /**
     * @return the number of the message in its chain.
     * @throws IllegalStateException if the chain has no message of that time.
     */
    long number(final int chain, final long intendedNs)
    {
        final long sinceStartNs = intendedNs - startNs;
        final long number = sinceStartNs / PERIOD_NS;
        if (sinceStartNs < 0 || number >= messages || sinceStartNs % PERIOD_NS != phaseNs(chain))
        {
            throw new IllegalStateException("chain " + chain + ": a message of " + sinceStartNs +
                " ns after the start arrived, which was never sent there");
        }
        return number;
    }

    int chains()
    {
        return chains;
    }

    /** Of each chain, not measured. */
    int warmUpMessages()
    {
        return warmUpMessages;
    }

    /** Of each chain, in all. */
    int messages()
    {
        return messages;
    }

    private long phaseNs(final int chain)
    {
        return chain * PERIOD_NS / chains;
    }
}
