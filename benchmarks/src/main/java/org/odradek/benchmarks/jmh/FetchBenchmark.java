// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.jmh;

import java.util.concurrent.TimeUnit;
import org.odradek.testkit.AllocationMeter;
import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * An operation is one fetch. What JMH says of it is divided by its records in {@link JmhPlan}.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class FetchBenchmark
{
    @Benchmark
    public long odradek(final OdradekReader reader, final ThreadAllocation allocation)
    {
        allocation.beginFetch();
        return reader.readFetch();
    }

    @Benchmark
    public long kafkaClients(final KafkaClientsReader reader, final ThreadAllocation allocation)
    {
        allocation.beginFetch();
        return reader.readFetch();
    }

    @Benchmark
    public long kafkaClientsPoll(final KafkaClientsPollReader reader, final ThreadAllocation allocation)
    {
        allocation.beginFetch();
        return reader.readFetch();
    }

    @Benchmark
    public long codec(final CodecReader reader, final ThreadAllocation allocation)
    {
        allocation.beginFetch();
        return reader.decompressFetch();
    }

    /**
     * What is read, as JMH's parameters; {@link JmhCase} gives their values.
     */
    @State(Scope.Benchmark)
    public static class FetchParameters
    {
        @Param("23")
        public int valueLength;

        @Param("none")
        public String codec;

        @Param("1")
        public int batchCount;

        @Param("true")
        public boolean isCheckingCrcs;

        private RecordedBatches batches;

        @Setup
        public void setUp()
        {
            batches = new RecordedBatches(valueLength, codec, batchCount);
        }

        RecordedBatches batches()
        {
            return batches;
        }

        /**
         * The first fetch that a reader has read shows whether it reads what is there.
         */
        void check(final long sum)
        {
            if (sum != batches.sum())
            {
                throw new IllegalStateException("What was read adds up to " + sum + ", not " + batches.sum() + ".");
            }
        }
    }

    /**
     * What the reading thread itself allocates, from the first fetch of an iteration to the last. JMH's profiler counts
     * all threads, and JMH's own few thousand bytes an iteration with them: too many to show a zero by.
     */
    @State(Scope.Thread)
    @AuxCounters(AuxCounters.Type.EVENTS)
    public static class ThreadAllocation
    {
        public long allocatedBytes;
        public long fetches;

        private final AllocationMeter meter = new AllocationMeter();
        private boolean isStarted;

        @Setup(Level.Iteration)
        public void setUp()
        {
            isStarted = false;
        }

        void beginFetch()
        {
            if (!isStarted)
            {
                isStarted = true;
                meter.start();
            }
            fetches++;
        }

        @TearDown(Level.Iteration)
        public void tearDown()
        {
            meter.stop();
            allocatedBytes = meter.allocatedBytes();
        }
    }
}
