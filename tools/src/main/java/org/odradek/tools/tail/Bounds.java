// SPDX-License-Identifier: Apache-2.0
package org.odradek.tools.tail;

import org.odradek.consumer.StartPosition;
import org.odradek.consumer.TopicConsumer;
import org.odradek.consumer.status.OffsetQuery;
import org.odradek.protocol.ErrorCode;

import java.util.concurrent.TimeUnit;

/**
 * Asks the cluster what is needed to begin and to end at the places wanted. Cold.
 */
final class Bounds
{
    static final long NO_END = Long.MAX_VALUE;

    private static final long ANSWER_TIMEOUT_NS = TimeUnit.SECONDS.toNanos(60);

    private final TopicConsumer consumer;

    Bounds(final TopicConsumer consumer)
    {
        this.consumer = consumer;
    }

    StartPosition start(final int partition, final Place from)
    {
        switch (from.kind())
        {
            case EARLIEST:
                return StartPosition.earliest();
            case LATEST:
                return StartPosition.latest();
            case OFFSET:
                return StartPosition.offset(from.value());
            case TIME:
                return StartPosition.timestamp(from.value());
            default:
                final long beginning = answer(consumer.queryBeginningOffset(partition));
                return StartPosition.offset(Math.max(beginning, end(partition) - from.value()));
        }
    }

    /**
     * @return the first offset that is not wanted.
     */
    long end(final int partition, final Place until)
    {
        if (until == null)
        {
            return NO_END;
        }
        switch (until.kind())
        {
            case OFFSET:
                return until.value();
            case BEFORE_END:
                return Math.max(0, end(partition) - until.value());
            case TIME:
                final long offset = answer(consumer.queryOffsetForTime(partition, until.value()));
                return offset == OffsetQuery.NULL_OFFSET ? end(partition) : offset;
            case EARLIEST:
                return answer(consumer.queryBeginningOffset(partition));
            default:
                return end(partition);
        }
    }

    private long end(final int partition)
    {
        return answer(consumer.queryEndOffset(partition));
    }

    private long answer(final OffsetQuery query)
    {
        if (!consumer.await(query::isDone, ANSWER_TIMEOUT_NS) || query.isFailed())
        {
            throw new IllegalStateException("The offsets of partition " + query.partition() + " cannot be learnt: " +
                (query.isFailed() ? ErrorCode.name(query.errorCode()) : "no answer") + ".");
        }
        return query.offset();
    }
}
