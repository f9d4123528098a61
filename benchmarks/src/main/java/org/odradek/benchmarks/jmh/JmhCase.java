// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.jmh;

import org.odradek.benchmarks.jmh.FetchBenchmark.Client;

import java.util.ArrayList;
import java.util.Arrays;
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
    private static final List<Integer> VALUE_LENGTHS = List.of(23, 100, 1_000);

    static List<JmhCase> full()
    {
        final List<JmhCase> cases = new ArrayList<>();
        for (final int valueLength : VALUE_LENGTHS)
        {
            cases.add(new JmhCase(valueLength, NO_CODEC, SMALL_FETCH, true));
            cases.add(new JmhCase(valueLength, NO_CODEC, LARGE_FETCH, true));
        }
        cases.add(new JmhCase(VALUE_LENGTHS.get(0), NO_CODEC, LARGE_FETCH, false));
        for (final String codec : List.of("gzip", "snappy", "lz4", "zstd"))
        {
            VALUE_LENGTHS.forEach((valueLength) -> cases.add(new JmhCase(valueLength, codec, LARGE_FETCH, true)));
        }
        return cases;
    }

    static List<JmhCase> quick()
    {
        return List.of(
            new JmhCase(23, NO_CODEC, LARGE_FETCH, true), new JmhCase(100, NO_CODEC, LARGE_FETCH, true),
            new JmhCase(1_000, NO_CODEC, LARGE_FETCH, true), new JmhCase(100, "lz4", LARGE_FETCH, true),
            new JmhCase(100, "zstd", LARGE_FETCH, true));
    }

    String name()
    {
        final int kib = batchCount * RecordedBatches.BATCH_LENGTH / 1024;
        final String fetchLength = kib % 1024 == 0 ? kib / 1024 + " MiB" : kib + " KiB";
        return valueLength + " B, " + codec + ", " + fetchLength + (isCheckingCrcs ? "" : ", no CRC");
    }

    /** Where nothing is compressed a codec alone has nothing to do. */
    List<Client> clients(final boolean hasEarlier)
    {
        return Arrays.stream(Client.values())
            .filter((client) -> client != Client.CODEC || !NO_CODEC.equals(codec))
            .filter((client) -> client != Client.ODRADEK_BEFORE || hasEarlier).toList();
    }

    int recordCount()
    {
        return batchCount * RecordedBatches.recordsPerBatch(valueLength);
    }
}
