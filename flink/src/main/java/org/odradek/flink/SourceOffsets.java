// SPDX-License-Identifier: Apache-2.0
package org.odradek.flink;

import java.io.Serializable;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;

/**
 * The offsets at which the partitions of a source begin, or at which those of a bounded source end. The enumerator
 * looks them up once, when it finds a partition.
 */
public final class SourceOffsets implements Serializable
{
    /** What determines the offset of a partition. */
    enum Kind
    {
        EARLIEST, LATEST, TIMESTAMP, COMMITTED, GIVEN
    }

    private static final long serialVersionUID = 1;
    private static final long NULL_OFFSET = -1;

    private final Kind kind;
    private final long timestampMs;
    private final HashMap<Integer, Long> offsets;
    private final SourceOffsets otherwise;

    private SourceOffsets(
        final Kind kind, final long timestampMs, final HashMap<Integer, Long> offsets, final SourceOffsets otherwise)
    {
        this.kind = kind;
        this.timestampMs = timestampMs;
        this.offsets = offsets;
        this.otherwise = otherwise;
    }

    /** The first record of the log. */
    public static SourceOffsets earliest()
    {
        return new SourceOffsets(Kind.EARLIEST, NULL_OFFSET, null, null);
    }

    /** The end that the log has when the enumerator finds the partition. */
    public static SourceOffsets latest()
    {
        return new SourceOffsets(Kind.LATEST, NULL_OFFSET, null, null);
    }

    /**
     * The first record that is not older than a timestamp, or the end of the log if there is none.
     *
     * @param timestampMs milliseconds since 1970.
     */
    public static SourceOffsets timestamp(final long timestampMs)
    {
        if (timestampMs < 0)
        {
            throw new IllegalArgumentException(
                "timestamp " + timestampMs + " is negative: it is in milliseconds since 1970");
        }
        return new SourceOffsets(Kind.TIMESTAMP, timestampMs, null, null);
    }

    /**
     * The offset that is committed under the group id of the source, for example by a KafkaSource that was stopped.
     *
     * @param otherwise where a partition without a committed offset begins.
     */
    public static SourceOffsets committed(final SourceOffsets otherwise)
    {
        return new SourceOffsets(
            Kind.COMMITTED, NULL_OFFSET, null, Objects.requireNonNull(otherwise, "otherwise"));
    }

    /**
     * Given offsets.
     *
     * @param offsets   by partition id, each 0 or more.
     * @param otherwise where a partition without one begins.
     */
    public static SourceOffsets of(final Map<Integer, Long> offsets, final SourceOffsets otherwise)
    {
        offsets.forEach((partition, offset) ->
        {
            if (partition < 0 || offset < 0)
            {
                throw new IllegalArgumentException("offset " + offset + " of partition " + partition +
                    ": an offset and a partition are 0 or more");
            }
        });
        return new SourceOffsets(
            Kind.GIVEN, NULL_OFFSET, new HashMap<>(offsets), Objects.requireNonNull(otherwise, "otherwise"));
    }

    Kind kind()
    {
        return kind;
    }

    long timestampMs()
    {
        return timestampMs;
    }

    /** The given offset of a partition, or -1. */
    long given(final int partition)
    {
        return offsets.getOrDefault(partition, NULL_OFFSET);
    }

    /** The offsets of the partitions for which this has none; null if it has one for each. */
    SourceOffsets otherwise()
    {
        return otherwise;
    }

    /** Returns whether offsets of a group may be needed. */
    boolean isCommittedNeeded()
    {
        return kind == Kind.COMMITTED || otherwise != null && otherwise.isCommittedNeeded();
    }

    @Override
    public String toString()
    {
        return kind.name().toLowerCase(Locale.ROOT) + (kind == Kind.TIMESTAMP ? " " + timestampMs : "") +
            (offsets == null ? "" : " " + offsets) + (otherwise == null ? "" : ", else " + otherwise);
    }
}
