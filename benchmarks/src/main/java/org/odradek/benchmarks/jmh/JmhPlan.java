// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.jmh;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What is measured, how often and for how long.
 *
 * @param cases             in the order in which they are shown.
 * @param forks             JVMs for each case and client.
 * @param warmUpIterations  in each JVM, discarded.
 * @param warmUpMs          of each of those.
 * @param iterations        in each JVM; their median is what the JVM says.
 * @param iterationMs       of each of those.
 */
record JmhPlan(
    List<JmhCase> cases, int forks, int warmUpIterations, int warmUpMs, int iterations, int iterationMs)
{
    static final List<String> JVM_FLAGS =
        List.of("-Xms256m", "-Xmx256m", "-XX:+UseG1GC", "-XX:MaxDirectMemorySize=256m");

    private static final int[] VALUE_LENGTHS = {23, 100, 1_000};
    private static final String[] CODECS = {"gzip", "snappy", "lz4", "zstd"};
    private static final String[] QUICK_CODECS = {"lz4", "zstd"};
    private static final double JVM_START_SECONDS = 0.9;

    static JmhPlan full()
    {
        final List<JmhCase> cases = new ArrayList<>();
        for (final int valueLength : VALUE_LENGTHS)
        {
            cases.add(new JmhCase(valueLength, JmhCase.NO_CODEC, JmhCase.SMALL_FETCH, true));
            cases.add(new JmhCase(valueLength, JmhCase.NO_CODEC, JmhCase.LARGE_FETCH, true));
        }
        cases.add(new JmhCase(VALUE_LENGTHS[0], JmhCase.NO_CODEC, JmhCase.LARGE_FETCH, false));
        for (final String codec : CODECS)
        {
            for (final int valueLength : VALUE_LENGTHS)
            {
                cases.add(new JmhCase(valueLength, codec, JmhCase.LARGE_FETCH, true));
            }
        }
        return new JmhPlan(cases, 3, 3, 300, 7, 100);
    }

    static JmhPlan quick()
    {
        final List<JmhCase> cases = new ArrayList<>();
        for (final int valueLength : VALUE_LENGTHS)
        {
            cases.add(new JmhCase(valueLength, JmhCase.NO_CODEC, JmhCase.LARGE_FETCH, true));
        }
        for (final String codec : QUICK_CODECS)
        {
            cases.add(new JmhCase(VALUE_LENGTHS[1], codec, JmhCase.LARGE_FETCH, true));
        }
        return new JmhPlan(cases, 2, 2, 250, 5, 80);
    }

    /**
     * How long it will take on a machine that does nothing else.
     */
    long expectedSeconds()
    {
        final double seconds = JVM_START_SECONDS + (warmUpIterations * warmUpMs + iterations * iterationMs) / 1e3;
        return Math.round(forks * seconds * cases.stream().mapToInt((jmhCase) -> jmhCase.clients().size()).sum());
    }

    Map<String, Object> settings()
    {
        final Map<String, Object> settings = new LinkedHashMap<>();
        settings.put("isQuick", equals(quick()));
        settings.put("forks", forks);
        settings.put("warmUpIterations", warmUpIterations);
        settings.put("warmUpMs", warmUpMs);
        settings.put("iterations", iterations);
        settings.put("iterationMs", iterationMs);
        settings.put("profiler", "gc");
        settings.put("jvmFlags", JVM_FLAGS);
        settings.put("batchLength", RecordedBatches.BATCH_LENGTH);
        return settings;
    }
}
