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
 * Polls a consumer as an agent of Agrona's runners. Each duty cycle is one poll that does not wait; the idle strategy,
 * such as {@link #idleStrategy(Poller)}, determines what happens after a poll that delivered nothing. When the runner
 * closes the agent, the agent closes the consumer.
 * <p>
 * Consumers of one thread should share a poller ({@link ConsumerContext#poller(Poller)}).
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
     * @param roleName    the name of the agent, which an AgentRunner also gives to its thread.
     * @param consumer    the consumer to poll; no live thread other than the agent's may have polled it.
     * @param recordLimit the largest number of records in one duty cycle, 1 or more.
     * @throws IllegalArgumentException if the limit is less than 1.
     */
    public static ConsumerAgent polling(
        final String roleName, final TopicConsumer consumer, final RecordHandler handler, final int recordLimit)
    {
        return new ConsumerAgent(roleName, consumer, recordLimit, () -> consumer.poll(handler, recordLimit));
    }

    /**
     * Creates an agent whose handler decides after each record how to continue. A duty cycle whose first record is
     * refused (ABORT) counts as idle. The consumer does not notice that the reason for the refusal has gone, so the
     * idle strategy must return after some time, or the program must call {@link TopicConsumer#wakeup()}.
     *
     * @param roleName    the name of the agent, which an AgentRunner also gives to its thread.
     * @param consumer    the consumer to poll; no live thread other than the agent's may have polled it.
     * @param recordLimit the largest number of records in one duty cycle, 1 or more.
     * @throws IllegalArgumentException if the limit is less than 1.
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
     * @param roleName   the name of the agent, which an AgentRunner also gives to its thread.
     * @param consumer   the consumer to poll; no live thread other than the agent's may have polled it.
     * @param batchLimit the largest number of batches in one duty cycle, 1 or more.
     * @throws IllegalArgumentException if the limit is less than 1.
     */
    public static ConsumerAgent batches(
        final String roleName, final TopicConsumer consumer, final BatchHandler handler, final int batchLimit)
    {
        return new ConsumerAgent(roleName, consumer, batchLimit, () -> consumer.pollBatches(handler, batchLimit));
    }

    /** Calls {@link #idleStrategy(Poller, long)} with a longest idle time of 10 milliseconds. */
    public static IdleStrategy idleStrategy(final Poller poller)
    {
        return new PollerIdleStrategy(poller, PollerIdleStrategy.MAX_IDLE_NS_DEFAULT);
    }

    /**
     * Creates a strategy that idles in a wait of the poller. The wait ends when data of any client that shares the
     * poller arrives, one of these clients is woken, or the thread is interrupted. The strategy must be used on the
     * thread that polls the consumers, and it allocates nothing.
     * <p>
     * The wait also ends at the earliest {@link TopicConsumer#nextDeadlineNs()} of the consumers and publishers that
     * share the poller. A record that was refused (ABORT) is not delivered again before the wait ends; the code that
     * removes the reason for the refusal can call {@link TopicConsumer#wakeup()}.
     *
     * @param poller    the poller that the thread's consumers and publishers share.
     * @param maxIdleNs the longest idle time in nanoseconds, 1 or more.
     * @throws IllegalArgumentException if the time is less than 1.
     */
    public static IdleStrategy idleStrategy(final Poller poller, final long maxIdleNs)
    {
        return new PollerIdleStrategy(poller, maxIdleNs);
    }

    /**
     * Polls once without waiting.
     *
     * @return the number of records or batches that were delivered; 0 means idle.
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
