// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.fetch;

import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.odradek.consumer.ConsumerContext;
import org.odradek.consumer.CorruptBatchPolicy;
import org.odradek.consumer.StartPosition;
import org.odradek.consumer.handler.ConsumerCounters;
import org.odradek.consumer.support.OneTopicBroker;
import org.odradek.consumer.support.Reading;
import org.odradek.protocol.ErrorCode;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.zip.CRC32C;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Reads broken record sets. Partition 0 holds a valid batch of offsets 0 and 1, a broken one of 2 and 3, and a valid
 * one of 4; partition 1 is valid.
 */
class CorruptRecordsTest
{
    private static final int LENGTH_AT = 8;
    private static final int MAGIC_AT = 16;
    private static final int CRC_AT = 17;
    private static final int ATTRIBUTES_AT = 21;
    private static final int LAST_OFFSET_DELTA_AT = 23;
    private static final int COUNT_AT = 57;
    private static final int RECORDS_AT = 61;

    private enum Flaw
    {
        CRC("CRC", (b) -> b.putInt(CRC_AT, b.getInt(CRC_AT) ^ 1)),
        PAYLOAD("CRC", (b) -> b.put(b.limit() - 2, (byte)'!')),
        LENGTH_NEGATIVE("batch length", (b) -> b.putInt(LENGTH_AT, -5)),
        LENGTH_TINY("batch length", (b) -> b.putInt(LENGTH_AT, 48)),
        MAGIC("magic 3", (b) -> b.put(MAGIC_AT, (byte)3)),
        LAST_DELTA_NEGATIVE("last offset delta -1", (b) -> b.putInt(LAST_OFFSET_DELTA_AT, -1)),
        COUNT_NEGATIVE("record count -1", (b) -> b.putInt(COUNT_AT, -1)),
        COUNT_TOO_LARGE("record length", (b) -> updateChecksum(b.putInt(COUNT_AT, 3))),
        COUNT_HUGE("record length", (b) -> updateChecksum(b.putInt(COUNT_AT, Integer.MAX_VALUE))),
        COUNT_TOO_SMALL("bytes after the last record", (b) -> updateChecksum(b.putInt(COUNT_AT, 1))),
        RECORD_LENGTH("record length", (b) -> updateChecksum(b.put(RECORDS_AT, (byte)0x7E))),
        CODEC("unknown codec 7", (b) -> updateChecksum(b.putShort(ATTRIBUTES_AT, (short)7))),
        COMPRESSED("zstd: zstd data is not valid", (b) -> updateChecksum(b.putShort(ATTRIBUTES_AT, (short)4)));

        private final String sentence;
        private final Consumer<ByteBuffer> breaking;

        Flaw(final String sentence, final Consumer<ByteBuffer> breaking)
        {
            this.sentence = sentence;
            this.breaking = breaking;
        }

        boolean isFoundAfterRecords()
        {
            return this == COUNT_TOO_LARGE || this == COUNT_HUGE || this == COUNT_TOO_SMALL;
        }

        /** The first offset that is not delivered. */
        int offset()
        {
            return this == COUNT_TOO_SMALL ? 3 : isFoundAfterRecords() ? 4 : 2;
        }

        boolean isEndUnknown()
        {
            return this == LENGTH_NEGATIVE || this == LENGTH_TINY;
        }
    }

    private OneTopicBroker broker;
    private Reading reading;

    private static void updateChecksum(final ByteBuffer batch)
    {
        final CRC32C crc = new CRC32C();
        crc.update(batch.duplicate().position(ATTRIBUTES_AT));
        batch.putInt(CRC_AT, (int)crc.getValue());
    }

    @BeforeEach
    void start()
    {
        broker = OneTopicBroker.start(2).append(0, "a", "b").append(0, "c", "d").append(0, "e").append(1, "x", "y");
        reading = Reading.start(Reading.context(broker).startPosition(StartPosition.offset(0)));
    }

    @AfterEach
    void close()
    {
        reading.close();
        broker.close();
    }

    private static MemoryRecords broken(final Flaw flaw)
    {
        final ByteBuffer batch = OneTopicBroker.batch(2, "c", "d").buffer().duplicate();
        flaw.breaking.accept(batch);
        return MemoryRecords.readableRecords(batch);
    }

    private void restart(final ConsumerContext context)
    {
        reading.close();
        reading = Reading.start(context.startPosition(StartPosition.offset(0)));
    }

    private void restartSkipping()
    {
        restart(Reading.context(broker).corruptBatchPolicy(CorruptBatchPolicy.SKIP));
    }

    private long skippedOffsets()
    {
        return reading.consumer().counters().get(ConsumerCounters.OFFSETS_SKIPPED);
    }

    private void serve(final Flaw flaw)
    {
        broker.script(0, (requested) -> requested.fetchOffset() >= 4 ? null : OneTopicBroker.data(0, 5,
            OneTopicBroker.batch(0, "a", "b"), broken(flaw), OneTopicBroker.batch(4, "e")));
    }

    // Behaviour G74, tried 2026-11-30: A batch whose size is too small, or whose magic is wrong, is an error and,
    // unless the policy is SKIP, does not change the next offset; a batch that is longer than the rest of its record
    // set counts as incomplete.
    // Behaviour G75, tried 2026-11-29: A wrong checksum is reported once with partition and offset, and the partition
    // stops until a seek, unless the policy is SKIP; without the check the batch is delivered.
    // Behaviour G76, tried 2026-11-29: Valid records before a corrupt one are delivered; the user can seek past the
    // corrupt one.
    // Behaviour G77, tried 2026-11-29: A record count that is too small or too large is an error.
    // Behaviour G78, tried 2026-11-29: A batch with a negative or huge record count stops its partition with an error.
    // Behaviour G79, tried 2026-11-29: A batch with a negative length stops its partition with an error.
    // Behaviour N163.
    @ParameterizedTest
    @EnumSource
    void shouldDeliverRecordsBeforeTheFlawAndStop(final Flaw flaw)
    {
        serve(flaw);

        reading.until("the stop", () -> reading.hasEvent("stopped 0"));
        reading.untilCount(1, 2);
        final int fetches = broker.fetchCount(0);
        final int others = broker.fetchCount(1);
        reading.until("other partitions to continue", () -> broker.fetchCount(1) > others + 2);

        final int stoppedAt = flaw.offset();
        assertEquals(List.of("a", "b", "c", "d").subList(0, stoppedAt), reading.values(0));
        assertEquals(stoppedAt, reading.consumer().nextOffset(0));
        assertEquals(List.of("x", "y"), reading.values(1));
        assertEquals(1, reading.errors().size(), () -> reading.errors().toString());
        final String error = reading.errors().get(0);
        assertTrue(error.contains(flaw.sentence) && error.contains("Partition 0") &&
            error.contains("offset " + stoppedAt) && error.contains("broker " + OneTopicBroker.NODE_ID), error);
        assertTrue(broker.fetchCount(0) <= fetches + 1);
        assertTrue(reading.hasEvent("stopped 0 at " + stoppedAt + " for CORRUPT_BATCH error 0"));
    }

    // Behaviour G75, G76.
    @ParameterizedTest
    @EnumSource
    void shouldContinueAfterASeekPastTheFlaw(final Flaw flaw)
    {
        serve(flaw);
        reading.until("the stop", () -> reading.hasEvent("stopped 0"));
        reading.forget(0);

        reading.consumer().seek(0, 4);
        reading.untilCount(0, 1);

        assertEquals(List.of("e"), reading.values(0));
        assertEquals(1, reading.errors().size(), () -> reading.errors().toString());
    }

    // Behaviour G98, tried 2026-11-30: If a response contains bytes but no complete batch, the partition stops, and the
    // request is not repeated.
    @Test
    void shouldStopAtARecordSetWithoutAWholeBatch()
    {
        final ByteBuffer half = OneTopicBroker.batch(0, "a", "b").buffer().duplicate();
        half.limit(half.limit() - 1);
        broker.script(0, (requested) -> OneTopicBroker.data(0, 5, MemoryRecords.readableRecords(half)));

        reading.until("the stop", () -> reading.hasEvent("stopped 0"));

        assertTrue(reading.errors().get(0).contains("without a whole batch"), () -> reading.errors().toString());
        assertEquals(0, reading.count(0));
        reading.untilCount(1, 2);
        final int fetches = broker.fetchCount(0);
        final int others = broker.fetchCount(1);
        reading.until("other partitions to continue", () -> broker.fetchCount(1) > others + 2);
        assertTrue(broker.fetchCount(0) <= fetches + 1);
    }

    // Behaviour G73.
    @Test
    void shouldTreatACutOffLastBatchAsTheEnd()
    {
        final ByteBuffer half = OneTopicBroker.batch(2, "c", "d").buffer().duplicate();
        half.limit(half.limit() - 1);
        broker.script(0, (requested) -> requested.fetchOffset() > 0 ? null : OneTopicBroker.data(0, 5,
            OneTopicBroker.batch(0, "a", "b"), MemoryRecords.readableRecords(half)));

        reading.untilCount(0, 5);

        assertEquals(List.of("a", "b", "c", "d", "e"), reading.values(0));
        assertEquals(List.of(), reading.errors());
    }

    // Behaviour G88.
    @Test
    void shouldSkipRecordsBeforeTheSoughtOffset()
    {
        broker.script(0, (requested) -> requested.fetchOffset() > 0 ? null : OneTopicBroker.data(0, 5));
        reading.untilCount(1, 2);

        reading.consumer().seek(0, 3);
        reading.untilCount(0, 2);

        assertEquals(List.of("d", "e"), reading.values(0));
        assertFalse(reading.hasEvent("stopped"));
    }

    @Test
    void shouldCheckABatchThatClaimsToEndBeforeTheSoughtOffset()
    {
        final ByteBuffer batch = OneTopicBroker.batch(2, "c", "d").buffer().duplicate();
        batch.putInt(LAST_OFFSET_DELTA_AT, 0);
        broker.script(0, (requested) -> OneTopicBroker.data(0, 5,
            MemoryRecords.readableRecords(batch), OneTopicBroker.batch(4, "e")));
        reading.close();
        reading = Reading.start(Reading.context(broker).startPosition(StartPosition.offset(3)));

        reading.until("the stop", () -> reading.hasEvent("stopped 0"));

        assertEquals(List.of(), reading.values(0));
        assertTrue(reading.errors().stream().anyMatch((error) -> error.contains("Partition 0") &&
            error.contains("offset 3") && error.contains("CRC")), () -> reading.errors().toString());
    }

    // Behaviour G74, G75.
    @ParameterizedTest
    @EnumSource
    void shouldSkipABatchWhoseEndIsKnown(final Flaw flaw)
    {
        restartSkipping();
        serve(flaw);

        final int from = flaw.offset();
        final List<String> expected = new ArrayList<>(List.of("a", "b", "c", "d").subList(0, from));
        if (flaw.isEndUnknown())
        {
            reading.until("the stop", () -> reading.hasEvent("stopped 0"));
            assertTrue(reading.errors().get(0).contains("cannot be skipped"), () -> reading.errors().toString());
        }
        else
        {
            expected.add("e");
            reading.untilCount(0, expected.size());
        }
        reading.untilCount(1, 2);

        assertEquals(expected, reading.values(0));
        assertEquals(1, reading.errors().size(), () -> reading.errors().toString());
        final String error = reading.errors().get(0);
        assertTrue(error.contains(flaw.sentence) && error.contains("Partition 0") &&
            error.contains("offset " + from) && error.contains("broker " + OneTopicBroker.NODE_ID), error);
        final boolean isGap = !flaw.isEndUnknown() && from < 4;
        assertEquals(isGap, reading.events().contains("gap 0 from " + from + " to 4 CORRUPT_BATCH"),
            () -> reading.events().toString());
        assertEquals(isGap ? 1 : 0, reading.consumer().counters().get(ConsumerCounters.GAPS));
        assertEquals(isGap ? 4 - from : 0, skippedOffsets());
        assertEquals(flaw.isEndUnknown(), reading.hasEvent("stopped"));
    }

    /** It may be sound, and can be read after the limit has been raised. */
    @Test
    void shouldNotSkipABatchWhoseContentIsLongerThanItMayBe()
    {
        restart(Reading.context(broker).corruptBatchPolicy(CorruptBatchPolicy.SKIP)
            .decompressionBufferMaxLength(1 << 20));
        broker.script(0, (requested) -> requested.fetchOffset() >= 4 ? null : OneTopicBroker.data(0, 5,
            OneTopicBroker.batch(0, "a", "b"),
            MemoryRecords.withRecords(2, Compression.gzip().build(), 0,
                new SimpleRecord(1_000, null, new byte[1 << 20]), new SimpleRecord(1_000, null, new byte[1 << 20])),
            OneTopicBroker.batch(4, "e")));

        reading.until("the stop", () -> reading.hasEvent("stopped 0"));

        assertEquals(List.of("a", "b"), reading.values(0));
        assertEquals(0, skippedOffsets());
        assertEquals(2, reading.consumer().nextOffset(0));
        assertTrue(reading.errors().get(0).contains("raise decompressionBufferMaxLength above that"),
            () -> reading.errors().toString());
        assertTrue(reading.hasEvent("stopped 0 at 2 for TOO_LARGE error 0"), () -> reading.events().toString());
    }

    /** A broker responds with this batch for all offsets from 2 to 102, because of its header. */
    private static MemoryRecords claimingTooMuch()
    {
        final ByteBuffer batch = OneTopicBroker.batch(2, "c", "d").buffer().duplicate();
        batch.putInt(LAST_OFFSET_DELTA_AT, 100);
        return MemoryRecords.readableRecords(batch);
    }

    @Test
    void shouldNotSkipPastTheNextBatch()
    {
        restartSkipping();
        broker.script(0, (requested) -> requested.fetchOffset() > 4 ? null :
            OneTopicBroker.data(0, 5, OneTopicBroker.batch(0, "a", "b"), claimingTooMuch(),
                OneTopicBroker.batch(4, "e")));

        reading.untilCount(0, 3);
        final int fetches = broker.fetchCount(0);
        reading.until("more fetches", () -> broker.fetchCount(0) > fetches + 2);

        assertEquals(List.of("a", "b", "e"), reading.values(0));
        assertTrue(reading.events().contains("gap 0 from 2 to 4 CORRUPT_BATCH"), () -> reading.events().toString());
        assertEquals(2, skippedOffsets());
        assertFalse(reading.hasEvent("stopped"), () -> reading.errors().toString());
    }

    /** Without a checksum nothing says that the header is right. */
    @Test
    void shouldNotTrustTheHeaderOfABatchWhoseChecksumWasNotChecked()
    {
        restart(Reading.context(broker).corruptBatchPolicy(CorruptBatchPolicy.SKIP).checkCrcs(false));
        final ByteBuffer batch = claimingTooMuch().buffer().duplicate();
        batch.put(RECORDS_AT, (byte)0x7E);
        broker.script(0, (requested) -> requested.fetchOffset() > 4 ? null :
            OneTopicBroker.data(0, 200, OneTopicBroker.batch(0, "a", "b"), MemoryRecords.readableRecords(batch),
                OneTopicBroker.batch(4, "e")));

        reading.untilCount(0, 3);

        assertEquals(List.of("a", "b", "e"), reading.values(0));
        assertTrue(reading.events().contains("gap 0 from 2 to 4 CORRUPT_BATCH"), () -> reading.events().toString());
        assertEquals(2, skippedOffsets());
    }

    @Test
    void shouldStopAtALastBatchThatClaimsOffsetsBeyondTheLog()
    {
        restartSkipping();
        broker.script(0, (requested) ->
            OneTopicBroker.data(0, 5, OneTopicBroker.batch(0, "a", "b"), claimingTooMuch()));

        reading.until("the stop", () -> reading.hasEvent("stopped 0 at 2"));

        assertTrue(reading.hasError("cannot be skipped"), () -> reading.errors().toString());
        assertEquals(0, skippedOffsets());
    }

    @Test
    void shouldStopWhenTheBatchAfterASkippedOneIsIncomplete()
    {
        restartSkipping();
        final ByteBuffer half = OneTopicBroker.batch(4, "e").buffer().duplicate();
        half.limit(half.limit() - 1);
        broker.script(0, (requested) -> OneTopicBroker.data(0, 5,
            claimingTooMuch(), MemoryRecords.readableRecords(half)));

        reading.until("the stop", () -> reading.hasEvent("stopped 0 at 4"));

        assertTrue(reading.hasError("without a whole batch"), () -> reading.errors().toString());
        // The partition began at 0, and compaction may have removed the records before the batch.
        assertEquals(4, skippedOffsets());
    }

    @Test
    void shouldSkipTheLastBatchByItsOwnHeader()
    {
        restartSkipping();
        broker.script(0, (requested) -> requested.fetchOffset() >= 4 ? null :
            OneTopicBroker.data(0, 4, OneTopicBroker.batch(0, "a", "b"), broken(Flaw.CRC)));

        reading.untilCount(0, 3);

        assertEquals(List.of("a", "b", "e"), reading.values(0));
        assertEquals(2, skippedOffsets());
    }

    @Test
    void shouldNotSkipBatchesThatTheBrokerReportsAsCorrupt()
    {
        restartSkipping();
        broker.script(0, (requested) -> OneTopicBroker.error(0, ErrorCode.CORRUPT_MESSAGE));

        reading.until("the stop", () -> reading.hasEvent("stopped 0 at 0 for CORRUPT_BATCH error 2"));

        assertEquals(0, skippedOffsets());
        reading.untilCount(1, 2);
    }

    // Behaviour G75.
    @Test
    void shouldNotCheckChecksumsWhenTheCheckIsOff()
    {
        restart(Reading.context(broker).checkCrcs(false));
        serve(Flaw.CRC);

        reading.untilCount(0, 5);

        assertEquals(List.of("a", "b", "c", "d", "e"), reading.values(0));
        assertEquals(List.of(), reading.errors());
    }
}
