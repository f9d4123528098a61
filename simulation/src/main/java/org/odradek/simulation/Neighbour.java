// SPDX-License-Identifier: Apache-2.0
package org.odradek.simulation;

import org.odradek.client.ClientException;
import org.odradek.consumer.TopicConsumer;
import org.odradek.protocol.record.Record;

import java.util.concurrent.TimeUnit;

/**
 * Another consumer on the user's poller and thread, which the user polls in turn with its own. What arrives for it ends
 * the waits of the user's consumer, which must neither go on without waiting nor take harm when a handler closes the
 * neighbour.
 */
final class Neighbour
{
    private static final int RECORD_LIMIT = 1_000;
    private static final long MEAN_LIFE_NS = TimeUnit.SECONDS.toNanos(60);
    private static final long MIN_ABSENCE_NS = TimeUnit.MILLISECONDS.toNanos(10);
    private static final long MAX_ABSENCE_NS = TimeUnit.SECONDS.toNanos(60);

    private final World world;
    private final Draw draw;
    private final boolean isOn;
    private final boolean isClosedByHandlers;
    private TopicConsumer consumer;
    private boolean isRunning;
    private long openNs;
    private long closeNs;

    Neighbour(final World world)
    {
        this.world = world;
        draw = new Draw(world.scenario.seed, "neighbour");
        isOn = world.scenario.isOn(Feature.POLLER_SHARED) && draw.oneIn(2);
        isClosedByHandlers = world.scenario.isOn(FaultKind.NEIGHBOUR_CLOSED);
    }

    /** Whether the thread is in a call of this consumer. */
    boolean isRunning()
    {
        return isRunning;
    }

    /** Polls without waiting, or opens a consumer when it is time. */
    void step()
    {
        if (!isOn || consumer == null && world.clock.nowNs() < openNs)
        {
            return;
        }
        isRunning = true;
        if (consumer == null)
        {
            open();
        }
        else
        {
            consumer.poll(this::onRecord, RECORD_LIMIT, 0);
        }
        isRunning = false;
    }

    private void open()
    {
        closeNs = world.clock.nowNs() + draw.exponential(MEAN_LIFE_NS);
        try
        {
            consumer = TopicConsumer.connect(world.scenario.context()
                .clientId("neighbour")
                .bootstrapServers(world.network.bootstrapServers())
                .poller(world.poller)
                .nanoClock(world.clock::readNs)
                .epochClock(world.clock)
                .random(new Draw(world.scenario.seed, "neighbour's consumer"))
                .nameResolver(world.network)
                .errorHandler((error) -> world.trace.text("error of the neighbour: " + error.getMessage())));
        }
        catch (final ClientException ex)
        {
            // No name could be looked up.
            openNs = world.clock.nowNs() + MIN_ABSENCE_NS;
        }
    }

    private void onRecord(final Record record)
    {
        world.trace.event("record of the neighbour", record.partition(), record.offset());
    }

    /** A handler of the user's consumer closes this one when it is time. */
    void onHandler()
    {
        if (consumer != null && isClosedByHandlers && world.phase() == Phase.FAULTS &&
            world.clock.nowNs() >= closeNs)
        {
            close();
            openNs = world.clock.nowNs() + draw.logBetween(MIN_ABSENCE_NS, MAX_ABSENCE_NS);
            world.tookEffect(FaultKind.NEIGHBOUR_CLOSED);
        }
    }

    /** Closes the consumer for good, or until {@link #step} opens another. */
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

    /** Sockets that are open. */
    long socketCount()
    {
        return world.network.links().stream().filter((link) -> link.isOfNeighbour).count();
    }
}
