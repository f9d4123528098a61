// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.jmh;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.odradek.benchmarks.jmh.FetchBenchmark.Client;
import org.odradek.benchmarks.jmh.FetchBenchmark.Reader;

import static org.junit.jupiter.api.Assertions.assertEquals;

/**
 * All who are compared do the same work: the same records, and as much as was written.
 */
class ReadersTest
{
    private static final int VALUE_LENGTH = 100;
    private static final int BATCHES = 3;
    private static final int FETCHES = 5;

    @ParameterizedTest
    @ValueSource(strings = {"none", "gzip", "snappy", "lz4", "zstd"})
    void shouldReadTheSameRecords(final String codec)
    {
        final RecordedBatches batches = RecordedBatches.of(VALUE_LENGTH, codec, BATCHES);
        final long sum = batches.sum();
        final long records = batches.recordCount();
        // Opening reads the first fetch.
        final Reader odradek = Client.ODRADEK.open(batches, true);
        final Reader kafkaClients = Client.KAFKA_CLIENTS.open(batches, true);
        final Reader kafkaConsumer = Client.KAFKA_CLIENTS_POLL.open(batches, true);

        for (long fetch = 1; fetch < FETCHES; fetch++)
        {
            assertEquals((fetch + 1) * sum, kafkaClients.readFetch());
            // The log of whole consumers goes on: every offset is larger by the records of the fetches before it.
            final long sumSoFar = (fetch + 1) * sum + fetch * (fetch + 1) / 2 * records * records;
            assertEquals(sumSoFar, odradek.readFetch());
            assertEquals(sumSoFar, kafkaConsumer.readFetch());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"gzip", "snappy", "lz4", "zstd"})
    void shouldDecompressWhatIsThereUncompressed(final String codec)
    {
        final Reader reader = Client.CODEC.open(RecordedBatches.of(VALUE_LENGTH, codec, BATCHES), true);

        final long length = reader.readFetch();

        final int headers = BATCHES * 61;
        assertEquals(
            RecordedBatches.of(VALUE_LENGTH, "none", BATCHES).bytes().remaining() - headers, length);
    }
}
