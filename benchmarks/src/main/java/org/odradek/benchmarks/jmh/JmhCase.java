// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.jmh;

import java.util.List;

/**
 * One input, and who reads it.
 *
 * @param valueLength    of each record, in bytes.
 * @param codec          as Kafka names it.
 * @param batchCount     of a fetch, of 16 KiB each before compression.
 * @param isCheckingCrcs by all who read it.
 */
record JmhCase(int valueLength, String codec, int batchCount, boolean isCheckingCrcs)
{
    static final String NO_CODEC = "none";
    static final int SMALL_FETCH = 1;
    static final int LARGE_FETCH = 64;

    private static final int BATCHES_PER_MIB = 64;

    String name()
    {
        final int kib = batchCount * RecordedBatches.BATCH_LENGTH / 1024;
        final String fetchLength = batchCount % BATCHES_PER_MIB == 0 ? kib / 1024 + " MiB" : kib + " KiB";
        return valueLength + " B, " + codec + ", " + fetchLength + (isCheckingCrcs ? "" : ", no CRC");
    }

    boolean isCompressed()
    {
        return !NO_CODEC.equals(codec);
    }

    List<JmhClient> clients()
    {
        return isCompressed() ?
            List.of(JmhClient.values()) :
            List.of(JmhClient.ODRADEK, JmhClient.KAFKA_CLIENTS_POLL, JmhClient.KAFKA_CLIENTS);
    }

    int recordCount()
    {
        return batchCount * RecordedBatches.recordsPerBatch(valueLength);
    }
}
