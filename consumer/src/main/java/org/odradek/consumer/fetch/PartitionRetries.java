// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.fetch;

import java.util.Arrays;

/**
 * Which partitions are asked for again only after a while, and what the last error of each was, in arrays indexed by
 * partition id.
 */
final class PartitionRetries
{
    private short[] errorCodes = {};
    /** Time of the duty cycle; 0 for none. */
    private long[] retryAtNs = {};

    void ensureCapacity(final int to)
    {
        errorCodes = Arrays.copyOf(errorCodes, to);
        retryAtNs = Arrays.copyOf(retryAtNs, to);
    }

    void clear(final int partition)
    {
        errorCodes[partition] = 0;
        retryAtNs[partition] = 0;
    }

    /**
     * The error stays the last one, but nothing is waited for.
     */
    void end(final int partition)
    {
        retryAtNs[partition] = 0;
    }

    void failed(final int partition, final short errorCode)
    {
        errorCodes[partition] = errorCode;
    }

    /**
     * @return true if the error is another than the last one.
     */
    boolean backOff(final int partition, final short errorCode, final long untilNs)
    {
        final boolean isNew = errorCodes[partition] != errorCode;
        errorCodes[partition] = errorCode;
        retryAtNs[partition] = untilNs == 0 ? 1 : untilNs;
        return isNew;
    }

    boolean isBackingOff(final int partition, final long nowNs)
    {
        return retryAtNs[partition] != 0 && retryAtNs[partition] - nowNs > 0;
    }

    short errorCode(final int partition)
    {
        return errorCodes[partition];
    }
}
