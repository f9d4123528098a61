// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.internal.FileRecords;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.odradek.client.TransportType;
import org.odradek.consumer.support.ProbeRun;
import org.odradek.consumer.support.ReadingLoop;
import org.odradek.consumer.support.SharedBroker;
import org.odradek.testkit.EmbeddedBroker;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Checks that the polling thread allocates 0 bytes for every form of a record: each codec, read_committed and
 * read_uncommitted over committed and aborted transactions, with headers and without. Each codec has a topic with all
 * of these forms, and a JVM reads it with each isolation level. The strict run uses C1 only, as in {@link
 * ZeroAllocationIT}.
 */
@Tag("zero-allocation")
@ExtendWith(SharedBroker.class)
class RecordFormsAllocationIT
{
    private static final String[] CODECS = {"none", "gzip", "snappy", "lz4", "zstd"};
    private static final int RECORDS = 20_000;
    private static final int RECORDS_PER_TRANSACTION = RECORDS / 10;
    private static final int ABORTED_RECORDS_PER_TRANSACTION = 50;
    private static final int ABORTED_RECORDS = RECORDS / RECORDS_PER_TRANSACTION * ABORTED_RECORDS_PER_TRANSACTION;
    private static final int HEADERS_PER_RECORD = 3;
    private static final int EMPTY_POLLS = 20_000;
    private static final int EMPTY_FETCHES = 200;
    private static final byte[] TEXT = "text".getBytes(StandardCharsets.UTF_8);

    private static final Set<String> FORMS_READ = new TreeSet<>();

    private static EmbeddedBroker broker;

    @BeforeAll
    static void start()
    {
        broker = SharedBroker.broker();
    }

    @AfterAll
    static void stop()
    {
        final Set<String> every = new TreeSet<>();
        for (final String codec : CODECS)
        {
            for (final IsolationLevel level : IsolationLevel.values())
            {
                every.add(codec + " " + level + " with headers");
                every.add(codec + " " + level + " without headers");
            }
        }
        assertEquals(every, FORMS_READ);
    }

    @ParameterizedTest
    @ValueSource(strings = {"none", "gzip", "snappy", "lz4", "zstd"})
    void shouldAllocateNothingForEveryFormOfRecord(final String codec) throws IOException
    {
        broker.createTopic(codec, 1);
        fill(codec);
        assertEquals(Set.of(codec), codecsStored(codec));

        final ProbeRun probe = new ProbeRun("C1, " + codec, broker, codec, TransportType.AUTO)
            .set("partitions", 1).set("recordsPerPartition", RECORDS).set("zeroRecords", ABORTED_RECORDS)
            .set("hasHeaders", true).set("isolationLevels", "READ_UNCOMMITTED,READ_COMMITTED")
            .set("readings", 1).set("emptyPolls", EMPTY_POLLS).set("emptyFetches", EMPTY_FETCHES).strict().run();

        for (final IsolationLevel level : IsolationLevel.values())
        {
            probe.at(level);
            final int zeroRecords = level == IsolationLevel.READ_COMMITTED ? 0 : ABORTED_RECORDS;
            final int withHeader = ReadingLoop.PASSES * RECORDS / 2;
            probe.assertAllocatedNothing(ReadingLoop.PASSES * (RECORDS + zeroRecords), EMPTY_POLLS, EMPTY_FETCHES);
            assertEquals(withHeader, probe.figure("recordsWithHeader"));
            assertEquals(HEADERS_PER_RECORD * withHeader, probe.figure("headers"));
            FORMS_READ.add(codec + " " + level + " with headers");
            assertTrue(probe.figure("records") > withHeader);
            FORMS_READ.add(codec + " " + level + " without headers");
        }
    }

    /**
     * Committed transactions whose values count from 0, with that number in a header of every odd one; after each an
     * aborted one whose values are all 0, so that they change no sum.
     */
    private static void fill(final String topic)
    {
        try (Producer<byte[], byte[]> producer = broker.client().producer(Map.of(
            "transactional.id", topic, "compression.type", topic, "linger.ms", 20, "batch.size", 50_000)))
        {
            producer.initTransactions();
            for (int from = 0; from < RECORDS; from += RECORDS_PER_TRANSACTION)
            {
                producer.beginTransaction();
                for (int number = from; number < from + RECORDS_PER_TRANSACTION; number++)
                {
                    producer.send(record(topic, number));
                }
                producer.commitTransaction();

                producer.beginTransaction();
                for (int i = 0; i < ABORTED_RECORDS_PER_TRANSACTION; i++)
                {
                    producer.send(record(topic, 0));
                }
                // Records that are not stored before an abort are never stored.
                producer.flush();
                producer.abortTransaction();
            }
        }
    }

    private static ProducerRecord<byte[], byte[]> record(final String topic, final int number)
    {
        final RecordHeaders headers = new RecordHeaders();
        if (number % 2 == 1)
        {
            headers.add("other", null);
            headers.add(ReadingLoop.HEADER,
                ByteBuffer.allocate(Long.BYTES).order(ByteOrder.nativeOrder()).putLong(0, number).array());
            headers.add("last", TEXT);
        }
        return new ProducerRecord<>(topic, 0, null, null, ProbeRun.value(number), headers);
    }

    /**
     * Returns the codecs of the batches in the broker's log.
     */
    private static Set<String> codecsStored(final String topic) throws IOException
    {
        final Set<String> codecs = new TreeSet<>();
        try (FileRecords log = FileRecords.open(
            broker.dataFolder().resolve("data/" + topic + "-0/00000000000000000000.log").toFile()))
        {
            for (final RecordBatch batch : log.batches())
            {
                if (!batch.isControlBatch())
                {
                    codecs.add(batch.compressionType().name);
                }
            }
        }
        return codecs;
    }
}
