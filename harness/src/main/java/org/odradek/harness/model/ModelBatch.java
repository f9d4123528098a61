// SPDX-License-Identifier: Apache-2.0
package org.odradek.harness.model;

/** A batch of a {@link ModelLog}: its location, and what was patched into its template. */
final class ModelBatch
{
    /** A part of a log with the bytes of consecutive batches. A fetch response holds data of one segment only. */
    static final class Segment
    {
        final byte[] bytes;
        int length;

        Segment(final int capacity)
        {
            bytes = new byte[capacity];
        }
    }

    /** Not transactional. */
    static final int PLAIN = 0;
    static final int OPEN = 1;
    static final int COMMITTED = 2;
    static final int ABORTED = 3;
    /** A control batch. */
    static final int MARKER = 4;

    final BatchTemplate template;
    final Segment segment;
    final int index;
    final int length;
    final long baseOffset;
    final long lastOffset;
    final int leaderEpoch;
    final long timestampShift;
    final long producerId;
    int state;

    ModelBatch(
        final BatchTemplate template,
        final Segment segment,
        final int length,
        final long baseOffset,
        final int leaderEpoch,
        final long timestampShift,
        final long producerId)
    {
        this.template = template;
        this.segment = segment;
        this.index = segment.length;
        this.length = length;
        this.baseOffset = baseOffset;
        this.lastOffset = baseOffset + template.lastOffsetDelta;
        this.leaderEpoch = leaderEpoch;
        this.timestampShift = timestampShift;
        this.producerId = producerId;
    }

    long timestamp(final int ordinal)
    {
        return (template.isLogAppendTime ? template.maxTimestamp : template.timestamps[ordinal]) + timestampShift;
    }

    long maxTimestamp()
    {
        return template.maxTimestamp + timestampShift;
    }

    /** Returns which record has an offset, or -1 if none has. */
    int ordinal(final long offset)
    {
        final int[] deltas = template.offsetDeltas;
        final int delta = (int)(offset - baseOffset);
        if (delta < template.count && deltas[delta] == delta) // without holes
        {
            return delta;
        }
        for (int i = 0; i < template.count; i++)
        {
            if (deltas[i] == delta)
            {
                return i;
            }
        }
        return -1;
    }
}
