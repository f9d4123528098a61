// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.jmh;

import org.odradek.benchmarks.jmh.FetchBenchmark.FetchParameters;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.junit.jupiter.api.Assertions.assertEquals;

/**
 * All who are compared do the same work: the same records, and as much as was written.
 */
@Timeout(60)
class ReadersTest
{
    private static final int VALUE_LENGTH = 100;
    private static final int BATCHES = 3;
    private static final int FETCHES = 5;

    @ParameterizedTest
    @ValueSource(strings = {"none", "gzip", "snappy", "lz4", "zstd"})
    void shouldReadTheSameRecords(final String codec)
    {
        final FetchParameters parameters = parameters(codec);
        final long sum = parameters.batches().sum();
        final long records = parameters.batches().recordCount();
        final OdradekReader odradek = new OdradekReader();
        final KafkaClientsReader kafkaClients = new KafkaClientsReader();
        final KafkaClientsPollReader kafkaConsumer = new KafkaClientsPollReader();

        // Their set-up reads the first fetch.
        odradek.setUp(parameters);
        kafkaClients.setUp(parameters);
        kafkaConsumer.setUp(parameters);

        for (long fetch = 1; fetch < FETCHES; fetch++)
        {
            assertEquals((fetch + 1) * sum, kafkaClients.readFetch());
            // The log of whole consumers goes on: every offset is larger by the records of the fetches before it.
            final long sumSoFar = (fetch + 1) * sum + fetch * (fetch + 1) / 2 * records * records;
            assertEquals(sumSoFar, odradek.readFetch());
            assertEquals(sumSoFar, kafkaConsumer.readFetch());
        }
        odradek.tearDown();
        kafkaClients.tearDown();
        kafkaConsumer.tearDown();
    }

    @ParameterizedTest
    @ValueSource(strings = {"gzip", "snappy", "lz4", "zstd"})
    void shouldDecompressWhatIsThereUncompressed(final String codec)
    {
        final CodecReader reader = new CodecReader();
        reader.setUp(parameters(codec));

        final long length = reader.decompressFetch();

        final int headers = BATCHES * 61;
        assertEquals(parameters("none").batches().bytes().remaining() - headers, length);
        reader.tearDown();
    }

    private static FetchParameters parameters(final String codec)
    {
        final FetchParameters parameters = new FetchParameters();
        parameters.valueLength = VALUE_LENGTH;
        parameters.codec = codec;
        parameters.batchCount = BATCHES;
        parameters.isCheckingCrcs = true;
        parameters.setUp();
        return parameters;
    }
}
