// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.fetch;

import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.internals.StockFetch;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.message.FetchResponseData.PartitionData;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MutableRecordBatch;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.odradek.client.security.TlsProviderType;
import org.odradek.client.tls.TlsTunnel;
import org.odradek.consumer.handler.ConsumerCounters;
import org.odradek.consumer.handler.ControlledRecordHandler.Action;
import org.odradek.protocol.record.Record;
import org.odradek.protocol.record.RecordBatchFlyweight;

import java.io.IOException;
import java.util.List;
import java.util.Random;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Compares our reading of random responses, whose record sets kafka-clients' builders have written, with that of the
 * stock consumer, with and without the records of aborted transactions. Every record, every batch header and the next
 * offset must be the same. {@code -Dodradek.oracle.seed} sets the seed and {@code -Dodradek.oracle.batches} the number
 * of batches; a failure reports the seed of its response, and a run with that seed begins with that response.
 */
class FetchOracleTest
{
    private static final long SEED = Long.getLong("odradek.oracle.seed", 0x0DDADE);
    private static final long BATCHES = Long.getLong("odradek.oracle.batches", 20_000);
    private static final long MANY_BATCHES = 100_000;
    /** One of this many batches is read over TLS, too. */
    private static final int TLS_SHARE = 200;
    private static final long MAX_BYTES = 2L << 30;
    private static final int MAX_PARTITIONS = 3;
    private static final int MAX_SET_LENGTH = 4 << 20;
    private static final int MEMORY_LENGTH = MAX_PARTITIONS * (MAX_SET_LENGTH + 2 * RandomBatches.MAX_LENGTH);

    private final ReaderFixture fixture =
        new ReaderFixture(MAX_PARTITIONS, MEMORY_LENGTH, 1 << 10, 4 * RandomBatches.MAX_LENGTH);
    private final PartitionTable table = fixture.table;
    private final FetchReader reader = fixture.reader(false);
    private final FetchReader committedReader = fixture.reader(true);
    private final RecordBatchFlyweight batch = new RecordBatchFlyweight();
    private final StockFetch stock = new StockFetch();
    private final OracleTally tally = new OracleTally();
    private final RandomLog log = new RandomLog(tally, MAX_SET_LENGTH);
    private final ExpectedRecords expected = new ExpectedRecords();
    private final long[] expectedNextOffsets = new long[MAX_PARTITIONS];
    private TlsTunnel tunnel;
    private Random random;
    private AssertionError mismatch;
    private long wireBytes;
    private int refusals;

    @AfterEach
    void free()
    {
        stock.close();
        fixture.free();
    }

    /** The same responses, each sent through a connection with TLS. */
    @ParameterizedTest
    @EnumSource(names = {"BORINGSSL", "JDK"})
    void shouldReadOverTlsWhatTheStockConsumerReads(final TlsProviderType provider) throws IOException
    {
        try (TlsTunnel newTunnel = new TlsTunnel(provider))
        {
            tunnel = newTunnel;
            compareResponses(SEED, BATCHES / TLS_SHARE);
        }
        assertTrue(tally.batches() >= BATCHES / TLS_SHARE);
    }

    private void compareResponses(final long firstSeed, final long batches)
    {
        final Random seeds = new Random(firstSeed);
        for (long seed = firstSeed; tally.batches() < batches; seed = seeds.nextLong())
        {
            try
            {
                compareResponse(new Random(seed));
            }
            catch (final IOException | RuntimeException | AssertionError failure)
            {
                throw new AssertionError("-Dodradek.oracle.seed=" + seed + ": " + failure, failure);
            }
        }
    }

    // Behaviour G84, tried 2026-11-29: The timestamps of batches with a delete horizon are correct.
    // Behaviour H104, tried 2026-11-30: An unsorted list of aborted transactions is accepted.
    // Behaviour H105, tried 2026-11-30: The aborted records of a transaction that began before the fetch offset are
    // dropped, too.
    // Behaviour G81, G83, G91, G92, H100, H101.
    @Test
    void shouldReadWhatTheStockConsumerReads()
    {
        compareAllForms(SEED, BATCHES);
    }

    @Tag("slow")
    @Test
    void shouldReadWhatTheStockConsumerReadsFromANewSeed()
    {
        compareAllForms(System.nanoTime(), MANY_BATCHES);
    }

    private void compareAllForms(final long seed, final long batches)
    {
        final long startNs = System.nanoTime();
        compareResponses(seed, batches);
        System.out.printf("oracle: seed %d, %d ms, %d records refused once, output grown %d times%n%s%n", seed,
            (System.nanoTime() - startNs) / 1_000_000, refusals, fixture.counters.get(ConsumerCounters.BUFFERS_GROWN),
            tally);
        assertTrue(wireBytes < MAX_BYTES, wireBytes + " bytes");
        tally.assertCovered();
        assertTrue(refusals >= tally.batches() / 1_000, refusals + " records refused");
    }

    private void compareResponse(final Random newRandom) throws IOException
    {
        random = newRandom;
        expected.begin();
        fixture.begin();
        final boolean isReadCommitted = random.nextBoolean();
        final int partitions = 1 + random.nextInt(MAX_PARTITIONS);
        for (int partition = 0; partition < partitions; partition++)
        {
            addPartition(partition, isReadCommitted);
        }
        wireBytes += fixture.filled();
        if (tunnel != null)
        {
            tunnel.pass(fixture.memory.byteBuffer(), fixture.filled(), random);
        }

        deliver(isReadCommitted ? committedReader : reader);

        expected.assertEnd();
        assertEquals(List.of(), fixture.errors);
        for (int partition = 0; partition < partitions; partition++)
        {
            assertEquals(expectedNextOffsets[partition], table.nextOffset(partition));
        }
    }

    private void addPartition(final int partition, final boolean isReadCommitted)
    {
        final MemoryRecords records = log.next(random, MAX_SET_LENGTH);
        final long fetchOffset = fetchOffset(records.batchIterator().next());
        final int index = fixture.entry(partition, fetchOffset, log.aborted(), records);
        compareHeaders(records, index);
        expect(partition, isReadCommitted, records, fetchOffset);
    }

    /** A response begins with the batch that holds the offset, or with the next one if compaction has removed it. */
    private long fetchOffset(final RecordBatch first)
    {
        final long from = Math.max(0, first.baseOffset() - 3);
        return random.nextInt(4) != 0 ? Math.max(from, first.baseOffset()) :
            from + (long)(random.nextDouble() * (first.lastOffset() - from + 1));
    }

    private void expect(
        final int partition, final boolean isReadCommitted, final MemoryRecords records, final long fetchOffset)
    {
        final PartitionData data = new PartitionData().setPartitionIndex(partition).setRecords(records)
            .setAbortedTransactions(log.aborted());
        final TopicPartition topicPartition = new TopicPartition("topic", partition);
        final List<ConsumerRecord<byte[], byte[]>> read =
            stock.read(isReadCommitted, topicPartition, data, fetchOffset);
        expectedNextOffsets[partition] = stock.nextOffset();
        expected.addAll(read);
        tally.delivered(read);
        tally.add("below fetch offset", fetchOffset > records.batchIterator().next().baseOffset());
        if (isReadCommitted && !log.aborted().isEmpty())
        {
            tally.add("skipped as aborted",
                stock.read(false, topicPartition, data, fetchOffset).size() > read.size());
        }
    }

    private void compareHeaders(final MemoryRecords records, final int firstIndex)
    {
        int index = firstIndex;
        for (final MutableRecordBatch wanted : records.batches())
        {
            tally.header(wanted);
            final int status = batch.wrap(fixture.memory, index, fixture.filled());
            if (wanted.magic() == RecordBatch.MAGIC_VALUE_V2)
            {
                assertEquals(RecordBatchFlyweight.COMPLETE, status);
                compareHeader(wanted);
            }
            else
            {
                assertEquals(RecordBatchFlyweight.LEGACY, status);
                assertEquals(wanted.magic(), batch.magic());
            }
            index += wanted.sizeInBytes();
        }
        assertTrue(index == fixture.filled() ||
            batch.wrap(fixture.memory, index, fixture.filled()) == RecordBatchFlyweight.CUT_OFF);
    }

    private void compareHeader(final MutableRecordBatch wanted)
    {
        assertEquals(wanted.sizeInBytes(), batch.limit() - batch.index());
        assertEquals(wanted.baseOffset(), batch.baseOffset());
        assertEquals(wanted.lastOffset(), batch.lastOffset());
        assertEquals(wanted.partitionLeaderEpoch(), batch.partitionLeaderEpoch());
        assertEquals(wanted.compressionType().id, batch.compressionType());
        assertEquals(wanted.timestampType() == TimestampType.LOG_APPEND_TIME, batch.isLogAppendTime());
        assertEquals(wanted.isTransactional(), batch.isTransactional());
        assertEquals(wanted.isControlBatch(), batch.isControl());
        assertEquals(wanted.maxTimestamp(), batch.maxTimestamp());
        assertEquals(wanted.producerId(), batch.producerId());
        assertEquals(wanted.producerEpoch(), batch.producerEpoch());
        assertEquals(wanted.baseSequence(), batch.baseSequence());
        assertEquals(wanted.countOrNull(), batch.recordCount());
        assertEquals(wanted.checksum(), Integer.toUnsignedLong(batch.crc()));
        assertEquals(batch.crc(), batch.computeCrc());
    }

    private void deliver(final FetchReader oneReader)
    {
        mismatch = null;
        oneReader.deliverRecordsTo(this::onRecord);
        oneReader.open(fixture.fetcher);
        while (oneReader.isOpen() && mismatch == null)
        {
            oneReader.poll(1 + random.nextInt(random.nextBoolean() ? 5 : 5_000));
        }
        if (mismatch != null)
        {
            fixture.fetcher.endFrame();
            throw mismatch;
        }
    }

    /** Refuses some records, which must be delivered again. */
    private Action onRecord(final Record record)
    {
        if (random.nextInt(200) == 0)
        {
            refusals++;
            return Action.ABORT;
        }
        try
        {
            expected.assertNext(record);
            return Action.CONTINUE;
        }
        catch (final AssertionError ex)
        {
            mismatch = ex;
            return Action.BREAK;
        }
    }
}
