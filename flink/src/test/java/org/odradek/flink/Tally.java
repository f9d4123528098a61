// SPDX-License-Identifier: Apache-2.0
package org.odradek.flink;

import org.apache.flink.api.common.functions.RichFlatMapFunction;
import org.apache.flink.api.common.state.CheckpointListener;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.runtime.state.FunctionInitializationContext;
import org.apache.flink.runtime.state.FunctionSnapshotContext;
import org.apache.flink.streaming.api.checkpoint.CheckpointedFunction;
import org.apache.flink.types.LongValue;
import org.apache.flink.util.Collector;
import org.odradek.testkit.internal.ThreadUsage;

import java.io.IOException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.locks.LockSupport;

/**
 * Counts the records of each partition and adds up their numbers, in checkpointed state, and shows the sums of all
 * subtasks to the test, which runs in the same JVM. It passes nothing on. On demand it is slow, fails after
 * checkpoints, and counts the bytes that the task's thread allocates.
 */
final class Tally extends RichFlatMapFunction<LongValue, LongValue> implements CheckpointedFunction, CheckpointListener
{
    static final int PARTITION_SHIFT = 40;
    static final int MAX_PARTITIONS = 8;

    private static final long serialVersionUID = 1;
    private static final int MAX_SUBTASKS = 8;
    private static final int LENGTH = 2 * MAX_PARTITIONS;
    private static final int RECORDS_PER_PAUSE = 64;
    private static final long PAUSE_NS = 500_000;
    private static final int CHECKPOINTS_PER_FAILURE = 3;

    /** For each subtask the counts and the sums, as of its last record. */
    private static final AtomicLongArray BOARD = new AtomicLongArray(MAX_SUBTASKS * LENGTH);
    private static final AtomicInteger FAILURES = new AtomicInteger();
    private static final AtomicInteger STARTS = new AtomicInteger();
    /** Set by the test, read by tasks. */
    private static volatile int failuresWanted;
    private static volatile boolean isSlow;
    private static volatile long measuredFrom;
    private static volatile long measuredTo;
    /** Set by the task, read by the test. */
    private static volatile long allocatedBytes;

    private long records;
    private long bytesBefore;
    private long checkpoints;
    private boolean isToFail;
    private int subtask;
    private final long[] values = new long[LENGTH];
    private transient ListState<long[]> state;

    /** Before each test. */
    static void reset()
    {
        failuresWanted = 0;
        isSlow = false;
        measuredFrom = Long.MAX_VALUE;
        measuredTo = Long.MAX_VALUE;
        allocatedBytes = -1;
        FAILURES.set(0);
        STARTS.set(0);
        clear();
    }

    /** Before a job that continues with state and another number of subtasks. */
    static void clear()
    {
        for (int i = 0; i < BOARD.length(); i++)
        {
            BOARD.set(i, 0);
        }
    }

    static void failAfterCheckpoints(final int times)
    {
        failuresWanted = times;
    }

    static void slow(final boolean isOn)
    {
        isSlow = isOn;
    }

    /** Measures the bytes that the task allocates from one record of it to another. */
    static void measure(final long fromRecord, final long toRecord)
    {
        measuredFrom = fromRecord;
        measuredTo = toRecord;
    }

    static long allocatedBytes()
    {
        return allocatedBytes;
    }

    static int failures()
    {
        return FAILURES.get();
    }

    /** How many times a subtask has been started. */
    static int starts()
    {
        return STARTS.get();
    }

    static long count(final int partition)
    {
        return sum(partition);
    }

    static long count()
    {
        long count = 0;
        for (int p = 0; p < MAX_PARTITIONS; p++)
        {
            count += count(p);
        }
        return count;
    }

    static long sumOfNumbers(final int partition)
    {
        return sum(MAX_PARTITIONS + partition);
    }

    private static long sum(final int index)
    {
        long sum = 0;
        for (int s = 0; s < MAX_SUBTASKS; s++)
        {
            sum += BOARD.get(s * LENGTH + index);
        }
        return sum;
    }

    @Override
    public void flatMap(final LongValue element, final Collector<LongValue> output) throws Exception
    {
        final long value = element.getValue();
        final int partition = (int)(value >> PARTITION_SHIFT);
        values[partition]++;
        values[MAX_PARTITIONS + partition] += value & (1L << PARTITION_SHIFT) - 1;
        BOARD.lazySet(subtask * LENGTH + partition, values[partition]);
        BOARD.lazySet(subtask * LENGTH + MAX_PARTITIONS + partition, values[MAX_PARTITIONS + partition]);
        records++;
        if (records == measuredFrom)
        {
            bytesBefore = ThreadUsage.allocatedBytes();
        }
        if (records == measuredTo)
        {
            allocatedBytes = ThreadUsage.allocatedBytes() - bytesBefore;
        }
        if (isSlow && records % RECORDS_PER_PAUSE == 0)
        {
            LockSupport.parkNanos(PAUSE_NS);
        }
        if (isToFail)
        {
            throw new IOException("The test wants failure " + FAILURES.incrementAndGet() + " of " + failuresWanted);
        }
    }

    @Override
    public void notifyCheckpointComplete(final long checkpointId)
    {
        checkpoints++;
        isToFail = checkpoints == CHECKPOINTS_PER_FAILURE && FAILURES.get() < failuresWanted;
    }

    @Override
    public void snapshotState(final FunctionSnapshotContext context) throws Exception
    {
        state.clear();
        state.add(values.clone());
    }

    @Override
    public void initializeState(final FunctionInitializationContext context) throws Exception
    {
        STARTS.incrementAndGet();
        subtask = getRuntimeContext().getTaskInfo().getIndexOfThisSubtask();
        state = context.getOperatorStateStore().getListState(new ListStateDescriptor<>(
            "tally", PrimitiveArrayTypeInfo.LONG_PRIMITIVE_ARRAY_TYPE_INFO));
        for (final long[] stored : state.get())
        {
            for (int i = 0; i < LENGTH; i++)
            {
                values[i] += stored[i];
            }
        }
        for (int i = 0; i < LENGTH; i++)
        {
            BOARD.set(subtask * LENGTH + i, values[i]);
        }
    }
}
