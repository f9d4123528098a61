// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.fetch;

import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.record.internal.ControlRecordType;
import org.apache.kafka.common.record.internal.EndTransactionMarker;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MemoryRecordsBuilder;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.odradek.consumer.handler.ConsumerCounters;
import org.odradek.consumer.handler.ControlledRecordHandler;
import org.odradek.consumer.handler.ControlledRecordHandler.Action;
import org.odradek.protocol.record.RecordBatchFlyweight;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32C;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Tests the rules of delivery with record sets that kafka-clients has written, without a connection.
 */
class FetchReaderTest
{
    private static final int PARTITIONS = 4;

    private final ReaderFixture fixture = new ReaderFixture(PARTITIONS, 1 << 16);
    private final ConsumerCounters counters = new ConsumerCounters(fixture.counters);
    private final PartitionTable table = fixture.table;
    private final BrokerFetcher fetcher = fixture.fetcher;
    private final FetchReader reader = fixture.reader(false);
    private final List<String> delivered = new ArrayList<>();

    @BeforeEach
    void begin()
    {
        fixture.begin();
    }

    @AfterEach
    void free()
    {
        fixture.free();
    }

    private static MemoryRecords batch(final long baseOffset, final long lastOffset, final long... offsets)
    {
        try (MemoryRecordsBuilder builder = MemoryRecords.builder(
            ByteBuffer.allocate(4096), Compression.NONE, TimestampType.CREATE_TIME, baseOffset))
        {
            for (final long offset : offsets)
            {
                builder.appendWithOffset(offset, 1, null, new byte[5]);
            }
            builder.overrideLastOffset(lastOffset);
            return builder.build();
        }
    }

    private void entry(final int partition, final long nextOffset, final MemoryRecords... batches)
    {
        entry(partition, nextOffset, 0, batches);
    }

    /** Adds the record set of a partition with a next offset; some bytes are cut off the end of the set. */
    private void entry(final int partition, final long nextOffset, final int cut, final MemoryRecords... batches)
    {
        final int from = fixture.filled();
        fixture.append(batches);
        fixture.entry(partition, nextOffset, from, fixture.filled() - from - cut);
    }

    private int poll(final int recordLimit)
    {
        return poll(
            (record) ->
            {
                delivered.add(record.partition() + ":" + record.offset());
                return Action.CONTINUE;
            }, recordLimit);
    }

    private static MemoryRecords batchOf(final int leaderEpoch, final long baseOffset, final int count)
    {
        final SimpleRecord[] records = new SimpleRecord[count];
        Arrays.fill(records, new SimpleRecord(1, new byte[5]));
        return MemoryRecords.withRecords(baseOffset, Compression.NONE, leaderEpoch, records);
    }

    private int poll(final ControlledRecordHandler handler, final int recordLimit)
    {
        reader.deliverRecordsTo(handler);
        return reader.poll(recordLimit);
    }

    private void assertDelivered(final String... expected)
    {
        reader.open(fetcher);
        assertEquals(expected.length, poll(1_000));
        assertEquals(List.of(expected), delivered);
        assertFalse(reader.isOpen());
        assertEquals(0, fetcher.responses.frame.count);
    }

    @Test
    void shouldDeliverPartitionsAndBatchesInTheirOrder()
    {
        entry(2, 5, batch(5, 6, 5, 6), batch(7, 7, 7));
        entry(0, 0, batch(0, 1, 0, 1));
        assertDelivered("2:5", "2:6", "2:7", "0:0", "0:1");
        assertEquals(8, table.nextOffset(2));
        assertEquals(2, table.nextOffset(0));
        assertEquals(fixture.filled(), counters.get(ConsumerCounters.RECORD_BYTES));
    }

    // Behaviour G88, tried 2026-11-29: Records of a batch before the requested offset are not delivered.
    @Test
    void shouldSkipRecordsBeforeTheRequestedOffset()
    {
        entry(1, 12, batch(5, 9, 5, 6, 9), batch(10, 14, 10, 11, 12, 13, 14));
        assertDelivered("1:12", "1:13", "1:14");
        assertEquals(0, counters.get(ConsumerCounters.OFFSET_HOLES));
    }

    // Behaviour G85, tried 2026-11-29: Holes left by compaction are skipped; the next offset follows the batch's last
    // offset.
    // Behaviour G86, tried 2026-11-29: A batch whose last record was removed by compaction is not fetched again.
    @Test
    void shouldContinueAfterTheLastOffsetOfACompactedBatchAndCountItsHoles()
    {
        entry(1, 3, batch(3, 9, 4, 6), batch(15, 19, 15));
        assertDelivered("1:4", "1:6", "1:15");
        assertEquals(20, table.nextOffset(1));
        assertEquals(5 + 5 + 4, counters.get(ConsumerCounters.OFFSET_HOLES));
        assertEquals(List.of(), fixture.errors);
    }

    // Behaviour G87, tried 2026-11-30: An empty batch advances the offset and delivers nothing.
    @Test
    void shouldContinueAfterABatchThatCompactionHasEmptied()
    {
        final MemoryRecords empty = batch(3, 9, 3);
        final ByteBuffer header = empty.buffer();
        header.putInt(RecordBatchFlyweight.BATCH_LENGTH_FIELD_OFFSET, RecordBatchFlyweight.HEADER_LENGTH - 12);
        header.putInt(RecordBatchFlyweight.RECORD_COUNT_FIELD_OFFSET, 0);
        final ByteBuffer bytes = header.duplicate().position(0).limit(RecordBatchFlyweight.HEADER_LENGTH).slice();
        final CRC32C crc = new CRC32C();
        crc.update(bytes.duplicate().position(RecordBatchFlyweight.ATTRIBUTES_FIELD_OFFSET));
        bytes.putInt(RecordBatchFlyweight.CRC_FIELD_OFFSET, (int) crc.getValue());

        entry(1, 3, MemoryRecords.readableRecords(bytes));
        entry(2, 3, MemoryRecords.readableRecords(bytes), batch(10, 10, 10));
        assertDelivered("2:10");
        assertEquals(10, table.nextOffset(1));
        assertEquals(11, table.nextOffset(2));
        assertEquals(2 * 7, counters.get(ConsumerCounters.OFFSET_HOLES));
    }

    // Behaviour G89, tried 2026-11-29: Control records are never delivered and are skipped.
    @Test
    void shouldNotDeliverMarkers()
    {
        entry(1, 3, batch(3, 3, 3), MemoryRecords.withEndTransactionMarker(
            4, 1, 0, 77, (short) 0, new EndTransactionMarker(ControlRecordType.COMMIT, 0)), batch(5, 5, 5));
        assertDelivered("1:3", "1:5");
        assertEquals(1, counters.get(ConsumerCounters.OFFSET_HOLES));
        assertEquals(6, table.nextOffset(1));
    }

    // Behaviour K141, tried 2026-11-29: The next offset is after a transaction marker, so markers at the end of a log
    // do not keep the offset below the end.
    @Test
    void shouldContinueAfterAMarkerThatNoBatchFollows()
    {
        entry(1, 3, batch(3, 3, 3), MemoryRecords.withEndTransactionMarker(
            4, 1, 0, 77, (short) 0, new EndTransactionMarker(ControlRecordType.COMMIT, 0)));
        assertDelivered("1:3");
        assertEquals(5, table.nextOffset(1));
    }

    @Test
    void shouldStopAtABatchThatIsCutOff()
    {
        entry(1, 3, 9, batch(3, 4, 3, 4), batch(5, 6, 5, 6));
        entry(2, 0, batch(0, 0, 0));
        assertDelivered("1:3", "1:4", "2:0");
        assertEquals(5, table.nextOffset(1));
        assertEquals(List.of(), fixture.errors);
    }

    @Test
    void shouldStopAPartitionWithAWrongChecksumAndContinueWithOthers()
    {
        entry(1, 3, batch(3, 4, 3, 4), batch(5, 6, 5, 6));
        fixture.memory.buffer().putByte(fixture.filled() - 3, (byte) 99);
        final int badLength = batch(5, 6, 5, 6).sizeInBytes();
        entry(2, 0, batch(0, 0, 0));
        assertDelivered("1:3", "1:4", "2:0");

        assertEquals(PartitionTable.STOPPED, table.state(1));
        assertEquals(5, table.nextOffset(1));
        assertEquals(badLength, counters.get(ConsumerCounters.BYTES_DISCARDED));
        assertEquals(1, fixture.errors.size());
        final String error = fixture.errorMessages().get(0);
        assertTrue(error.contains("Partition 1 of topic topic at offset 5") &&
            error.contains("CRC ") && error.contains("seek past it"), error);
    }

    @Test
    void shouldKeepItsPositionBetweenPolls()
    {
        entry(1, 3, batch(3, 4, 3, 4), batch(5, 6, 5, 6));
        entry(2, 0, batch(0, 0, 0));
        reader.open(fetcher);
        for (int i = 1; i <= 5; i++)
        {
            assertEquals(1, poll(1));
            assertEquals(i, delivered.size());
            assertTrue(reader.isOpen());
        }
        assertEquals(0, poll(1));
        assertFalse(reader.isOpen());
        assertEquals(List.of("1:3", "1:4", "1:5", "1:6", "2:0"), delivered);
    }

    @Test
    void shouldDiscardDataOfAnOlderGeneration()
    {
        entry(1, 3, batch(3, 4, 3, 4), batch(5, 6, 5, 6));
        entry(2, 0, batch(0, 0, 0));
        final int setLength = batch(3, 4, 3, 4).sizeInBytes() + batch(5, 6, 5, 6).sizeInBytes();
        reader.open(fetcher);
        assertEquals(1, poll(1));
        table.seek(1, 3);
        assertEquals(1, poll(10));
        assertEquals(List.of("1:3", "2:0"), delivered);
        assertEquals(3, table.nextOffset(1));
        assertEquals(setLength, counters.get(ConsumerCounters.BYTES_DISCARDED));
    }

    @Test
    void shouldDetectThatTheResponseHasEnded()
    {
        entry(1, 3, batch(3, 4, 3, 4));
        reader.open(fetcher);
        assertEquals(1, poll(1));
        fetcher.endFrame();
        assertEquals(0, poll(10));
        assertFalse(reader.isOpen());
    }

    @Test
    void shouldDeliverARefusedRecordAgain()
    {
        entry(1, 3, batch(3, 5, 3, 4, 5));
        final ControlledRecordHandler refusing = (record) -> record.offset() == 4 ? Action.ABORT : Action.CONTINUE;
        reader.open(fetcher);
        assertEquals(1, poll(refusing, 10));
        assertEquals(0, poll(refusing, 10));
        assertEquals(4, table.nextOffset(1));
        assertEquals(1, counters.records());
        assertEquals(2, poll(10));
        assertEquals(List.of("1:4", "1:5"), delivered);
    }

    /** It is compared with what is acknowledged, which passes neither the hole before a refused record nor the end. */
    @Test
    void shouldStoreTheEndOfWhatWasDelivered()
    {
        entry(1, 3, batch(3, 9, 3, 4, 8));
        final int epoch = table.partition(1).ownershipEpoch();
        reader.open(fetcher);
        assertEquals(0, table.partition(1).deliveredEpoch());
        assertEquals(2, poll((record) ->
        {
            assertEquals(epoch, record.ownershipEpoch());
            return record.offset() == 8 ? Action.ABORT : Action.CONTINUE;
        }, 10));
        assertEquals(epoch, table.partition(1).deliveredEpoch());
        assertEquals(5, table.partition(1).deliveredEnd());

        assertEquals(0, poll((record) -> Action.ABORT, 10));
        assertEquals(5, table.partition(1).deliveredEnd());
        assertEquals(1, poll(10));
        assertEquals(9, table.partition(1).deliveredEnd());
        assertEquals(10, table.nextOffset(1));
    }

    /** The records before the refused one are overwritten, so decoding them again would end in an error. */
    @Test
    void shouldNotDecodeTheBatchAgainForARefusedRecord()
    {
        entry(1, 3, batch(3, 6, 3, 4, 5, 6));
        final ControlledRecordHandler refusing = (record) ->
        {
            if (record.offset() < 5)
            {
                return Action.CONTINUE;
            }
            fixture.memory.buffer().setMemory(0, record.valueIndex(), (byte) 0x7F);
            return Action.ABORT;
        };
        reader.open(fetcher);
        assertEquals(2, poll(refusing, 10));
        for (int i = 0; i < 5; i++)
        {
            assertEquals(0, poll(refusing, 10));
            assertEquals(5, table.nextOffset(1));
        }
        assertEquals(1, poll(1));
        assertEquals(List.of("1:5"), delivered);
        assertEquals(List.of(), fixture.errorMessages());
    }

    @Test
    void shouldKeepTheEpochOfTheLastDeliveredRecord()
    {
        entry(1, 3, batchOf(7, 3, 2), batchOf(9, 5, 2));
        reader.open(fetcher);
        assertEquals(PartitionTable.NULL_EPOCH, table.offsetEpoch(1));
        for (final int epoch : new int[] {7, 7, 9, 9})
        {
            poll(1);
            assertEquals(epoch, table.offsetEpoch(1));
        }
    }

    @Test
    void shouldKnowTheEpochOfARecordInItsHandler()
    {
        final List<Integer> epochs = new ArrayList<>();
        entry(1, 3, batchOf(7, 3, 2), batchOf(9, 5, 1));
        reader.open(fetcher);
        poll((record) ->
        {
            epochs.add(table.offsetEpoch(1));
            return Action.CONTINUE;
        }, 10);
        assertEquals(List.of(7, 7, 9), epochs);
    }

    @Test
    void shouldNotKeepTheEpochOfARefusedRecord()
    {
        entry(1, 3, batchOf(7, 3, 2), batchOf(9, 5, 2));
        reader.open(fetcher);
        poll((record) -> record.offset() == 5 ? Action.ABORT : Action.CONTINUE, 10);
        assertEquals(5, table.nextOffset(1));
        assertEquals(7, table.offsetEpoch(1));
        poll((record) -> record.offset() == 6 ? Action.ABORT : Action.CONTINUE, 10);
        assertEquals(6, table.nextOffset(1));
        assertEquals(9, table.offsetEpoch(1));
    }

    @Test
    void shouldHaveNoEpochForAnOffsetThatAHandlerHasSought()
    {
        entry(1, 3, batchOf(7, 3, 3));
        reader.open(fetcher);
        poll((record) ->
        {
            table.seek(1, 2);
            return Action.CONTINUE;
        }, 10);
        assertEquals(2, table.nextOffset(1));
        assertEquals(PartitionTable.NULL_EPOCH, table.offsetEpoch(1));
    }

    @Test
    void shouldKeepTheEpochWhenAHandlerHasPaused()
    {
        entry(1, 3, batchOf(7, 3, 3));
        reader.open(fetcher);
        poll((record) ->
        {
            table.pause(1);
            return Action.CONTINUE;
        }, 10);
        assertEquals(4, table.nextOffset(1));
        assertEquals(7, table.offsetEpoch(1));
    }

    @Test
    void shouldForgetThatARecordWasRefusedWithItsResponse()
    {
        entry(1, 5, batch(5, 6, 5, 6));
        reader.open(fetcher);
        assertEquals(0, poll((record) -> Action.ABORT, 10));
        assertTrue(reader.isRefused());
        fetcher.responses.frame.clear();

        assertEquals(0, poll(10));

        assertFalse(reader.isRefused());
    }
}
