// SPDX-License-Identifier: Apache-2.0
package org.odradek.simulation;

import java.util.concurrent.TimeUnit;

/** The answers to the requests of one kind that a member of a group sends: refused ones must become ever rarer. */
final class Answers
{
    private final GroupWorld world;
    private final int member;
    private final String oracle;
    private int failures;
    private long failedNs;
    /** When the coordinator has accepted the last request, or the member was opened. */
    private long acceptedNs;

    Answers(final GroupWorld world, final int member, final String oracle)
    {
        this.world = world;
        this.member = member;
        this.oracle = oracle;
        acceptedNs = world.clock.nowNs();
    }

    long acceptedNs()
    {
        return acceptedNs;
    }

    /** The next request need not wait. */
    void forgetFailures()
    {
        failures = 0;
    }

    /**
     * The broker has answered a request.
     *
     * @param maxBackoffMs the longest time for which the member waits after failures.
     */
    void onAnswer(final boolean isAccepted, final long maxBackoffMs)
    {
        final long nowNs = world.clock.nowNs();
        if (failures > 0)
        {
            final long backoffMs = RetryOracle.backoffMs(world.scenario, failures, maxBackoffMs);
            final long leastNs = (long)(RetryOracle.LEAST * TimeUnit.MILLISECONDS.toNanos(backoffMs));
            world.ledger.check(nowNs - failedNs >= leastNs, oracle, "no request of member " + member +
                " sooner than " + RetryOracle.LEAST * backoffMs + " ms after failure " + failures);
        }
        failures = isAccepted ? 0 : failures + 1;
        failedNs = nowNs;
        acceptedNs = isAccepted ? nowNs : acceptedNs;
    }
}
