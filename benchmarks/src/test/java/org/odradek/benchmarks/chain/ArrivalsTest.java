// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.chain;

import org.junit.jupiter.api.Test;

import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

class ArrivalsTest
{
    private static final int CHAINS = 3;
    private static final int WARM_UP = 2;
    private static final int MEASURED = 3;

    private final ChainSchedule schedule = new ChainSchedule(CHAINS, WARM_UP, MEASURED);
    private final Arrivals arrivals = new Arrivals(schedule);
    private final Arrivals.End end = arrivals.end();

    ArrivalsTest()
    {
        // Long over, so that nothing here arrives before it was to be sent.
        schedule.start(System.nanoTime() - TimeUnit.MINUTES.toNanos(1));
    }

    @Test
    void shouldKnowEachMessageByItsTime()
    {
        for (int chain = 0; chain < CHAINS; chain++)
        {
            for (int number = 0; number < WARM_UP + MEASURED; number++)
            {
                assertEquals(number, schedule.number(chain, schedule.intendedNs(chain, number)));
            }
        }
    }

    @Test
    void shouldMeasureBehindTheWarmUpOnly()
    {
        for (int number = 0; number < WARM_UP + MEASURED; number++)
        {
            arrive(1, number);
        }

        assertEquals(WARM_UP + MEASURED, arrivals.count());
        assertEquals(MEASURED, arrivals.corrected().getTotalCount());
        assertEquals(MEASURED, arrivals.uncorrected().getTotalCount());
    }

    @Test
    void shouldNotAcceptAMessageTwice()
    {
        arrive(0, 0);

        assertThrows(IllegalStateException.class, () -> arrive(0, 0));
    }

    @Test
    void shouldNotAcceptAGap()
    {
        arrive(2, 0);

        assertThrows(IllegalStateException.class, () -> arrive(2, 2));
    }

    @Test
    void shouldNotAcceptAMessageThatMissedAService()
    {
        final long intendedNs = schedule.intendedNs(0, 0);

        assertThrows(IllegalStateException.class, () -> end.onMessage(0, Chains.SERVICES - 1, intendedNs));
    }

    @Test
    void shouldNotAcceptAMessageThatWasNeverSentThere()
    {
        final long ofAnotherChain = schedule.intendedNs(1, 0);
        final long beforeTheFirst = schedule.intendedNs(0, -1);
        final long behindTheLast = schedule.intendedNs(0, WARM_UP + MEASURED);

        for (final long intendedNs : new long[]{ofAnotherChain, beforeTheFirst, behindTheLast})
        {
            assertThrows(IllegalStateException.class, () -> end.onMessage(0, Chains.SERVICES, intendedNs));
        }
    }

    private void arrive(final int chain, final long number)
    {
        arrivals.onSend(chain, number, System.nanoTime());
        end.onMessage(chain, Chains.SERVICES, schedule.intendedNs(chain, number));
    }
}
