// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

import org.agrona.concurrent.Agent;
import org.odradek.consumer.handler.BatchHandler;
import org.odradek.consumer.handler.ControlledRecordHandler;
import org.odradek.consumer.handler.RecordHandler;

/**
 * A consumer as Agrona's runners take it: each duty cycle is one poll that does not wait. What to do when there was
 * nothing is the idle strategy's business, for instance {@link PollerIdleStrategy}'s. The consumer is closed with the
 * agent, on the agent's thread.
 * <p>
 * A record limit shares a thread: in an {@link org.agrona.concurrent.CompositeAgent} no consumer delivers more than
 * that before the next one has its turn. Consumers of one thread should be given one poller
 * ({@link ConsumerContext#poller}).
 */
public final class ConsumerAgent implements Agent
{
    private final int limit;
    private final String roleName;
    private final RecordHandler handler;
    private final ControlledRecordHandler controlledHandler;
    private final BatchHandler batchHandler;
    private final TopicConsumer consumer;

    private ConsumerAgent(
        final String roleName,
        final TopicConsumer consumer,
        final RecordHandler handler,
        final ControlledRecordHandler controlledHandler,
        final BatchHandler batchHandler,
        final int limit)
    {
        if (limit < 1)
        {
            throw new IllegalArgumentException("limit is " + limit + ": it must be 1 or more");
        }
        this.limit = limit;
        this.roleName = roleName;
        this.handler = handler;
        this.controlledHandler = controlledHandler;
        this.batchHandler = batchHandler;
        this.consumer = consumer;
    }

    /**
     * An agent that polls.
     *
     * @param roleName    of the agent, which names its thread.
     * @param consumer    that no thread has polled yet, or only the agent's.
     * @param handler     to be given each record.
     * @param recordLimit at most so many records in a duty cycle, 1 or more.
     * @return the agent.
     */
    public static ConsumerAgent polling(
        final String roleName, final TopicConsumer consumer, final RecordHandler handler, final int recordLimit)
    {
        return new ConsumerAgent(roleName, consumer, handler, null, null, recordLimit);
    }

    /**
     * An agent that polls with a handler which says how to go on. A duty cycle whose first record is refused (ABORT)
     * has done no work: what the handler waits for is no data, so the idle strategy must come back by itself.
     *
     * @param roleName    of the agent, which names its thread.
     * @param consumer    that no thread has polled yet, or only the agent's.
     * @param handler     to be given each record.
     * @param recordLimit at most so many records in a duty cycle, 1 or more.
     * @return the agent.
     */
    public static ConsumerAgent controlled(
        final String roleName,
        final TopicConsumer consumer,
        final ControlledRecordHandler handler,
        final int recordLimit)
    {
        return new ConsumerAgent(roleName, consumer, null, handler, null, recordLimit);
    }

    /**
     * An agent that polls whole batches.
     *
     * @param roleName   of the agent, which names its thread.
     * @param consumer   that no thread has polled yet, or only the agent's.
     * @param handler    to be given each batch.
     * @param batchLimit at most so many batches in a duty cycle, 1 or more.
     * @return the agent.
     */
    public static ConsumerAgent batches(
        final String roleName, final TopicConsumer consumer, final BatchHandler handler, final int batchLimit)
    {
        return new ConsumerAgent(roleName, consumer, null, null, handler, batchLimit);
    }

    /**
     * One poll.
     *
     * @return records, or batches, delivered; 0 means idle.
     */
    @Override
    public int doWork()
    {
        if (handler != null)
        {
            return consumer.poll(handler, limit);
        }
        return controlledHandler != null ?
            consumer.controlledPoll(controlledHandler, limit) : consumer.pollBatches(batchHandler, limit);
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
