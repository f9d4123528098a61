// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.catchup;

/**
 * One topic and how it is read.
 *
 * @param valueLength    of each record, in bytes.
 * @param partitions     of the topic, all alike and all read by one consumer.
 * @param codec          of its batches, as Kafka names it.
 * @param isCheckingCrcs by all who read it.
 */
record CatchupCase(int valueLength, int partitions, String codec, boolean isCheckingCrcs)
{
    static final String NO_CODEC = "none";

    static CatchupCase plain(final int valueLength)
    {
        return new CatchupCase(valueLength, 1, NO_CODEC, true);
    }

    /**
     * @return the length of a value, and what differs from one uncompressed partition whose CRCs are checked.
     */
    String name()
    {
        return valueLength + " B" +
            (isCompressed() ? ", " + codec : "") +
            (partitions == 1 ? "" : ", " + partitions + " partitions") +
            (isCheckingCrcs ? "" : ", CRC off");
    }

    boolean isCompressed()
    {
        return !NO_CODEC.equals(codec);
    }
}
