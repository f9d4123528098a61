// SPDX-License-Identifier: Apache-2.0
package org.odradek.tools.reading;

import org.odradek.consumer.TopicConsumer;
import org.odradek.consumer.handler.OffsetQuery;
import org.odradek.protocol.ErrorCode;
import org.odradek.tools.StopSignal;

import java.util.concurrent.TimeUnit;

/**
 * The waits of a command before it reads: until the topic can be read, and for offsets. They end when the timeout has
 * expired, or at once when the command is stopped. Each wait that has succeeded renews the timeout, because a topic may
 * have many partitions.
 */
final class StartWaits
{
    private final long timeoutMs;
    private long deadlineNs;
    private final ReadingOptions reading;
    private final TopicConsumer consumer;
    private final StopSignal signal;

    StartWaits(
        final ReadingOptions reading, final TopicConsumer consumer, final StopSignal signal, final long timeoutMs)
    {
        this.reading = reading;
        this.consumer = consumer;
        this.signal = signal;
        this.timeoutMs = timeoutMs;
        renew();
    }

    private void renew()
    {
        deadlineNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMs);
    }

    private long leftNs()
    {
        return Math.max(0, deadlineNs - System.nanoTime());
    }

    TopicConsumer consumer()
    {
        return consumer;
    }

    boolean isStopped()
    {
        return signal.isStopped();
    }

    /**
     * Waits until the topic is known and each assigned partition can be read.
     *
     * @return false if the command was stopped before.
     * @throws IllegalStateException if the topic cannot be read.
     */
    boolean awaitReady()
    {
        final boolean isReady = !isStopped() && consumer.awaitReady(leftNs());
        if (!isReady && !isStopped())
        {
            throw new IllegalStateException("Topic " + reading.topic() + " cannot be read at " + reading.cluster() +
                ": " + reading.cause(timeoutMs));
        }
        renew();
        return isReady;
    }

    /**
     * Waits for offsets that were asked for at {@link #consumer()}.
     *
     * @return {@link OffsetQuery#NULL_OFFSET} if the command was stopped before, or if there is none.
     * @throws IllegalStateException if the offset cannot be looked up.
     */
    long await(final OffsetQuery query)
    {
        final boolean isDone = !isStopped() && consumer.await(query::isDone, leftNs());
        if (query.isFailed() || !isDone && !isStopped())
        {
            throw new IllegalStateException("An offset of partition " + query.partition() + " cannot be looked up: " +
                (query.isFailed() ? ErrorCode.name(query.errorCode()) + "." :
                reading.cause(timeoutMs)));
        }
        renew();
        return query.offset();
    }
}
