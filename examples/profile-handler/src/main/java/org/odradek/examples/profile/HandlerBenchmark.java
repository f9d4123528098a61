// SPDX-License-Identifier: Apache-2.0
package org.odradek.examples.profile;

import org.odradek.consumer.handler.RecordHandler;
import org.odradek.replay.CapturedFrames;
import org.odradek.replay.FrameReplay;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

import java.util.concurrent.TimeUnit;

/**
 * Replays frames through a handler; an operation is one record. {@link #empty} shows the cost of reading a record
 * without doing anything with it, and {@link #planted} that an allocation is seen: subtract the first from yours.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(value = 1, jvmArgsAppend = "--add-exports=java.base/jdk.internal.misc=ALL-UNNAMED")
public class HandlerBenchmark
{
    /** An array of this length takes 48 bytes: 16 for its header, and 32 for its content. */
    static final int PLANTED_LENGTH = 32;

    private static final int RECORDS = 1_000;

    /** The file of captured frames; empty for built-in ones. */
    @Param("")
    public String frames;

    /** A field keeps the array alive: the compiler removes an object that nobody can see. */
    public byte[] kept;

    private final RecordHandler emptyHandler = (record) -> {};
    private final RecordHandler plantedHandler = (record) -> this.kept = new byte[PLANTED_LENGTH];
    private final YourHandler yourHandler = new YourHandler();
    private CapturedFrames captured;
    private FrameReplay replay;

    @Setup
    public void setUp()
    {
        captured = Frames.open(frames);
        replay = new FrameReplay(captured);
        Frames.check(replay);
    }

    @TearDown
    public void tearDown()
    {
        replay.close();
        captured.close();
    }

    @Benchmark
    @OperationsPerInvocation(RECORDS)
    public void empty()
    {
        deliver(emptyHandler);
    }

    @Benchmark
    @OperationsPerInvocation(RECORDS)
    public byte[] planted()
    {
        deliver(plantedHandler);
        return kept;
    }

    @Benchmark
    @OperationsPerInvocation(RECORDS)
    public long yours()
    {
        deliver(yourHandler);
        return yourHandler.total();
    }

    private void deliver(final RecordHandler handler)
    {
        int left = RECORDS;
        while (left > 0)
        {
            left -= replay.poll(handler, left);
            if (replay.isDone())
            {
                replay.rewind();
            }
        }
    }
}
