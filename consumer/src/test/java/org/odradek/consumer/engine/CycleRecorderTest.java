// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.engine;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.odradek.client.ClientKind;
import org.odradek.client.CountersFileReader;
import org.odradek.client.core.CounterWriter;
import org.odradek.client.core.CountersFile;
import org.odradek.client.core.DutyClock;
import org.odradek.client.support.UnlimitedMemory;
import org.odradek.consumer.ConsumerConfiguration;
import org.odradek.consumer.core.ConsumerSettings;
import org.odradek.consumer.core.Environment;
import org.odradek.consumer.fetch.PartitionTable;
import org.odradek.consumer.handler.ConsumerCounters;
import org.odradek.consumer.handler.ConsumerListener;
import org.odradek.consumer.handler.StallPhase;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

class CycleRecorderTest implements ConsumerListener
{
    private static final int PARTITIONS = 3 * CycleRecorder.CHECKED_PARTITIONS;

    @TempDir
    private Path folder;
    private final List<String> errors = new ArrayList<>();
    private final PartitionTable table = new PartitionTable(new ConsumerSettings());
    private final List<String> stalls = new ArrayList<>();
    private long nowNs;
    private final DutyClock clock = new DutyClock(() -> nowNs, () -> 0);
    private CountersFile file;

    private CycleRecorder recorder(final boolean isReadCommitted)
    {
        file = CountersFile.create(
            folder.resolve("counters"), ConsumerConfiguration.FILE_PERMISSIONS_DEFAULT, ClientKind.CONSUMER, "topic",
            clock);
        final CounterWriter counters = file.counters();
        final ConsumerSettings settings = new ConsumerSettings();
        settings.stallThresholdNs = 100;
        settings.isReadCommitted = isReadCommitted;
        return new CycleRecorder(file, table, new Environment(settings, null, clock, UnlimitedMemory.budget(0),
            counters, this, (error) -> errors.add(error.getMessage())));
    }

    @Override
    public void onStall(final StallPhase phase, final long stalledNs)
    {
        stalls.add(phase + " " + stalledNs);
    }

    private void assign(final int partitions, final long offset)
    {
        table.ensureCapacity(partitions);
        for (int p = 0; p < partitions; p++)
        {
            table.assignAtOffset(p, offset, PartitionTable.NULL_EPOCH);
        }
    }

    private long[] values(final int typeId)
    {
        return CountersFileReader.partitionValues(file.reader(), typeId);
    }

    private int written(final long offset)
    {
        return (int)Arrays.stream(values(CountersFileReader.NEXT_OFFSET_TYPE_ID))
            .filter((next) -> next == offset).count();
    }

    @Test
    void shouldCheckSomePartitionsInEachCycleThatDelivers()
    {
        final CycleRecorder recorder = recorder(false);
        assign(PARTITIONS, 5);

        recorder.writeOffsets(false, 1);
        assertEquals(CycleRecorder.CHECKED_PARTITIONS, written(5));
        recorder.writeOffsets(false, 1);
        recorder.writeOffsets(false, 1);
        assertEquals(PARTITIONS, written(5));

        assign(PARTITIONS, 6);
        recorder.writeOffsets(false, 1);
        assertEquals(CycleRecorder.CHECKED_PARTITIONS, written(6));
        recorder.end();
        assertEquals(PARTITIONS, written(6));
    }

    @Test
    void shouldCheckAllPartitionsInAnIdleCycleAndThenAfterAWhile()
    {
        final CycleRecorder recorder = recorder(false);
        assign(PARTITIONS, 5);
        recorder.writeOffsets(true, 1);
        assertEquals(PARTITIONS, written(5));

        assign(PARTITIONS, 6);
        recorder.writeOffsets(true, 2);
        assertEquals(CycleRecorder.CHECKED_PARTITIONS, written(6));
        recorder.writeOffsets(true, 1_000_000_000);
        assertEquals(PARTITIONS, written(6));
    }

    @Test
    void shouldReportTheLagToTheLastReadableOffset()
    {
        for (final boolean isReadCommitted : new boolean[] {false, true})
        {
            final CycleRecorder recorder = recorder(isReadCommitted);
            assign(4, 10);
            table.progress(0, 17, 14, 0);
            table.progress(1, 10, 10, 0);
            table.progress(2, 8, 8, 0);

            recorder.writeOffsets(true, 1);

            assertArrayEquals(new long[] {isReadCommitted ? 4 : 7, 0, 0, -1}, values(CountersFileReader.LAG_TYPE_ID));
            assertArrayEquals(new long[] {17, 10, 8, -1}, values(CountersFileReader.HIGH_WATERMARK_TYPE_ID));
        }
    }

    @Test
    void shouldReportThePhaseInWhichMostOfAStallWasSpent()
    {
        final CycleRecorder recorder = recorder(false);
        endCycle(recorder, 100, 0);
        endCycle(recorder, 80, 21);
        endCycle(recorder, 50, 60);
        endCycle(recorder, 150, 0);

        assertEquals(List.of("CONTROL 101", "HANDLER 110", "CONTROL 150"), stalls);
        assertEquals(3, file.counters().get(ConsumerCounters.STALLS));
        assertEquals(150, file.counters().get(ConsumerCounters.LONGEST_CYCLE_NS));
    }

    /** As a handler does that calls keepAlive. */
    @Test
    void shouldCountACycleFromItsBeginningIfTheClockAdvancesMeanwhile()
    {
        final CycleRecorder recorder = recorder(false);
        clock.update();
        recorder.beginCycle();
        recorder.beginDelivery();
        nowNs += 90;
        clock.update();
        nowNs += 90;
        recorder.endCycle(0);

        assertEquals(List.of("HANDLER 180"), stalls);
        assertEquals(180, file.counters().get(ConsumerCounters.LONGEST_CYCLE_NS));
    }

    private void endCycle(final CycleRecorder recorder, final long controlNs, final long handlerNs)
    {
        clock.update();
        recorder.beginCycle();
        nowNs += controlNs;
        if (handlerNs > 0)
        {
            recorder.beginDelivery();
            nowNs += handlerNs;
        }
        recorder.endCycle(0);
    }

    /** The work of the cycle before a wait does not count again, and neither does the time that was asked for. */
    @Test
    void shouldReportAWaitThatEndsTooLate()
    {
        final CycleRecorder recorder = recorder(false);
        endCycle(recorder, 90, 0);
        recorder.endWait(0, 1_000, 90 + 1_000 + 100);
        recorder.endWait(2_000, 1_000, 2_000 + 1_000 + 100);
        assertEquals(List.of(), stalls);

        recorder.endWait(0, 1_000, 90 + 1_000 + 101);
        recorder.endWait(2_000, 1_000, 2_000 + 1_000 + 102);

        assertEquals(List.of("WAITING 101", "WAITING 102"), stalls);
        assertEquals(2, file.counters().get(ConsumerCounters.STALLS));
        assertEquals(90, file.counters().get(ConsumerCounters.LONGEST_CYCLE_NS));
    }

    @Test
    void shouldReportOnceThatTheFileIsFull()
    {
        final CycleRecorder recorder = recorder(false);
        assign(4_000, 5);

        recorder.end();
        assign(4_000, 6);
        recorder.end();

        final int room = written(6);
        assertTrue(room > 1_300 && room < 4_000, () -> room + " partitions");
        assertEquals(List.of("The counters file has no room for partition " + room +
            " and the partitions found after it; they are read, but not shown in the file."), errors);
        assertEquals(1, file.counters().get(ConsumerCounters.ERRORS));
    }
}
