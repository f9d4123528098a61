// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.fetch;

import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.record.internal.CompressionType;
import org.apache.kafka.common.record.internal.ControlRecordType;
import org.apache.kafka.common.record.internal.EndTransactionMarker;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MemoryRecordsBuilder;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.odradek.consumer.handler.BatchHandler;
import org.odradek.consumer.handler.ConsumerCounters;
import org.odradek.consumer.handler.ControlledRecordHandler.Action;
import org.odradek.consumer.handler.HandlerErrorPolicy;
import org.odradek.protocol.record.RecordBatchFlyweight;
import org.odradek.protocol.record.StoredBatch;
import org.odradek.protocol.record.ViewLifetime;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.zip.CRC32C;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Tests the delivery of whole batches, with record sets that kafka-clients has written, without a connection. A batch
 * is written as "base offset-last offset from first offset wanted".
 */
class BatchDeliveryTest
{
    private static final int P = 1;

    private final ReaderFixture fixture = new ReaderFixture(P + 1, 1 << 16);
    private final ConsumerCounters counters = new ConsumerCounters(fixture.counters);
    private final List<Throwable> errors = fixture.errors;
    private final PartitionTable table = fixture.table;
    private FetchReader reader = fixture.reader(false);
    private final List<String> delivered = new ArrayList<>();

    @AfterEach
    void free()
    {
        fixture.free();
    }

    /** Opens a response with one partition, whose next offset is given. */
    private void open(final long nextOffset, final MemoryRecords... batches)
    {
        fixture.begin();
        fixture.append(batches);
        fixture.entry(P, nextOffset, 0, fixture.filled());
        reader.open(fixture.fetcher);
    }

    private static MemoryRecords batch(final byte magic, final CompressionType codec, final long... offsets)
    {
        final boolean isIdempotent = magic == RecordBatch.MAGIC_VALUE_V2;
        try (MemoryRecordsBuilder builder = new MemoryRecordsBuilder(ByteBuffer.allocate(4096), magic,
            Compression.of(codec).build(),
            magic == 0 ? TimestampType.NO_TIMESTAMP_TYPE : TimestampType.LOG_APPEND_TIME, offsets[0], 5_000,
            isIdempotent ? 77 : -1, (short) (isIdempotent ? 3 : -1), isIdempotent ? 21 : -1, isIdempotent, false,
            isIdempotent ? 9 : -1, 4096))
        {
            for (final long offset : offsets)
            {
                builder.appendWithOffset(offset, magic == 0 ? -1 : 1_000 + offset, null, new byte[50]);
            }
            return builder.build();
        }
    }

    private static MemoryRecords batch(final long... offsets)
    {
        return batch(RecordBatch.MAGIC_VALUE_V2, CompressionType.NONE, offsets);
    }

    private Action note(final StoredBatch batch)
    {
        delivered.add(batch.baseOffset() + "-" + batch.lastOffset() + " from " + batch.fromOffset());
        return Action.CONTINUE;
    }

    private int pollBatches(final int batchLimit)
    {
        return pollBatches(this::note, batchLimit);
    }

    private int pollBatches(final BatchHandler handler, final int batchLimit)
    {
        reader.deliverBatchesTo(handler);
        return reader.poll(batchLimit);
    }

    private int pollRecords(final int recordLimit)
    {
        reader.deliverRecordsTo((record) ->
        {
            delivered.add("record " + record.offset());
            return Action.CONTINUE;
        });
        return reader.poll(recordLimit);
    }

    @ParameterizedTest
    @CsvSource({"2, NONE", "2, GZIP", "2, SNAPPY", "2, LZ4", "2, ZSTD", "1, NONE", "1, GZIP", "0, NONE", "0, SNAPPY"})
    void shouldDeliverTheHeaderFieldsAndTheBytesOfABatch(final byte magic, final CompressionType codec)
    {
        final MemoryRecords records = batch(magic, codec, 40, 41, 42);
        open(40, records);
        final List<byte[]> bytes = new ArrayList<>();
        final Set<ByteBuffer> views = Collections.newSetFromMap(new IdentityHashMap<>());
        for (final RecordBatch expected : records.batches())
        {
            assertEquals(1, pollBatches((batch) ->
            {
                assertEquals(P, batch.partition());
                assertEquals(expected.baseOffset(), batch.baseOffset());
                assertEquals(expected.lastOffset(), batch.lastOffset());
                assertEquals(expected.lastOffset() - expected.baseOffset() + 1, batch.recordCount());
                assertEquals(magic, batch.magic());
                assertEquals(expected.compressionType().id, batch.compressionType());
                assertEquals(expected.timestampType() == TimestampType.LOG_APPEND_TIME, batch.isLogAppendTime());
                assertEquals(expected.maxTimestamp(), batch.maxTimestamp());
                assertEquals(expected.isTransactional(), batch.isTransactional());
                assertEquals(expected.producerId(), batch.producerId());
                assertEquals(expected.producerEpoch(), batch.producerEpoch());
                assertEquals(expected.baseSequence(), batch.baseSequence());
                assertEquals(expected.partitionLeaderEpoch(), batch.leaderEpoch());
                assertEquals(expected.sizeInBytes(), batch.length());
                final byte[] copy = new byte[batch.length()];
                batch.buffer().getBytes(batch.index(), copy);
                assertEquals(ByteBuffer.wrap(copy), batch.byteBuffer());
                views.add(batch.byteBuffer());
                bytes.add(copy);
                return null;
            }, 1));
            assertEquals(expected.lastOffset() + 1, table.nextOffset(P));
        }
        assertEquals(0, pollBatches(1));
        final ByteBuffer all = ByteBuffer.allocate(records.sizeInBytes());
        bytes.forEach(all::put);
        assertEquals(records.buffer(), all.flip());
        // All batches share one view. With checked lifetimes each batch is lent as a copy of its own.
        assertEquals(ViewLifetime.IS_CHECKED ? bytes.size() : 1, views.size());
        assertEquals(3, counters.records());
        assertEquals(fixture.filled(), counters.get(ConsumerCounters.RECORD_BYTES));
        assertEquals(List.of(), errors);
    }

    @Test
    void shouldDeliverAWholeBatchIfTheRequestedOffsetIsWithinIt()
    {
        open(7, batch(1, 2, 3), batch(5, 6, 7, 8), batch(12, 13));
        assertEquals(2, pollBatches(10));
        assertEquals(List.of("5-8 from 7", "12-13 from 12"), delivered);
        assertEquals(14, table.nextOffset(P));
        assertEquals(3, counters.get(ConsumerCounters.OFFSET_HOLES));
        assertFalse(reader.isOpen());
    }

    @Test
    void shouldCountBatchesAgainstTheLimit()
    {
        open(1, batch(1, 2, 3), batch(4, 5), batch(6));
        assertEquals(2, pollBatches(2));
        assertTrue(reader.isOpen());
        assertEquals(1, pollBatches(2));
        assertEquals(List.of("1-3 from 1", "4-5 from 4", "6-6 from 6"), delivered);
        assertEquals(6, counters.records());
    }

    @Test
    void shouldDeliverARefusedBatchAgain()
    {
        open(2, batch(1, 2, 3), batch(4, 5));
        for (int i = 0; i < 3; i++)
        {
            assertEquals(0, pollBatches((batch) -> Action.ABORT, 10));
            assertEquals(2, table.nextOffset(P));
            assertEquals(PartitionTable.NULL_EPOCH, table.offsetEpoch(P));
        }
        assertEquals(0, counters.records());
        assertEquals(1, pollBatches((batch) ->
        {
            note(batch);
            return Action.BREAK;
        }, 10));
        assertEquals(9, table.offsetEpoch(P));
        assertEquals(1, pollBatches(10));
        assertEquals(List.of("1-3 from 2", "4-5 from 4"), delivered);
        assertEquals(fixture.filled(), counters.get(ConsumerCounters.RECORD_BYTES));
        assertEquals(0, counters.get(ConsumerCounters.BYTES_DISCARDED));
    }

    // Behaviour P208.
    @Test
    void shouldCountTheRecordsOfBatchesAtTheEndOfThePoll()
    {
        open(1, batch(1, 2, 3), batch(4, 5));
        final List<Long> seen = new ArrayList<>();
        assertEquals(2, pollBatches((batch) ->
        {
            seen.add(counters.records());
            return Action.CONTINUE;
        }, 10));
        assertEquals(List.of(0L, 0L), seen);
        assertEquals(5, counters.records());
    }

    @Test
    void shouldCountABatchWhoseHandlerFailsAsDeliveredIfThatIsThePolicy()
    {
        reader = fixture.reader(HandlerErrorPolicy.SKIP);
        open(1, batch(1, 2, 3), batch(4, 5));
        final RuntimeException planted = new IllegalArgumentException("planted");
        assertEquals(1, pollBatches((batch) ->
        {
            throw planted;
        }, 10));
        assertEquals(4, table.nextOffset(P));
        assertEquals(1, errors.size());
        assertSame(planted, errors.get(0).getCause());
        final String message = errors.get(0).getMessage();
        assertTrue(message.contains("the batch at offsets 1 to 3 of partition 1"), message);
        assertEquals(1, counters.get(ConsumerCounters.HANDLER_ERRORS));

        final Error error = new StackOverflowError("planted");
        assertEquals(0, pollBatches((batch) ->
        {
            throw error;
        }, 10));
        assertSame(error, reader.takeThrown());
        assertNull(reader.takeThrown());
        assertEquals(4, table.nextOffset(P));
        assertEquals(PartitionTable.STOPPED, table.state(P));
        assertEquals(3, counters.records());
        assertEquals(0, pollBatches(10));
    }

    @Test
    void shouldContinueAtTheOffsetThatAHandlerSeeks()
    {
        open(1, batch(1, 2, 3), batch(4, 5));
        assertEquals(1, pollBatches((batch) ->
        {
            table.seek(P, 100);
            return Action.CONTINUE;
        }, 10));
        assertEquals(100, table.nextOffset(P));
        assertEquals(100, table.partition(P).requestOffset);
        assertFalse(reader.isOpen());
        assertEquals(fixture.filled(), counters.get(ConsumerCounters.RECORD_BYTES) +
            counters.get(ConsumerCounters.BYTES_DISCARDED));

        open(1, batch(1, 2, 3));
        assertEquals(0, pollBatches((batch) ->
        {
            table.seek(P, 50);
            return Action.ABORT;
        }, 10));
        assertEquals(50, table.nextOffset(P));
    }

    @Test
    void shouldRequestABatchAgainThatIsRefusedWhileItsPartitionIsPaused()
    {
        open(2, batch(1, 2, 3), batch(4, 5));
        assertEquals(0, pollBatches((batch) ->
        {
            table.pause(P);
            return Action.ABORT;
        }, 10));
        assertEquals(2, table.nextOffset(P));
        assertEquals(2, table.partition(P).requestOffset);
        assertEquals(0, pollBatches(10));
        assertEquals(fixture.filled(), counters.get(ConsumerCounters.BYTES_DISCARDED));
    }

    @ParameterizedTest
    @CsvSource({"2, NONE", "2, ZSTD", "1, GZIP"})
    void shouldDeliverAWholeBatchOfWhichRecordsWereDelivered(final byte magic, final CompressionType codec)
    {
        open(1, batch(magic, codec, 1, 2, 3), batch(4, 5), batch(6));
        assertEquals(2, pollRecords(2));
        assertEquals(0, pollBatches((batch) -> Action.ABORT, 1));
        assertEquals(1, pollBatches(1));
        assertEquals(2, pollRecords(2));
        // All records of the second batch were delivered, so it is not delivered again.
        assertEquals(1, pollBatches(10));
        assertEquals(
            List.of("record 1", "record 2", "1-3 from 3", "record 4", "record 5", "6-6 from 6"), delivered);
        assertEquals(7, table.nextOffset(P));
        assertEquals(fixture.filled(), counters.get(ConsumerCounters.RECORD_BYTES));
    }

    @ParameterizedTest
    @CsvSource({"2, NONE", "2, ZSTD", "1, GZIP"})
    void shouldDeliverTheRecordsOfARefusedBatch(final byte magic, final CompressionType codec)
    {
        open(2, batch(magic, codec, 1, 2, 3));
        assertEquals(0, pollBatches((batch) -> Action.ABORT, 1));
        assertEquals(1, pollRecords(1));
        assertEquals(0, pollBatches((batch) -> Action.ABORT, 1));
        assertEquals(1, pollRecords(10));
        assertEquals(List.of("record 2", "record 3"), delivered);
    }

    @Test
    void shouldDeliverNeitherMarkersNorEmptyBatches()
    {
        final ByteBuffer bytes = batch(3, 4).buffer().duplicate().limit(RecordBatchFlyweight.HEADER_LENGTH).slice();
        bytes.putInt(RecordBatchFlyweight.BATCH_LENGTH_FIELD_OFFSET,
            RecordBatchFlyweight.HEADER_LENGTH - RecordBatchFlyweight.LENGTH_OVERHEAD);
        bytes.putInt(RecordBatchFlyweight.RECORD_COUNT_FIELD_OFFSET, 0);
        final CRC32C crc = new CRC32C();
        crc.update(bytes.duplicate().position(RecordBatchFlyweight.ATTRIBUTES_FIELD_OFFSET));
        bytes.putInt(RecordBatchFlyweight.CRC_FIELD_OFFSET, (int) crc.getValue());

        open(3, MemoryRecords.readableRecords(bytes), batch(5), MemoryRecords.withEndTransactionMarker(
            6, 1, 0, 77, (short) 0, new EndTransactionMarker(ControlRecordType.COMMIT, 0)));
        assertEquals(1, pollBatches(10));
        assertEquals(List.of("5-5 from 5"), delivered);
        assertEquals(7, table.nextOffset(P));
        assertEquals(3, counters.get(ConsumerCounters.OFFSET_HOLES));
    }

    @Test
    void shouldStopAtAWrongChecksum()
    {
        open(1, batch(1, 2), batch(3, 4));
        fixture.memory.buffer().putByte(fixture.filled() - 3, (byte) 99);
        assertEquals(1, pollBatches(10));
        assertEquals(PartitionTable.STOPPED, table.state(P));
        assertEquals(3, table.nextOffset(P));
        assertTrue(errors.get(0).getMessage().contains("CRC"), errors.get(0).getMessage());
    }
}
