// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.net;

import org.odradek.consumer.status.ConsumerCounters;

/**
 * A broker's wish to be sent nothing on one connection for a while (KIP-219). Other connections are not concerned, and
 * no request times out by it, because none is sent.
 */
final class Throttle
{
    private final ConsumerEnvironment environment;
    private final DutyClock clock;
    private boolean isOn;
    private long untilNs;

    Throttle(final ConsumerEnvironment environment)
    {
        this.environment = environment;
        clock = environment.clock();
    }

    void begin(final int nodeId, final int throttleTimeMs)
    {
        if (throttleTimeMs > 0)
        {
            isOn = true;
            untilNs = clock.nowNs() + throttleTimeMs * 1_000_000L;
            environment.counters().add(ConsumerCounters.THROTTLE_MS, throttleTimeMs);
            environment.listener().onThrottled(nodeId, throttleTimeMs);
        }
    }

    /**
     * Whether nothing may be sent now.
     */
    boolean isOn()
    {
        if (isOn)
        {
            isOn = untilNs - clock.nowNs() > 0;
        }
        return isOn;
    }

    /**
     * A new connection is not throttled.
     */
    void end()
    {
        isOn = false;
    }

    /**
     * One that is over has nothing to wait for: who wants to send finds that out.
     */
    long nextDeadlineNs(final long otherwiseNs)
    {
        return isOn && untilNs - clock.nowNs() > 0 && untilNs - otherwiseNs < 0 ? untilNs : otherwiseNs;
    }
}
