// SPDX-License-Identifier: Apache-2.0
package org.odradek.simulation;

import org.odradek.consumer.TopicConsumer;

/**
 * Closes a consumer as another thread may at any moment. That thread runs while this one stands still, until it is done
 * or waits for the end of the running poll, so that a seed gives the same run each time.
 */
final class OtherThread
{
    private final Thread thread;
    private volatile Throwable failure;

    private OtherThread(final TopicConsumer consumer)
    {
        thread = new Thread(consumer::close, "closes-a-member");
        thread.setDaemon(true);
        thread.setUncaughtExceptionHandler((closer, ex) -> failure = ex);
    }

    /**
     * Begins a close.
     *
     * @throws IllegalStateException if the close has thrown.
     */
    static void close(final TopicConsumer consumer)
    {
        final OtherThread other = new OtherThread(consumer);
        other.thread.start();
        while (other.thread.isAlive() && other.thread.getState() != Thread.State.TIMED_WAITING)
        {
            Thread.yield();
        }
        if (other.failure != null)
        {
            throw new IllegalStateException("a close by another thread has thrown", other.failure);
        }
    }
}
