// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.jmh;

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

import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;

/**
 * An operation is one fetch. What JMH says of it is divided by its records in {@link JmhScenario}; a {@link JmhCase}
 * gives the parameters.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class FetchBenchmark
{
    @Param
    public Client client;
    @Param("23")
    public int valueLength;
    @Param("none")
    public String codec;
    @Param("1")
    public int batchCount;
    @Param("true")
    public boolean isCheckingCrcs;

    private Reader reader;

    /** Reads recorded fetches, as long as its JVM runs. */
    interface Reader
    {
        /** @return the sum of {@link RecordedBatches#touch} so far; of the codec alone the bytes of this fetch. */
        long readFetch();
    }

    /** Who reads the recorded fetches. */
    public enum Client
    {
        ODRADEK("odradek", OdradekReader::new),
        /** Its forks have the class path of an earlier commit, where it is called ODRADEK. */
        ODRADEK_BEFORE("odradek-before", OdradekReader::new),
        KAFKA_CLIENTS_POLL("kafka-clients-poll", KafkaClientsPollReader::new),
        KAFKA_CLIENTS("kafka-clients", KafkaClientsReader::new),
        CODEC("codec alone", (batches, isCheckingCrcs) -> new CodecReader(batches));

        final String title;
        private final BiFunction<RecordedBatches, Boolean, Reader> opening;

        Client(final String title, final BiFunction<RecordedBatches, Boolean, Reader> opening)
        {
            this.title = title;
            this.opening = opening;
        }

        /** @return a reader of these batches that has read them once and found what is there. */
        Reader open(final RecordedBatches batches, final boolean isCheckingCrcs)
        {
            final Reader reader = opening.apply(batches, isCheckingCrcs);
            final long sum = reader.readFetch();
            if (this != CODEC && sum != batches.sum())
            {
                throw new IllegalStateException("What was read adds up to " + sum + ", not " + batches.sum() + ".");
            }
            return reader;
        }
    }

    @Setup
    public void setUp()
    {
        reader = client.open(RecordedBatches.of(valueLength, codec, batchCount), isCheckingCrcs);
    }

    @Benchmark
    public long readFetch(final ThreadAllocation allocation)
    {
        allocation.beginFetch();
        return reader.readFetch();
    }

    /**
     * What the reading thread itself allocates, from the first fetch of an iteration to the last. JMH's profiler counts
     * all threads, and JMH's own few thousand bytes an iteration with them: too many to show a zero by.
     */
    @State(Scope.Thread)
    @AuxCounters(AuxCounters.Type.EVENTS)
    public static class ThreadAllocation
    {
        private final AllocationMeter meter = new AllocationMeter();
        private long fetches;

        @Setup(Level.Iteration)
        public void setUp()
        {
            fetches = 0;
        }

        void beginFetch()
        {
            if (fetches++ == 0)
            {
                meter.start();
            }
        }

        @TearDown(Level.Iteration)
        public void tearDown()
        {
            meter.stop();
        }

        /** Read by JMH after each iteration. */
        public double bytesPerFetch()
        {
            return (double)meter.allocatedBytes() / fetches;
        }
    }
}
