// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.jmh;

import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/**
 * What is read, as JMH's parameters; {@link JmhCase} gives their values.
 */
@State(Scope.Benchmark)
public class FetchParameters
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
