// SPDX-License-Identifier: Apache-2.0
package org.odradek.simulation;

import org.odradek.consumer.ConsumerContext;
import org.odradek.consumer.TopicConsumer;
import org.odradek.protocol.record.Record;
import org.odradek.testkit.model.ModelPartition;

/** The user's thread: opens the consumer, polls it, and handles its records. */
final class User implements Observer
{
    private static final int RECORD_LIMIT = 1_000;
    private static final long MAX_CALL_NS = 50_000;
    private static final long MAX_HANDLER_NS = 5_000;

    private final World world;
    private final Draw draw;
    private TopicConsumer consumer;
    private long records;

    User(final World world)
    {
        this.world = world;
        draw = new Draw(world.scenario.seed, "user");
    }

    void open()
    {
        consumer = TopicConsumer.connect(context());
    }

    private ConsumerContext context()
    {
        return world.scenario.context()
            .bootstrapServers(world.network.bootstrapServers())
            .poller(world.poller)
            .nanoClock(world.clock)
            .epochClock(world.clock)
            .random(new Draw(world.scenario.seed, "consumer"))
            .nameResolver(world.network)
            .errorHandler((error) -> world.trace.text("error: " + error.getMessage()));
    }

    /** Makes one call of the consumer. */
    void step()
    {
        consumer.poll(this::onRecord, RECORD_LIMIT, draw.logBetween(1_000, 500_000_000));
        world.clock.spend(draw.between(100, MAX_CALL_NS));
    }

    private void onRecord(final Record record)
    {
        records++;
        world.trace.event("record", record.partition(), record.offset());
        world.clock.spend(draw.below((int)MAX_HANDLER_NS));
    }

    /** Returns whether the consumer has read every log to its end. */
    boolean isCaughtUp()
    {
        for (final ModelPartition partition : world.partitions())
        {
            final int p = partition.index();
            if (!consumer.isAssigned(p) || consumer.nextOffset(p) < partition.log().lastStableOffset())
            {
                return false;
            }
        }
        return true;
    }

    /** Returns the first offset of a partition that the user may still read. */
    long neededOffset(final int partition)
    {
        return consumer.isAssigned(partition) ? Math.max(0, consumer.nextOffset(partition)) : Long.MAX_VALUE;
    }

    /** Records that were delivered. */
    long records()
    {
        return records;
    }

    void close()
    {
        consumer.close();
    }
}
