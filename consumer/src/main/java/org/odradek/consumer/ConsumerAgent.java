// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

import org.agrona.concurrent.Agent;
import org.agrona.concurrent.IdleStrategy;
import org.odradek.client.Poller;
import org.odradek.consumer.handler.BatchHandler;
import org.odradek.consumer.handler.ControlledRecordHandler;
import org.odradek.consumer.handler.RecordHandler;

import java.util.function.IntSupplier;

/**
 * Polls a consumer as an agent of Agrona's runners. Each duty cycle is one poll that does not wait; the idle
 * strategy, such as {@link #idleStrategy(Poller)}, decides what happens after a poll that delivered nothing. When the
 * agent is closed, it closes the consumer on its own thread.
 * <p>
 * The limit lets consumers share a thread: in an {@link org.agrona.concurrent.CompositeAgent} each consumer delivers
 * at most that many records before the next one is polled. Consumers of one thread should share a poller ({@link
 * ConsumerContext#poller(Poller)}).
 */
public final class ConsumerAgent implements Agent
{
    private final String roleName;
    private final TopicConsumer consumer;
    private final IntSupplier poll;

    private ConsumerAgent(
        final String roleName, final TopicConsumer consumer, final int limit, final IntSupplier poll)
    {
        if (limit < 1)
        {
            throw new IllegalArgumentException("limit is " + limit + ": it must be 1 or more");
        }
        this.roleName = roleName;
        this.consumer = consumer;
        this.poll = poll;
    }

    /**
     * Creates an agent that delivers records.
     *
     * @param roleName    of the agent, which its thread is named after.
     * @param consumer    that has not been polled yet, or only by the agent's thread.
     * @param handler     is given each record.
     * @param recordLimit the most records of one duty cycle, 1 or more.
     */
    public static ConsumerAgent polling(
        final String roleName, final TopicConsumer consumer, final RecordHandler handler, final int recordLimit)
    {
        return new ConsumerAgent(roleName, consumer, recordLimit, () -> consumer.poll(handler, recordLimit));
    }

    /**
     * Creates an agent whose handler decides after each record how to continue. A duty cycle whose first record is
     * refused (ABORT) counts as idle. The cause of the refusal does not wake the poller when it ends, so the idle
     * strategy must return after some time.
     *
     * @param roleName    of the agent, which its thread is named after.
     * @param consumer    that has not been polled yet, or only by the agent's thread.
     * @param handler     is given each record.
     * @param recordLimit the most records of one duty cycle, 1 or more.
     */
    public static ConsumerAgent controlled(
        final String roleName,
        final TopicConsumer consumer,
        final ControlledRecordHandler handler,
        final int recordLimit)
    {
        return new ConsumerAgent(
            roleName, consumer, recordLimit, () -> consumer.controlledPoll(handler, recordLimit));
    }

    /**
     * Creates an agent that delivers whole batches.
     *
     * @param roleName    of the agent, which its thread is named after.
     * @param consumer    that has not been polled yet, or only by the agent's thread.
     * @param handler     is given each batch.
     * @param batchLimit  the most batches of one duty cycle, 1 or more.
     */
    public static ConsumerAgent batches(
        final String roleName, final TopicConsumer consumer, final BatchHandler handler, final int batchLimit)
    {
        return new ConsumerAgent(roleName, consumer, batchLimit, () -> consumer.pollBatches(handler, batchLimit));
    }

    /** As {@link #idleStrategy(Poller, long)}, with at most 10 milliseconds. */
    public static IdleStrategy idleStrategy(final Poller poller)
    {
        return new PollerIdleStrategy(poller, PollerIdleStrategy.MAX_IDLE_NS_DEFAULT);
    }

    /**
     * Creates a strategy that idles in a poller's wait, in the kernel. It uses no CPU time and ends as soon as data of
     * any client that shares the poller arrives, one of the consumers is woken, or the thread is interrupted, which
     * is how Agrona's runners stop it. It must be used on the thread that polls the consumers, and it allocates
     * nothing. Its alias is {@code poller}.
     * <p>
     * The wait ends, too, at the earliest {@link TopicConsumer#nextDeadlineNs()} of the consumers and publishers that
     * share the poller. Other agents of the thread wait for the end of the idle time, so it should be short beside
     * them. A record that was refused (ABORT) waits, too: the code that makes room for it can call {@link
     * TopicConsumer#wakeup()}.
     *
     * @param poller    that the thread's consumers and publishers share; remains the caller's to close.
     * @param maxIdleNs the longest idle time in nanoseconds, 1 or more.
     */
    public static IdleStrategy idleStrategy(final Poller poller, final long maxIdleNs)
    {
        return new PollerIdleStrategy(poller, maxIdleNs);
    }

    /**
     * Polls once without waiting.
     *
     * @return records, or batches, delivered; 0 means idle.
     */
    @Override
    public int doWork()
    {
        return poll.getAsInt();
    }

    @Override
    public void onClose()
    {
        consumer.close();
    }

    @Override
    public String roleName()
    {
        return roleName;
    }
}
