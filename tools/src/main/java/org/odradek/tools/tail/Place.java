// SPDX-License-Identifier: Apache-2.0
package org.odradek.tools.tail;

import java.time.Instant;
import java.time.format.DateTimeParseException;

/**
 * A place in a partition as a command line names it: {@code earliest}, {@code latest} (or {@code end}), an offset,
 * {@code -N} for N offsets before the end, or a time, {@code @MILLISECONDS} or as ISO-8601 has it.
 */
record Place(Kind kind, long value)
{
    enum Kind
    {
        EARLIEST, LATEST, OFFSET, BEFORE_END, TIME
    }

    /**
     * @throws IllegalArgumentException if it names no place.
     */
    static Place parse(final String text)
    {
        if ("earliest".equals(text))
        {
            return new Place(Kind.EARLIEST, 0);
        }
        if ("latest".equals(text) || "end".equals(text))
        {
            return new Place(Kind.LATEST, 0);
        }
        try
        {
            if (text.startsWith("@"))
            {
                return new Place(Kind.TIME, Long.parseUnsignedLong(text.substring(1)));
            }
            if (text.matches("-?\\d+"))
            {
                final long number = Long.parseLong(text);
                return number < 0 || text.startsWith("-") ?
                    new Place(Kind.BEFORE_END, -number) : new Place(Kind.OFFSET, number);
            }
            return new Place(Kind.TIME, Instant.parse(text).toEpochMilli());
        }
        catch (final NumberFormatException | DateTimeParseException ex)
        {
            throw new IllegalArgumentException("'" + text + "' is no place in a partition: it must be earliest, " +
                "latest, an OFFSET, -N for N before the end, @MILLISECONDS, or a time such as 2026-11-21T08:00:00Z.",
                ex);
        }
    }
}
