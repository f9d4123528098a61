// SPDX-License-Identifier: Apache-2.0
package org.odradek.micrometer;

import org.junit.jupiter.api.Test;
import org.odradek.client.ClientKind;
import org.odradek.client.metrics.ListedCounter;

import java.util.concurrent.CountDownLatch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

class MetricsSourceTest
{
    private static final int LENGTH = 1 << 20;

    private Thread owner;
    private byte[] garbage;

    private final MetricsSource source = new MetricsSource(ClientKind.PUBLISHER, new MetricsSource.Client()
    {
        @Override
        public long value(final ListedCounter counter)
        {
            return 0;
        }

        @Override
        public Thread owner()
        {
            return owner;
        }
    }, null);

    @Test
    void shouldAddTheBytesOfALaterOwnerFromThenOn() throws InterruptedException
    {
        final CountDownLatch isCounted = new CountDownLatch(1);
        final CountDownLatch hasAllocated = new CountDownLatch(1);
        garbage = new byte[4 * LENGTH];
        final Thread first = new Thread(() ->
        {
            garbage = new byte[LENGTH];
            hasAllocated.countDown();
            try
            {
                isCounted.await();
            }
            catch (final InterruptedException ex)
            {
                Thread.currentThread().interrupt();
            }
        });
        owner = first;
        first.start();
        hasAllocated.await();
        final double before = source.allocatedBytes();
        assertTrue(before >= LENGTH, () -> before + " bytes");
        isCounted.countDown();
        first.join();
        assertEquals(before, source.allocatedBytes());

        owner = Thread.currentThread();
        assertEquals(before, source.allocatedBytes(), "this thread has allocated more before");

        garbage = new byte[2 * LENGTH];
        final double after = source.allocatedBytes() - before;
        assertTrue(after >= 2 * LENGTH, () -> after + " bytes");
        assertEquals(2 * LENGTH, garbage.length);
    }
}
