// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.fetch;

import org.odradek.consumer.net.ConsumerEnvironment;
import org.odradek.consumer.net.CounterWriter;
import org.odradek.consumer.net.DutyClock;
import org.odradek.consumer.status.ConsumerCounters;

/**
 * Keeps the fetches to one broker apart where the next one would bring little: after a small response that left nothing
 * behind in the log, the next request is held back until an interval has passed since the last one was sent. Whatever
 * else becomes of a partition meanwhile, such as a seek, ends that: only waiting for more records is held back.
 */
final class FetchPacing
{
    private final long intervalNs;
    private final long stepNs;
    private final DutyClock clock;
    private final CounterWriter counters;
    private boolean isHolding;
    private boolean isUndisturbed;
    private int seenChanges;
    private long sentNs;

    FetchPacing(final long intervalNs, final ConsumerEnvironment environment)
    {
        this.intervalNs = intervalNs;
        stepNs = environment.poller().stepNs();
        clock = environment.clock();
        counters = environment.counters();
    }

    /**
     * A request has been sent.
     *
     * @param changes so far, of what requests say of partitions.
     */
    void onSent(final int changes)
    {
        isHolding = false;
        seenChanges = changes;
        sentNs = clock.nowNs();
    }

    /**
     * A response has come, and has changed nothing yet.
     */
    void onResponse(final int changes)
    {
        isUndisturbed = changes == seenChanges;
    }

    /**
     * A response that left nothing behind has been taken in.
     */
    void hold(final int changes)
    {
        if (isUndisturbed && sentNs + intervalNs - clock.nowNs() > 0)
        {
            isHolding = true;
            seenChanges = changes;
            counters.add(ConsumerCounters.DELAYED_FETCHES, 1);
        }
    }

    /**
     * Whether the next request is to wait; it is not once this was false.
     */
    boolean isHolding(final int changes)
    {
        isHolding = isHolding && changes == seenChanges && sentNs + intervalNs - clock.nowNs() > 0;
        return isHolding;
    }

    void end()
    {
        isHolding = false;
    }

    /**
     * One that is over has nothing to wait for: who wants to send finds that out. Rounded up to what the poller waits
     * in one sleep, because several would cost more than is saved.
     */
    long nextDeadlineNs(final long otherwiseNs)
    {
        final long restNs = sentNs + intervalNs - clock.nowNs();
        if (!isHolding || restNs <= 0)
        {
            return otherwiseNs;
        }
        final long untilNs = clock.nowNs() + (restNs + stepNs - 1) / stepNs * stepNs;
        return untilNs - otherwiseNs < 0 ? untilNs : otherwiseNs;
    }
}
