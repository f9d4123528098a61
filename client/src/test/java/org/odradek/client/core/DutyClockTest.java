// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.core;

import org.junit.jupiter.api.Test;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

class DutyClockTest
{
    private long timeNs = Long.MAX_VALUE - 10;

    @Test
    void shouldNotAdvanceWithinADutyCycle()
    {
        final DutyClock clock = new DutyClock(() -> timeNs, () -> 0);
        final long startNs = timeNs;
        timeNs += 5;
        assertEquals(startNs, clock.nowNs());
        assertEquals(timeNs, clock.update());
        assertEquals(timeNs, clock.nowNs());
        assertEquals(5, clock.pollingNs());
    }

    @Test
    void shouldReadTheTimeOfDayEachTime()
    {
        final DutyClock clock = new DutyClock(() -> 0, () -> timeNs);
        assertEquals(timeNs, clock.epochMs());
        timeNs -= 1_000;
        assertEquals(timeNs, clock.epochMs());
    }

    @Test
    void shouldCountAPauseBetweenCyclesOnlyInPart()
    {
        final DutyClock clock = new DutyClock(() -> timeNs, () -> 0);
        timeNs += 300;
        clock.update();
        timeNs += 3_600_000_000_000L;
        clock.update();
        assertEquals(300 + DutyClock.LONGEST_STEP_NS, clock.pollingNs());
    }

    @Test
    void shouldCountAWaitForSocketsButNoPauseAfterIt()
    {
        final DutyClock clock = new DutyClock(() -> timeNs, () -> 0);
        final long waitNs = 10_000_000_000L;
        timeNs += waitNs;
        clock.updateAfterWait(waitNs);
        assertEquals(waitNs, clock.pollingNs());
        timeNs += 3_600_000_000_000L;
        clock.updateAfterWait(waitNs);
        assertEquals(2 * waitNs + DutyClock.LONGEST_STEP_NS, clock.pollingNs());
    }

    @Test
    void shouldCountAWaitOfItsThreadOnce()
    {
        final DutyClock clock = new DutyClock(() -> timeNs, () -> 0);
        final long waitNs = 10_000_000_000L;
        assertEquals(timeNs + waitNs, clock.waitUntil(timeNs + waitNs));
        timeNs += waitNs;
        clock.update();
        assertEquals(waitNs, clock.pollingNs());
        timeNs += waitNs;
        clock.update();
        assertEquals(waitNs + DutyClock.LONGEST_STEP_NS, clock.pollingNs());
    }

    @Test
    void shouldNotRunBackwards()
    {
        final DutyClock clock = new DutyClock(() -> timeNs, () -> 0);
        timeNs -= 1_000;
        clock.update();
        assertEquals(0, clock.pollingNs());
    }

    @Test
    void shouldNotEndACloseWhileItsDeadlineIsBeingComputed() throws InterruptedException
    {
        final DutyClock clock = new DutyClock(() -> 0, () -> 0);
        final CountDownLatch isComputing = new CountDownLatch(1);
        final CountDownLatch mayEnd = new CountDownLatch(1);
        final AtomicBoolean isClosedBeforeTheEnd = new AtomicBoolean();
        final AtomicBoolean isClosed = new AtomicBoolean();
        clock.nextDeadline(() ->
        {
            isComputing.countDown();
            awaitUninterrupted(mayEnd);
            isClosedBeforeTheEnd.set(isClosed.get());
            return 0;
        });
        final Thread owner = new Thread(clock::untilNextNs);
        final Thread closer = new Thread(() ->
        {
            clock.nextDeadline(null);
            isClosed.set(true);
        });

        owner.start();
        isComputing.await();
        closer.start();
        while (closer.getState() != Thread.State.BLOCKED && closer.isAlive())
        {
            Thread.onSpinWait();
        }
        mayEnd.countDown();
        owner.join();
        closer.join();

        assertFalse(isClosedBeforeTheEnd.get());
        assertEquals(Long.MAX_VALUE, clock.untilNextNs());
    }

    private static void awaitUninterrupted(final CountDownLatch latch)
    {
        try
        {
            latch.await();
        }
        catch (final InterruptedException ex)
        {
            throw new IllegalStateException(ex);
        }
    }

    /** An agent may advance its clock only between polls. */
    @Test
    void shouldStandStillOnlyUntilTheTimeChanges()
    {
        final DutyClock clock = new DutyClock(() -> timeNs, () -> 0);
        clock.endWait(2_000_000_000L, 0);
        assertTrue(clock.isStopped());
        clock.update();
        assertTrue(clock.isStopped());

        timeNs++;
        clock.update();

        assertFalse(clock.isStopped());
    }
}
