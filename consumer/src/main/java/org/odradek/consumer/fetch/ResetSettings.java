// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.fetch;

import org.odradek.protocol.control.ListOffsetsRequestEncoder;

/**
 * What is done with a partition whose log does not hold the offset wanted.
 *
 * @param kind       of what is done.
 * @param durationMs how far to go back in time, for {@link Kind#BY_DURATION}.
 */
public record ResetSettings(Kind kind, long durationMs)
{
    /**
     * Where to go on.
     */
    public enum Kind
    {
        /** Nowhere: the partition stops. */
        FAIL,
        /** With the first record of the log. */
        EARLIEST,
        /** Behind its last. */
        LATEST,
        /** At that end of the log beyond which the offset wanted is. */
        NEAREST,
        /** With the first record that is not older than a duration. */
        BY_DURATION
    }

    public boolean isFailing()
    {
        return kind == Kind.FAIL;
    }

    /**
     * What to ask the leader first, as ListOffsets takes it.
     */
    public long timestamp()
    {
        switch (kind)
        {
            case LATEST:
                return ListOffsetsRequestEncoder.LATEST_TIMESTAMP;
            case BY_DURATION:
                return Math.max(0, System.currentTimeMillis() - durationMs);
            default:
                return ListOffsetsRequestEncoder.EARLIEST_TIMESTAMP;
        }
    }
}
