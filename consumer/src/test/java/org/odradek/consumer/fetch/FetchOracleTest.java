/*
 * Licensed under the Apache License, Version 2.0; see the file LICENSE.
 */
package org.odradek.consumer.fetch;

import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.internals.StockFetch;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.message.FetchResponseData.AbortedTransaction;
import org.apache.kafka.common.message.FetchResponseData.PartitionData;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MutableRecordBatch;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.odradek.consumer.handler.ConsumerListener;
import org.odradek.consumer.handler.ControlledRecordHandler.Action;
import org.odradek.consumer.net.ConnectionSettings;
import org.odradek.consumer.net.ConsumerEnvironment;
import org.odradek.consumer.net.DutyClock;
import org.odradek.consumer.net.MemoryBudget;
import org.odradek.consumer.net.Poller;
import org.odradek.consumer.net.TransportType;
import org.odradek.consumer.status.ConsumerCounters;
import org.odradek.protocol.ApiKey;
import org.odradek.protocol.record.BatchChecksum;
import org.odradek.protocol.record.RecordBatchFlyweight;
import org.odradek.protocol.record.RecordFlyweight;
import org.odradek.protocol.record.RecordMemory;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import static java.nio.ByteOrder.BIG_ENDIAN;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Random responses, of record sets that kafka-clients' builders have written, are read by the code that the stock
 * consumer reads responses with and by ours, with and without the records of aborted transactions. Every record, every
 * batch header and the offset to go on from must be the same. {@code -Dodradek.oracle.seed} sets the seed and
 * {@code -Dodradek.oracle.batches} how many batches are compared; a response that fails tells its own seed, which as
 * the seed of a run makes it the first.
 */
class FetchOracleTest
{
    private static final long SEED = Long.getLong("odradek.oracle.seed", 0x0DDADE);
    private static final long BATCHES = Long.getLong("odradek.oracle.batches", 100_000);
    private static final long MAX_BYTES = 2L << 30;
    private static final int MAX_PARTITIONS = 3;
    private static final int MAX_SET_LENGTH = 4 << 20;
    private static final int ENTRY_LENGTH = 2 * Long.BYTES + 1;
    private static final int MEMORY_LENGTH = MAX_PARTITIONS * (MAX_SET_LENGTH + 2 * RandomBatches.MAX_LENGTH);

    private final ConsumerCounters counters = new ConsumerCounters();
    private final Poller poller = Poller.open(TransportType.NIO);
    private final List<String> errors = new ArrayList<>();
    private final PartitionTable table = new PartitionTable();
    private final ConsumerEnvironment environment = new ConsumerEnvironment(poller, new DutyClock(System::nanoTime),
        new MemoryBudget(0, counters), counters, ConsumerListener.NONE, (error) -> errors.add(error.toString()));
    private final PartitionErrors partitionErrors = new PartitionErrors(
        "topic", 1, new ResetSettings(ResetSettings.Kind.FAIL, 0), table, environment);
    private final BrokerFetcher fetcher = new BrokerFetcher(1, 100,
        new ConnectionSettings("id", 1, 1, 1, 1, 0, 100), new FetchSettings(1, 1, 1, 1, false, "", 1, 1,
            FetchSessionMode.OFF),
        new FetchTopic("topic"), partitionErrors, table);
    private final DecompressedBatch decompressed =
        new DecompressedBatch(environment, 1 << 10, 4 * RandomBatches.MAX_LENGTH);
    private final FetchReader reader = new FetchReader(true, false, false, decompressed, partitionErrors, table);
    private final FetchReader committedReader =
        new FetchReader(true, true, false, decompressed, partitionErrors, table);
    private final RecordMemory memory = new RecordMemory(MEMORY_LENGTH);
    private final RecordBatchFlyweight batch = new RecordBatchFlyweight();
    private final BatchChecksum checksum = new BatchChecksum();
    private final StockFetch stock = new StockFetch();
    private final OracleTally tally = new OracleTally();
    private final RandomLog log = new RandomLog(tally, MAX_SET_LENGTH);
    private final ExpectedRecords expected = new ExpectedRecords();
    private final long[] expectedNextOffsets = new long[MAX_PARTITIONS];
    private Random random;
    private AssertionError mismatch;
    private long wireBytes;
    private int refusals;
    private int filled;

    FetchOracleTest()
    {
        table.ensureCapacity(MAX_PARTITIONS);
        fetcher.clearPartitions(MAX_PARTITIONS);
    }

    @AfterEach
    void free()
    {
        stock.close();
        fetcher.free();
        decompressed.free();
        memory.free();
        poller.close();
    }

    @Test
    void shouldReadWhatTheStockConsumerReads()
    {
        final long startNs = System.nanoTime();
        final Random seeds = new Random(SEED);
        for (long seed = SEED; tally.batches() < BATCHES; seed = seeds.nextLong())
        {
            try
            {
                compareResponse(new Random(seed));
            }
            catch (final RuntimeException | AssertionError failure)
            {
                throw new AssertionError("-Dodradek.oracle.seed=" + seed + ": " + failure, failure);
            }
        }
        System.out.printf("oracle: seed %d, %d ms, %d records refused once, output grown %d times%n%s%n", SEED,
            (System.nanoTime() - startNs) / 1_000_000, refusals, counters.get(ConsumerCounters.BUFFERS_GROWN), tally);
        assertTrue(wireBytes < MAX_BYTES, wireBytes + " bytes");
        tally.assertCovered();
        assertTrue(refusals >= tally.batches() / 1_000, refusals + " records refused");
    }

    private void compareResponse(final Random newRandom)
    {
        random = newRandom;
        filled = 0;
        expected.begin();
        fetcher.frame().begin(memory, ApiKey.FETCH.maxVersion());
        final boolean isReadCommitted = random.nextBoolean();
        final int partitions = 1 + random.nextInt(MAX_PARTITIONS);
        for (int partition = 0; partition < partitions; partition++)
        {
            addPartition(partition, isReadCommitted);
        }
        wireBytes += filled;

        deliver(isReadCommitted ? committedReader : reader);

        expected.assertEnd();
        assertEquals(List.of(), errors);
        for (int partition = 0; partition < partitions; partition++)
        {
            assertEquals(expectedNextOffsets[partition], table.nextOffset(partition));
        }
    }

    private void addPartition(final int partition, final boolean isReadCommitted)
    {
        final MemoryRecords records = log.next(random, MAX_SET_LENGTH);
        final int abortedIndex = filled;
        for (final AbortedTransaction transaction : log.aborted())
        {
            memory.buffer().putLong(filled, transaction.producerId(), BIG_ENDIAN);
            memory.buffer().putLong(filled + Long.BYTES, transaction.firstOffset(), BIG_ENDIAN);
            memory.buffer().putByte(filled + 2 * Long.BYTES, (byte)0);
            filled += ENTRY_LENGTH;
        }
        final int index = filled;
        memory.buffer().putBytes(index, records.buffer().duplicate(), records.sizeInBytes());
        filled += records.sizeInBytes();

        final long fetchOffset = fetchOffset(records.batchIterator().next());
        table.assignAtOffset(partition, fetchOffset);
        fetcher.frame().add(partition, table.generation(partition), index, filled - index);
        fetcher.frame().aborted(abortedIndex, log.aborted().size());
        compareHeaders(records, index);
        expect(partition, isReadCommitted, records, fetchOffset);
    }

    /** A broker's answer begins with the batch that holds the offset, or with the next one if compaction took it. */
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
            final int status = batch.wrap(memory, index, filled);
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
        assertTrue(index == filled || batch.wrap(memory, index, filled) == RecordBatchFlyweight.CUT_OFF);
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
        assertEquals(batch.crc(), checksum.compute(batch));
    }

    private void deliver(final FetchReader oneReader)
    {
        mismatch = null;
        oneReader.deliverRecordsTo(this::onRecord);
        oneReader.open(fetcher);
        while (oneReader.isOpen() && mismatch == null)
        {
            oneReader.poll(1 + random.nextInt(random.nextBoolean() ? 5 : 5_000));
        }
        if (mismatch != null)
        {
            fetcher.endFrame();
            throw mismatch;
        }
    }

    /** Now and then a record is refused, to be given again. */
    private Action onRecord(final RecordFlyweight record)
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
