// SPDX-License-Identifier: Apache-2.0
package org.odradek.simulation;

import org.odradek.consumer.TopicConsumer;
import org.odradek.consumer.handler.OffsetQuery;

import java.util.ArrayList;
import java.util.List;

/**
 * The end offsets that a member of a group asks for, of any partition, assigned to it or not. Each must be answered,
 * whatever has become of the leader that the member knew.
 */
final class MemberQueries
{
    private static final int MAX_QUERIES = 4;
    private static final int SELDOM = 100;

    private final GroupWorld world;
    private final Draw draw;
    private final boolean isOn;
    private final List<OffsetQuery> queries = new ArrayList<>();
    private TopicConsumer consumer;

    MemberQueries(final GroupWorld world, final int member)
    {
        this.world = world;
        draw = new Draw(world.scenario.seed, "queries of member " + member);
        isOn = world.scenario.isOn(FaultKind.OFFSET_QUERIED);
    }

    void onOpen(final TopicConsumer newConsumer)
    {
        consumer = newConsumer;
        queries.clear();
    }

    /** Asks now and then, between two polls, and checks what was answered. */
    void step()
    {
        for (int i = queries.size() - 1; i >= 0; i--)
        {
            if (queries.get(i).isDone())
            {
                check(queries.remove(i));
            }
        }
        if (isOn && world.isStriking() && queries.size() < MAX_QUERIES && consumer.partitionCount() > 0 &&
            draw.oneIn(SELDOM))
        {
            world.tookEffect(FaultKind.OFFSET_QUERIED);
            queries.add(consumer.queryEndOffset(draw.below(consumer.partitionCount())));
        }
    }

    private void check(final OffsetQuery query)
    {
        final long end = world.partitions().get(query.partition()).log().endOffset();
        world.ledger.check(!query.isFailed() && query.offset() >= 0 && query.offset() <= end, "offset query",
            "an end of partition " + query.partition() + " until " + end + ", not " + query.offset());
    }

    boolean isAnswered()
    {
        return queries.isEmpty();
    }

    @Override
    public String toString()
    {
        return queries.isEmpty() ? "" : ", " + queries.size() + " queries of offsets are not answered";
    }
}
