// SPDX-License-Identifier: Apache-2.0
package org.odradek.simulation;

import org.odradek.client.ClientException;
import org.odradek.consumer.TopicConsumer;

/**
 * A second consumer on the poller and thread of a {@link Member}, in no group, in some of the seeds. It is polled after
 * the member. While the member waits until it is stable or has left, nobody polls this one, so that its sockets stay
 * ready, and the member must wait without using CPU time.
 */
final class Guest
{
    private static final int RECORD_LIMIT = 100;
    private static final int SELDOM = 50;

    private final GroupWorld world;
    private final int number;
    private final Draw draw;
    private final boolean isOn;
    private TopicConsumer consumer;
    private boolean isRunning;

    Guest(final GroupWorld world, final int member)
    {
        this.world = world;
        number = member;
        draw = new Draw(world.scenario.seed, "guest of member " + member);
        isOn = world.scenario.isOn(Feature.POLLER_SHARED) && draw.oneIn(2);
    }

    /** Whether the thread is in a call of this consumer. */
    boolean isRunning()
    {
        return isRunning;
    }

    /** Draws whether the member waits until it is stable, instead of polling. */
    boolean isWaitDue()
    {
        return isOn && draw.oneIn(SELDOM);
    }

    /** Opens the consumer on a poller, or polls it without waiting. */
    void step(final SimulatedPoller poller)
    {
        if (!isOn)
        {
            return;
        }
        isRunning = true;
        if (consumer == null)
        {
            open(poller);
        }
        else
        {
            consumer.poll((record) -> world.trace.event("record of a guest", record.partition(), record.offset()),
                RECORD_LIMIT, 0);
        }
        isRunning = false;
    }

    private void open(final SimulatedPoller poller)
    {
        try
        {
            consumer = TopicConsumer.connect(world.scenario.context()
                .clientId("guest-" + number)
                .bootstrapServers(world.network.bootstrapServers())
                .poller(poller)
                .nanoClock(world.clock::readNs)
                .epochClock(world.clock)
                .random(new Draw(world.scenario.seed, "consumer of guest " + number))
                .nameResolver(world.network)
                .errorHandler((error) -> world.trace.text("error of a guest: " + error.getMessage())));
        }
        catch (final ClientException ex)
        {
            world.trace.text("no name of a guest could be looked up");
        }
    }

    void close()
    {
        if (consumer != null)
        {
            isRunning = true;
            consumer.close();
            isRunning = false;
            consumer = null;
        }
    }

    /** The process has ended. */
    void forget()
    {
        consumer = null;
    }
}
