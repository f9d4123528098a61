// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.group;

import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.odradek.client.core.CounterWriter;
import org.odradek.client.support.ForwardingPoller;
import org.odradek.consumer.core.ConsumerSettings;
import org.odradek.consumer.core.Environment;
import org.odradek.consumer.fetch.PartitionTable;
import org.odradek.consumer.handler.ConsumerCounters;
import org.odradek.consumer.handler.ConsumerListener;

import java.util.ArrayList;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Tests which offset may be committed after acknowledgements of the present epoch, of others, and of too much. */
class AcknowledgedOffsetsTest
{
    private static final int EPOCHS = 0xFFFF;
    private static final int PARTITION = 1;
    private static final long START = 100;
    private static final long NEXT = 112;
    private static final long NOTHING = PartitionTable.NULL_OFFSET;

    private final List<String> events = new ArrayList<>();
    private final CounterWriter counters =
        new CounterWriter(new UnsafeBuffer(new byte[ConsumerCounters.count() * 128]));
    private final PartitionTable table = new PartitionTable(new ConsumerSettings());
    private int wakeups;
    private final AcknowledgedOffsets acknowledged = new AcknowledgedOffsets(table, new Environment(
        new ConsumerSettings(), new ForwardingPoller(null)
        {
            @Override
            public void wakeup()
            {
                wakeups++;
            }
        }, null, null, counters, new ConsumerListener()
        {
            @Override
            public void onAcknowledgementRefused(final int partition, final long offset, final long nextOffset)
            {
                events.add(partition + ": " + offset + " of " + nextOffset);
            }
        }, null));

    @BeforeEach
    void assign()
    {
        table.ensureCapacity(PARTITION + 1);
        table.assignAtOffset(PARTITION, START, PartitionTable.NULL_EPOCH);
        acknowledged.ensureSize(PARTITION + 1);
    }

    private int epoch()
    {
        return table.partition(PARTITION).ownershipEpoch();
    }

    private void deliver(final long endOffset)
    {
        table.endRecords(PARTITION, epoch(), endOffset);
    }

    private void acknowledge(final long nextOffset)
    {
        acknowledged.acknowledge(PARTITION, epoch(), nextOffset);
    }

    private long committable()
    {
        return acknowledged.committable(PARTITION, NEXT);
    }

    @Test
    void shouldCommitTheNextOffsetWhileNothingWasDelivered()
    {
        assertEquals(NEXT, committable());
    }

    @Test
    void shouldCommitWhatIsAcknowledgedAndTheNextOffsetAfterAll()
    {
        deliver(110);
        assertEquals(NOTHING, committable());

        acknowledge(105);
        assertEquals(105, committable());

        // What follows the last record, such as a marker, has no record to acknowledge.
        acknowledge(110);
        assertEquals(NEXT, committable());
        acknowledge(NEXT);
        assertEquals(NEXT, committable());
        assertEquals(List.of(), events);
    }

    /** The marker after the first record was committed before the second record was delivered. */
    @Test
    void shouldNotGoBackBeforeAMarkerThatWasCommitted()
    {
        deliver(110);
        acknowledge(110);
        assertEquals(NEXT, committable());
        deliver(120);
        assertEquals(NEXT, acknowledged.committable(PARTITION, 120));
        acknowledge(115);
        assertEquals(115, acknowledged.committable(PARTITION, 120));

        table.seek(PARTITION, START);
        deliver(110);
        acknowledge(105);
        assertEquals(105, committable());
    }

    @Test
    void shouldTakeAnAcknowledgementOfTheStartAsOneOfNothing()
    {
        deliver(110);
        acknowledge(START);

        assertEquals(START, committable());
        assertEquals(List.of(), events);
    }

    // Behaviour O201.
    @ParameterizedTest
    @CsvSource({"113", "9000000", "99", "0"})
    void shouldRefuseAndReportOnceWhatWasNotDelivered(final long offset)
    {
        deliver(110);
        acknowledge(offset);

        assertEquals(NOTHING, committable());
        assertEquals(NOTHING, committable());
        assertFalse(acknowledged.await(PARTITION, NEXT));
        assertEquals(List.of("1: " + offset + " of 112"), events);
        assertEquals(1, counters.get(ConsumerCounters.ACKNOWLEDGEMENTS_REFUSED));

        acknowledge(107);
        assertEquals(107, committable());
        acknowledge(offset + 1000);
        assertEquals(NOTHING, committable());
        assertEquals(2, counters.get(ConsumerCounters.ACKNOWLEDGEMENTS_REFUSED));
    }

    // Behaviour O201, tried 2026-11-29: With `CommitPolicy.acknowledged`, no offset is committed before all delivered
    // records before it are acknowledged, also after a seek and while partitions move. A revocation, and a close
    // by the polling thread, wait for acknowledgements for a limited time. Acknowledgements that are false, late or
    // below an earlier one do not change the committed offset.
    @ParameterizedTest
    @ValueSource(longs = {START, (1L << 48) - 5, (1L << 47) - 5, Long.MAX_VALUE - 20})
    void shouldIgnoreAndCountWhatIsBelowAnEarlierOne(final long start)
    {
        table.seek(PARTITION, start);
        deliver(start + 10);
        acknowledge(start + 9);
        acknowledge(start + 3);
        acknowledge(start + 4);
        acknowledge(start + 9);

        assertEquals(start + 9, acknowledged.committable(PARTITION, start + 12));
        assertEquals(2, counters.get(ConsumerCounters.ACKNOWLEDGEMENTS_IGNORED));
        assertEquals(start + 9, acknowledged.committable(PARTITION, start + 12));
        acknowledge(start + 10);
        acknowledge(start + 1);
        assertEquals(start + 12, acknowledged.committable(PARTITION, start + 12));
        assertEquals(3, counters.get(ConsumerCounters.ACKNOWLEDGEMENTS_IGNORED));
        assertEquals(List.of(), events);
    }

    /** It is not known yet that the first is false when the others arrive. */
    @Test
    void shouldNotCountARefusedOneAsAnEarlierOne()
    {
        deliver(110);
        acknowledge(NEXT + 1);
        acknowledge(107);
        acknowledge(105);
        assertEquals(107, committable());
        assertEquals(List.of("1: 113 of 112"), events);

        acknowledge(106);
        assertEquals(107, committable());
        acknowledge(109);
        assertEquals(109, committable());
        acknowledge(NEXT + 1);
        acknowledge(108);
        assertEquals(109, committable());
        acknowledge(110);
        assertEquals(NEXT, committable());
        assertEquals(List.of("1: 113 of 112", "1: 113 of 112"), events);
    }

    @Test
    void shouldForgetWhatIsBelowWithItsEpoch()
    {
        deliver(110);
        final int first = epoch();
        acknowledge(110);
        acknowledge(105);
        assertEquals(NEXT, committable());
        for (int i = 0; i < EPOCHS; i++)
        {
            table.seek(PARTITION, START);
            deliver(110);
            assertEquals(NOTHING, committable());
        }

        assertEquals(first, epoch());
    }

    @ParameterizedTest
    @ValueSource(longs = {(1L << 48) - 5, (1L << 48), (1L << 47) - 3, (1L << 62) + 7, Long.MAX_VALUE - 20})
    void shouldFindTheOffsetByItsLowBits(final long start)
    {
        table.seek(PARTITION, start);
        deliver(start + 10);

        for (long offset = start; offset < start + 10; offset++)
        {
            acknowledge(offset);
            assertEquals(offset, acknowledged.committable(PARTITION, start + 12));
        }
        acknowledge(start + 10);
        assertEquals(start + 12, acknowledged.committable(PARTITION, start + 12));
        acknowledge(start + 13);
        assertEquals(NOTHING, acknowledged.committable(PARTITION, start + 12));
        acknowledge(start - 1);
        assertEquals(NOTHING, acknowledged.committable(PARTITION, start + 12));
        assertEquals(
            List.of("1: " + (start + 13) + " of " + (start + 12), "1: " + (start - 1) + " of " + (start + 12)), events);
    }

    // Behaviour O201.
    @Test
    void shouldIgnoreAnEarlierAssignment()
    {
        deliver(110);
        final int earlier = epoch();
        acknowledge(110);
        table.unassign(PARTITION);
        assertEquals(NEXT, committable());
        table.assignAtOffset(PARTITION, START, PartitionTable.NULL_EPOCH);

        assertEquals(START, acknowledged.committable(PARTITION, START));
        deliver(105);
        assertEquals(NOTHING, committable());
        acknowledged.acknowledge(PARTITION, earlier, 104);
        assertEquals(NOTHING, committable());
        acknowledge(104);
        assertEquals(104, committable());
    }

    /** A thread that was slow acknowledges a record from before the seek, after another thread has gone on. */
    @Test
    void shouldKeepAnAcknowledgementWhenOneOfAnEarlierEpochFollows()
    {
        deliver(110);
        final int earlier = epoch();
        table.seek(PARTITION, START);
        deliver(105);
        acknowledge(103);
        acknowledged.acknowledge(PARTITION, earlier, 110);

        assertEquals(103, acknowledged.committable(PARTITION, 105));
        assertEquals(0, counters.get(ConsumerCounters.ACKNOWLEDGEMENTS_IGNORED));
    }

    /** What was delivered before a seek and is not acknowledged must be delivered again after a failure. */
    // Behaviour O201.
    @Test
    void shouldCommitNothingAfterASeekUntilWhatWasDeliveredBeforeIsAcknowledged()
    {
        deliver(110);
        acknowledge(105);
        final int earlier = epoch();
        table.seek(PARTITION, NEXT);

        assertEquals(NOTHING, committable());
        acknowledged.acknowledge(PARTITION, earlier, 109);
        assertEquals(NOTHING, committable());
        assertEquals(List.of(), events);
        acknowledged.acknowledge(PARTITION, earlier, 111);
        assertEquals(NOTHING, committable());
        assertEquals(List.of("1: 111 of 110"), events);
        acknowledged.acknowledge(PARTITION, earlier, 110);
        assertEquals(NEXT, committable());

        deliver(NEXT);
        acknowledged.acknowledge(PARTITION, earlier, 110);
        assertEquals(NOTHING, committable());
        acknowledge(NEXT);
        assertEquals(NEXT, committable());
    }

    @Test
    void shouldBeginAgainAfterTheLastEpoch()
    {
        deliver(110);
        acknowledge(110);
        final int first = epoch();
        int highest = 0;
        for (int i = 0; i < EPOCHS - 1; i++)
        {
            table.seek(PARTITION, START);
            deliver(110);
            assertEquals(NOTHING, committable());
            highest = Math.max(highest, epoch());
            assertTrue(epoch() >= 1);
        }
        assertEquals(EPOCHS, highest);
        acknowledge(109);
        assertEquals(109, committable());
        table.seek(PARTITION, START);
        deliver(110);
        assertEquals(first, epoch());
        assertEquals(NOTHING, committable());
    }

    // Behaviour O202.
    @Test
    void shouldWakeOnlyByTheAcknowledgementThatIsAwaited()
    {
        deliver(110);
        acknowledge(105);
        assertEquals(0, wakeups);

        assertFalse(acknowledged.await(PARTITION, NEXT));
        acknowledge(109);
        assertEquals(0, wakeups);
        acknowledge(110);
        assertEquals(1, wakeups);
        assertTrue(acknowledged.await(PARTITION, NEXT));
        acknowledge(110);
        assertEquals(1, wakeups);

        deliver(113);
        acknowledge(9000);
        assertFalse(acknowledged.await(PARTITION, 114));
        acknowledge(9000);
        acknowledge(113);
        assertEquals(3, wakeups);
        assertTrue(acknowledged.await(PARTITION, 114));

        deliver(115);
        assertFalse(acknowledged.await(PARTITION, 115));
        acknowledged.endAwait(PARTITION);
        acknowledge(115);
        assertEquals(3, wakeups);
    }

    @Test
    void shouldHoldManyPartitionsApart()
    {
        final int count = 10_000;
        table.ensureCapacity(count);
        for (int p = PARTITION + 1; p < count; p++)
        {
            acknowledged.ensureSize(p + 1);
            table.assignAtOffset(p, p, PartitionTable.NULL_EPOCH);
            table.endRecords(p, table.partition(p).ownershipEpoch(), 2L * p);
            acknowledged.acknowledge(p, table.partition(p).ownershipEpoch(), p + 1L);
        }

        for (int p = PARTITION + 1; p < count; p++)
        {
            assertEquals(p + 1L, acknowledged.committable(p, 3L * p));
        }
    }

    @ParameterizedTest
    @CsvSource({"-1, 1, 5", "2, 1, 5", "1, 0, 5", "1, 65536, 5", "1, -1, 5", "1, 1, -1"})
    void shouldRefuseWhatNamesNoRecord(final int partition, final int epoch, final long offset)
    {
        final String sentence = assertThrows(IllegalArgumentException.class,
            () -> acknowledged.acknowledge(partition, epoch, offset)).getMessage();

        assertTrue(sentence.startsWith(
            "offset " + offset + " of partition " + partition + " and epoch " + epoch + " cannot be acknowledged: "),
            sentence);
    }
}
