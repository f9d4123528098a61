// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.jmh;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;

import java.util.concurrent.TimeUnit;

/**
 * An operation is one fetch. What JMH says of it is divided by its records in {@link JmhRows}.
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
}
