// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.sle;

import java.util.List;

/**
 * The garbage collectors that can be compared.
 */
enum Collector
{
    G1("-XX:+UseG1GC"),
    SERIAL("-XX:+UseSerialGC"),
    PARALLEL("-XX:+UseParallelGC"),
    ZGC("-XX:+UseZGC"),
    /** For ours only: it collects nothing, so a client that allocates ends. */
    EPSILON("-XX:+UnlockExperimentalVMOptions", "-XX:+UseEpsilonGC");

    private final List<String> flags;

    Collector(final String... flags)
    {
        this.flags = List.of(flags);
    }

    List<String> flags()
    {
        return flags;
    }
}
