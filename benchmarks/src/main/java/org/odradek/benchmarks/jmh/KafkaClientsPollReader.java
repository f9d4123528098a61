// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.jmh;

import org.odradek.benchmarks.jmh.FetchBenchmark.FetchParameters;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

import java.time.Duration;
import java.util.List;

/**
 * The whole stock consumer as its users have it, on recorded answers instead of sockets: its network client, fetcher,
 * deserializers and a {@code ConsumerRecord} for each record. Classic, assigned by hand, values as byte arrays.
 */
@State(Scope.Benchmark)
public class KafkaClientsPollReader
{
    private static final Duration POLL_TIMEOUT = Duration.ofSeconds(1);

    private long sum;
    private int recordCount;
    private KafkaConsumer<byte[], byte[]> consumer;

    @Setup
    public void setUp(final FetchParameters parameters)
    {
        final TopicPartition partition = new TopicPartition(RecordedAnswers.TOPIC, 0);
        recordCount = parameters.batches().recordCount();
        consumer = RecordedKafkaConsumer.open(new RecordedAnswers(parameters.batches()), parameters.isCheckingCrcs);
        consumer.assign(List.of(partition));
        consumer.seek(partition, 0);
        parameters.check(readFetch());
    }

    @TearDown
    public void tearDown()
    {
        consumer.close();
    }

    private void onRecord(final ConsumerRecord<byte[], byte[]> record)
    {
        final byte[] value = record.value();
        sum += RecordedBatches.touch(
            record.offset(), record.timestamp(), record.serializedKeySize(), value[0], value[value.length - 1]);
    }

    /**
     * @return the sum over the records of all fetches so far.
     */
    long readFetch()
    {
        int left = recordCount;
        while (left > 0)
        {
            for (final ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL_TIMEOUT))
            {
                onRecord(record);
                left--;
            }
        }
        if (left < 0)
        {
            throw new IllegalStateException(-left + " records more than a fetch holds.");
        }
        return sum;
    }
}
