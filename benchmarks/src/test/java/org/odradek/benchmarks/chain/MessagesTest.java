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
    private final Messages.End end = messages.end();

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
                assertEquals(number, messages.number(chain, messages.dueNs(chain, number)));
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
        assertEquals(MEASURED, messages.corrected().getTotalCount());
        assertEquals(MEASURED, messages.uncorrected().getTotalCount());
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
        final long dueNs = messages.dueNs(0, 0);

        assertThrows(IllegalStateException.class, () -> end.onMessage(0, Chains.SERVICES - 1, dueNs));
    }

    @Test
    void shouldNotAcceptAMessageThatWasNeverSentThere()
    {
        final long ofAnotherChain = messages.dueNs(1, 0);
        final long beforeTheFirst = messages.dueNs(0, -1);
        final long behindTheLast = messages.dueNs(0, WARM_UP + MEASURED);

        for (final long dueNs : new long[]{ofAnotherChain, beforeTheFirst, behindTheLast})
        {
            assertThrows(IllegalStateException.class, () -> end.onMessage(0, Chains.SERVICES, dueNs));
        }
    }

    private void arrive(final int chain, final long number)
    {
        messages.onSend(chain, number, System.nanoTime());
        end.onMessage(chain, Chains.SERVICES, messages.dueNs(chain, number));
    }
}
