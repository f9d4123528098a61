// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.fetch;

import org.agrona.collections.Hashing;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.message.FetchResponseData.AbortedTransaction;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.record.internal.ControlRecordType;
import org.apache.kafka.common.record.internal.EndTransactionMarker;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MemoryRecordsBuilder;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.odradek.consumer.handler.ConsumerCounters;
import org.odradek.consumer.handler.ControlledRecordHandler.Action;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;

/**
 * Transactions with unusual data or markers, which a broker does not write on request; {@link FetchOracleTest} compares
 * the usual ones.
 */
class AbortedRecordsTest
{
    private static final long PRODUCER = 77;
    private static final long OTHER_PRODUCER = 78;

    private final ReaderFixture fixture = new ReaderFixture(1, 1 << 16);
    private final List<Long> delivered = new ArrayList<>();

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

    private static MemoryRecords data(final long producerId, final long baseOffset, final int count)
    {
        final SimpleRecord[] records = new SimpleRecord[count];
        Arrays.fill(records, new SimpleRecord(1, new byte[5]));
        return MemoryRecords.withTransactionalRecords(
            baseOffset, Compression.NONE, producerId, (short)0, (int)baseOffset, 1, records);
    }

    private static MemoryRecords marker(final long producerId, final long offset, final ControlRecordType type)
    {
        return MemoryRecords.withEndTransactionMarker(
            offset, 1, 0, producerId, (short)0, new EndTransactionMarker(type, 0));
    }

    private static AbortedTransaction aborted(final long producerId, final long firstOffset)
    {
        return new AbortedTransaction().setProducerId(producerId).setFirstOffset(firstOffset);
    }

    /** Reads everything from offset 0 on, with read_committed or without. */
    private List<Long> deliver(
        final boolean isReadCommitted, final List<AbortedTransaction> aborted, final MemoryRecords... batches)
    {
        return deliver(0, isReadCommitted, aborted, batches);
    }

    private List<Long> deliver(
        final long nextOffset,
        final boolean isReadCommitted,
        final List<AbortedTransaction> aborted,
        final MemoryRecords... batches)
    {
        fixture.entry(0, nextOffset, aborted, batches);
        final FetchReader reader = fixture.reader(isReadCommitted);
        reader.deliverRecordsTo((record) ->
        {
            delivered.add(record.offset());
            return Action.CONTINUE;
        });
        reader.open(fixture.fetcher);
        reader.poll(100);
        assertEquals(List.of(), fixture.errors);
        return delivered;
    }

    // Behaviour H102, tried 2026-11-29: An abort marker without data, or whose data was already compacted away, is
    // accepted.
    @Test
    void shouldAcceptAMarkerWithoutData()
    {
        assertEquals(List.of(0L, 2L, 3L), deliver(true, List.of(), data(PRODUCER, 0, 1),
            marker(OTHER_PRODUCER, 1, ControlRecordType.ABORT), data(PRODUCER, 2, 2),
            marker(PRODUCER, 4, ControlRecordType.COMMIT)));
        assertEquals(5, fixture.table.nextOffset(0));
    }

    // Behaviour H102.
    @Test
    void shouldAcceptAbortedDataThatIsCompactedAway()
    {
        assertEquals(List.of(4L, 5L), deliver(true, List.of(aborted(PRODUCER, 0)),
            marker(PRODUCER, 3, ControlRecordType.ABORT), data(PRODUCER, 4, 2),
            marker(PRODUCER, 6, ControlRecordType.COMMIT)));
        assertEquals(7, fixture.table.nextOffset(0));
    }

    // Behaviour H102.
    @Test
    void shouldAcceptAnAbortedTransactionWithoutRemainingData()
    {
        assertEquals(List.of(4L, 5L), deliver(true, List.of(aborted(PRODUCER, 0)),
            data(OTHER_PRODUCER, 4, 2), marker(OTHER_PRODUCER, 6, ControlRecordType.COMMIT)));
        assertEquals(7, fixture.table.nextOffset(0));
    }

    /** A server may return more than was requested, and list what has ended there. */
    @Test
    void shouldNoteAMarkerBeforeTheNextOffset()
    {
        assertEquals(List.of(3L, 4L), deliver(3, true, List.of(aborted(PRODUCER, 0)), data(PRODUCER, 0, 2),
            marker(PRODUCER, 2, ControlRecordType.ABORT), data(PRODUCER, 3, 2),
            marker(PRODUCER, 5, ControlRecordType.COMMIT)));
        assertEquals(6, fixture.table.nextOffset(0));
    }

    // Behaviour H103, tried 2026-11-29: Repeated abort markers have no effect.
    @Test
    void shouldAcceptRepeatedMarkers()
    {
        assertEquals(List.of(4L, 7L), deliver(true, List.of(aborted(PRODUCER, 0), aborted(PRODUCER, 5)),
            data(PRODUCER, 0, 2),
            marker(PRODUCER, 2, ControlRecordType.ABORT),
            marker(PRODUCER, 3, ControlRecordType.ABORT),
            data(PRODUCER, 4, 1),
            data(PRODUCER, 5, 1),
            marker(PRODUCER, 6, ControlRecordType.ABORT),
            data(PRODUCER, 7, 1),
            marker(PRODUCER, 8, ControlRecordType.COMMIT),
            marker(PRODUCER, 9, ControlRecordType.COMMIT)));
        assertEquals(10, fixture.table.nextOffset(0));
    }

    // Behaviour H104.
    @Test
    void shouldAcceptAbortedTransactionsInAnyOrder()
    {
        assertEquals(List.of(3L, 6L), deliver(true, List.of(aborted(OTHER_PRODUCER, 4), aborted(PRODUCER, 0)),
            data(PRODUCER, 0, 2),
            marker(PRODUCER, 2, ControlRecordType.ABORT),
            data(PRODUCER, 3, 1),
            data(OTHER_PRODUCER, 4, 1),
            marker(OTHER_PRODUCER, 5, ControlRecordType.ABORT),
            data(OTHER_PRODUCER, 6, 1)));
        assertEquals(7, fixture.table.nextOffset(0));
    }

    // Behaviour H101, H105.
    @Test
    void shouldAdvancePastATransactionThatBeganBeforeTheResponse()
    {
        assertEquals(List.of(), deliver(3, true, List.of(aborted(PRODUCER, 0)), data(PRODUCER, 3, 2)));
        assertEquals(5, fixture.table.nextOffset(0));
    }

    /** Such markers do not end a transaction. */
    // Behaviour G90, tried 2026-11-29: Unknown control record types are ignored.
    @ParameterizedTest
    @ValueSource(shorts = {2, 6, 9, Short.MAX_VALUE, -1, Short.MIN_VALUE})
    void shouldSkipUnknownKindsOfMarkers(final short type)
    {
        expectPassed(ByteBuffer.allocate(6).putShort((short)0).putShort(type));
    }

    // Behaviour G90.
    @ParameterizedTest
    @ValueSource(ints = {-1, 0, 1, 3})
    void shouldSkipAMarkerWhoseKeyIsTooShort(final int keyLength)
    {
        expectPassed(keyLength < 0 ? null : ByteBuffer.allocate(keyLength));
    }

    private void expectPassed(final ByteBuffer key)
    {
        assertEquals(List.of(4L), deliver(true, List.of(aborted(PRODUCER, 0)),
            data(PRODUCER, 0, 1), control(1, key), data(PRODUCER, 2, 1),
            marker(PRODUCER, 3, ControlRecordType.ABORT), data(PRODUCER, 4, 1)));
        assertEquals(5, fixture.table.nextOffset(0));
    }

    /** As in the stock consumer: a newer version appends its fields to those of this version. */
    // Behaviour G90.
    @Test
    void shouldAcceptAMarkerOfANewerVersion()
    {
        final ByteBuffer key = ByteBuffer.allocate(6).putShort((short)7).putShort(ControlRecordType.ABORT.type());
        assertEquals(List.of(2L), deliver(true, List.of(aborted(PRODUCER, 0)),
            data(PRODUCER, 0, 1), control(1, key), data(PRODUCER, 2, 1)));
        assertEquals(3, fixture.table.nextOffset(0));
    }

    // Behaviour H99, H107.
    @Test
    void shouldDeliverAbortedRecordsAndNoMarkersUnderReadUncommitted()
    {
        assertEquals(List.of(0L, 2L, 4L), deliver(false, List.of(aborted(PRODUCER, 0)),
            data(PRODUCER, 0, 1), control(1, ByteBuffer.allocate(6).putShort(2, (short)9)), data(PRODUCER, 2, 1),
            marker(PRODUCER, 3, ControlRecordType.ABORT), data(PRODUCER, 4, 1)));
        assertEquals(2, fixture.counters.get(ConsumerCounters.OFFSET_HOLES));
    }

    private static MemoryRecords control(final long offset, final ByteBuffer key)
    {
        try (MemoryRecordsBuilder builder = new MemoryRecordsBuilder(ByteBuffer.allocate(200),
            RecordBatch.MAGIC_VALUE_V2, Compression.NONE, TimestampType.CREATE_TIME, offset, 1, PRODUCER, (short)0,
            RecordBatch.NO_SEQUENCE, true, true, 1, 200))
        {
            builder.appendUncheckedWithOffset(
                offset, new SimpleRecord(1, key == null ? null : key.array(), new byte[6]));
            return builder.build();
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }

    /** Inverts the finalizer of SplitMix64, by which Agrona hashes long keys. */
    private static long unmixed(final long hash)
    {
        final long third = hash ^ hash >>> 31 ^ hash >>> 62;
        final long second = third * inverse(0x94D049BB133111EBL);
        final long first = (second ^ second >>> 27 ^ second >>> 54) * inverse(0xBF58476D1CE4E5B9L);
        return first ^ first >>> 30 ^ first >>> 60;
    }

    /** Inverts an odd number modulo 2^64; each step doubles the number of bits that are right. */
    private static long inverse(final long number)
    {
        long inverse = number;
        for (int i = 0; i < 5; i++)
        {
            inverse *= 2 - number * inverse;
        }
        return inverse;
    }

    /** In a hash set, each of the ids would be compared with all those before it. */
    @Test
    void shouldFindProducersWhoseIdsCollideInAHashTable()
    {
        final int count = 400_000;
        final ReaderFixture large = new ReaderFixture(1, 1 << 23);
        try
        {
            large.begin();
            final List<AbortedTransaction> aborted = new ArrayList<>();
            for (long i = 1; i <= count; i++)
            {
                final long producerId = unmixed(i << 32 | i);
                assertEquals(0, Hashing.hash(producerId));
                aborted.add(aborted(producerId, 0));
            }
            large.entry(0, 0, aborted, data(unmixed(7L << 32 | 7), 0, 2), data(unmixed(0), 2, 1));
            final FetchReader reader = large.reader(true);
            reader.deliverRecordsTo((record) ->
            {
                delivered.add(record.offset());
                return Action.CONTINUE;
            });
            reader.open(large.fetcher);
            reader.poll(100);
            assertEquals(List.of(2L), delivered);
        }
        finally
        {
            large.free();
        }
    }
}
