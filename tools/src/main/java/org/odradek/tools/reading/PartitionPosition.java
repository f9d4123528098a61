// SPDX-License-Identifier: Apache-2.0
package org.odradek.tools.reading;

import org.odradek.consumer.StartPosition;
import org.odradek.consumer.handler.OffsetQuery;

import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * A position in a partition, as a command line names it: {@code earliest}, {@code latest} (or {@code end}), an offset,
 * {@code -N} for N offsets before the end, or a time as {@code @MILLISECONDS} or in ISO-8601.
 */
record PartitionPosition(Kind kind, long value)
{
    /** The end of a reading that has none. */
    static final long NO_END = Long.MAX_VALUE;

    enum Kind
    {
        EARLIEST, LATEST, OFFSET, BEFORE_END, TIME
    }

    /**
     * @throws IllegalArgumentException if the text is not a position.
     */
    static PartitionPosition parse(final String text)
    {
        if ("earliest".equals(text))
        {
            return new PartitionPosition(Kind.EARLIEST, 0);
        }
        if ("latest".equals(text) || "end".equals(text))
        {
            return new PartitionPosition(Kind.LATEST, 0);
        }
        try
        {
            if (text.startsWith("@"))
            {
                return new PartitionPosition(Kind.TIME, Long.parseUnsignedLong(text.substring(1)));
            }
            if (text.matches("-?\\d+"))
            {
                final long number = Long.parseLong(text);
                return text.startsWith("-") ?
                    new PartitionPosition(Kind.BEFORE_END, -number) : new PartitionPosition(Kind.OFFSET, number);
            }
            return new PartitionPosition(Kind.TIME, Instant.parse(text).toEpochMilli());
        }
        catch (final NumberFormatException | DateTimeParseException ex)
        {
            throw new IllegalArgumentException("'" + text + "' is not a position in a partition: it must be earliest," +
                " latest, an OFFSET, -N for N before the end, @MILLISECONDS, or a time such as 2026-11-21T08:00:00Z.",
                ex);
        }
    }

    /**
     * Asks the cluster for the offset of the position if necessary, and returns what waits for the answer and returns
     * the start of the consumer.
     */
    Supplier<StartPosition> start(final StartWaits waits, final int partition)
    {
        if (!isBeforeEnd())
        {
            return this::start;
        }
        final OffsetQuery beginning = waits.consumer().queryBeginningOffset(partition);
        final OffsetQuery end = waits.consumer().queryEndOffset(partition);
        // Both are -1 if the command was stopped.
        return () -> StartPosition.offset(
            Math.max(Math.max(0, waits.await(beginning)), waits.await(end) - value));
    }

    /** Whether the cluster must be asked for the start. */
    boolean isBeforeEnd()
    {
        return kind == Kind.BEFORE_END;
    }

    /** Returns a position that is not before the end as a start of the consumer, of any partition. */
    StartPosition start()
    {
        return switch (kind)
        {
            case EARLIEST -> StartPosition.earliest();
            case LATEST -> StartPosition.latest();
            case TIME -> StartPosition.timestamp(value);
            default -> StartPosition.offset(value);
        };
    }

    /**
     * Asks the cluster for the offset of the position if necessary, and returns what waits for the answer and returns
     * the offset, which is the first one that a reading up to it leaves out.
     */
    LongSupplier end(final StartWaits waits, final int partition)
    {
        if (kind == Kind.OFFSET)
        {
            return () -> value;
        }
        if (kind == Kind.EARLIEST)
        {
            final OffsetQuery beginning = waits.consumer().queryBeginningOffset(partition);
            return () -> waits.await(beginning);
        }
        final OffsetQuery end = waits.consumer().queryEndOffset(partition);
        if (kind == Kind.TIME)
        {
            final OffsetQuery ofTime = waits.consumer().queryOffsetForTime(partition, value);
            return () ->
            {
                final long endOffset = waits.await(end);
                final long offset = waits.await(ofTime);
                return offset == OffsetQuery.NULL_OFFSET ? endOffset : offset;
            };
        }
        return kind == Kind.BEFORE_END ? () -> Math.max(0, waits.await(end) - value) : () -> waits.await(end);
    }
}
