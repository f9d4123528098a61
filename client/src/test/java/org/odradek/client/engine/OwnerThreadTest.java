// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.engine;

import org.junit.jupiter.api.Test;

import java.util.concurrent.CountDownLatch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class OwnerThreadTest
{
    private final OwnerThread owner = new OwnerThread("the client", "used it first");

    @Test
    void shouldBelongToTheFirstThreadUntilItsEnd() throws InterruptedException
    {
        final CountDownLatch taken = new CountDownLatch(1);
        final CountDownLatch ending = new CountDownLatch(1);
        owner.check();
        assertNull(owner.thread());
        final Thread first = new Thread(() ->
        {
            owner.take();
            owner.check();
            taken.countDown();
            try
            {
                ending.await();
            }
            catch (final InterruptedException ex)
            {
                throw new IllegalStateException(ex);
            }
        }, "first");
        first.start();
        taken.await();

        assertEquals("the client belongs to thread 'first', which used it first, and was called from '" +
            Thread.currentThread().getName() + "'",
            assertThrows(IllegalStateException.class, owner::check).getMessage());
        assertFalse(owner.isCurrent());
        ending.countDown();
        first.join();
        owner.check();
        assertSame(first, owner.thread());
        owner.take();
        assertTrue(owner.isCurrent());
    }
}
