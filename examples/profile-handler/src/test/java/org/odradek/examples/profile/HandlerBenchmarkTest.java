// SPDX-License-Identifier: Apache-2.0
package org.odradek.examples.profile;

import org.junit.jupiter.api.Test;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

import java.util.Map;
import java.util.stream.Collectors;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** Runs the benchmark for a second, in this JVM: a page of the documentation says which bytes it shows. */
class HandlerBenchmarkTest
{
    private static final int HEADER_LENGTH = 16;
    /** JMH's own threads allocate some thousand bytes in each iteration, which has some hundred thousand records. */
    private static final double NOISE = 0.5;

    @Test
    void shouldSeeNothingOfAnEmptyHandlerAndAPlantedObjectAtItsSize() throws RunnerException
    {
        System.setProperty("jmh.ignoreLock", "true");

        final Map<String, Double> bytes = new Runner(new OptionsBuilder()
            .include(HandlerBenchmark.class.getSimpleName())
            .forks(0)
            .warmupIterations(1).warmupTime(TimeValue.milliseconds(200))
            .measurementIterations(2).measurementTime(TimeValue.milliseconds(200))
            .addProfiler(GCProfiler.class)
            .shouldFailOnError(true)
            .verbosity(VerboseMode.SILENT).build()).run().stream()
            .collect(Collectors.toMap((result) -> result.getPrimaryResult().getLabel(), HandlerBenchmarkTest::bytes));

        assertEquals(0, bytes.get("empty"), NOISE);
        assertEquals(HEADER_LENGTH + HandlerBenchmark.PLANTED_LENGTH, bytes.get("planted"), NOISE);
        assertEquals(0, bytes.get("yours"), NOISE);
    }

    private static double bytes(final RunResult result)
    {
        return result.getSecondaryResults().get("gc.alloc.rate.norm").getScore();
    }
}
