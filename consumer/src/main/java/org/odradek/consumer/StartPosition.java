/*
 * Licensed under the Apache License, Version 2.0; see the file LICENSE.
 */
package org.odradek.consumer;

import org.odradek.protocol.control.ListOffsetsRequestEncoder;

/**
 * Where to begin reading a partition.
 */
public final class StartPosition
{
    private static final StartPosition EARLIEST =
        new StartPosition(false, ListOffsetsRequestEncoder.EARLIEST_TIMESTAMP, "earliest");
    private static final StartPosition LATEST =
        new StartPosition(false, ListOffsetsRequestEncoder.LATEST_TIMESTAMP, "latest");

    private final boolean isOffset;
    private final long value;
    private final String text;

    private StartPosition(final boolean isOffset, final long value, final String text)
    {
        this.isOffset = isOffset;
        this.value = value;
        this.text = text;
    }

    /**
     * The first record that the log holds.
     */
    public static StartPosition earliest()
    {
        return EARLIEST;
    }

    /**
     * What is written from now on.
     */
    public static StartPosition latest()
    {
        return LATEST;
    }

    /**
     * A given offset. Where the log does not hold it, the {@link OffsetResetPolicy} says what happens.
     *
     * @param offset 0 or more.
     * @return the position.
     */
    public static StartPosition offset(final long offset)
    {
        if (offset < 0)
        {
            throw new IllegalArgumentException("start offset " + offset + " is negative: an offset is 0 or more");
        }
        return new StartPosition(true, offset, "offset " + offset);
    }

    /**
     * The first record whose timestamp is not before a time; if there is none, what is written from now on.
     *
     * @param timestampMs milliseconds since 1970.
     * @return the position.
     */
    public static StartPosition timestamp(final long timestampMs)
    {
        if (timestampMs < 0)
        {
            throw new IllegalArgumentException(
                "start timestamp " + timestampMs + " is negative: it is in milliseconds since 1970");
        }
        return new StartPosition(false, timestampMs, "timestamp " + timestampMs);
    }

    boolean isOffset()
    {
        return isOffset;
    }

    long value()
    {
        return value;
    }

    @Override
    public String toString()
    {
        return text;
    }
}
