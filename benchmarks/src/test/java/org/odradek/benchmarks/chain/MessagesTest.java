// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.chain;

import org.junit.jupiter.api.Test;

import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

class MessagesTest
{
    private static final int CHAINS = 3;
    private static final int WARM_UP = 2;
    private static final int MEASURED = 3;

    private final Messages messages = new Messages(CHAINS, WARM_UP, MEASURED);

    MessagesTest()
    {
        // Long over, so that nothing here arrives before it was to be sent.
        messages.start(System.nanoTime() - TimeUnit.MINUTES.toNanos(1));
    }

    @Test
    void shouldKnowEachMessageByItsTime()
    {
        for (int chain = 0; chain < CHAINS; chain++)
        {
            for (int number = 0; number < WARM_UP + MEASURED; number++)
            {
                assertEquals(number, messages.number(chain, dueNs(chain, number)));
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

        assertEquals(WARM_UP + MEASURED, messages.count());
        assertEquals(MEASURED, messages.corrected.getTotalCount());
        assertEquals(MEASURED, messages.uncorrected.getTotalCount());
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
        final long dueNs = dueNs(0, 0);

        assertThrows(IllegalStateException.class, () -> messages.onEnd(0, Chains.SERVICES - 1, dueNs));
    }

    @Test
    void shouldNotAcceptAMessageThatWasNeverSentThere()
    {
        final long ofAnotherChain = dueNs(1, 0);
        final long beforeTheFirst = dueNs(0, -1);
        final long behindTheLast = dueNs(0, WARM_UP + MEASURED);

        for (final long dueNs : new long[]{ofAnotherChain, beforeTheFirst, behindTheLast})
        {
            assertThrows(IllegalStateException.class, () -> messages.onEnd(0, Chains.SERVICES, dueNs));
        }
    }

    private void arrive(final int chain, final long number)
    {
        messages.onSend(number * CHAINS + chain);
        messages.onEnd(chain, Chains.SERVICES, dueNs(chain, number));
    }

    private long dueNs(final int chain, final long number)
    {
        return messages.dueNs(number * CHAINS + chain);
    }
}
