// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.sle;

import org.odradek.benchmarks.live.ClientSettings;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What is looked for, and how closely.
 *
 * @param levels      one after the other.
 * @param clients     that take turns.
 * @param timing      of their turns.
 * @param firstRate   records a second over all partitions, doubled while it is kept.
 * @param highestRate that is tried.
 * @param jvm         in which the clients run.
 * @param bootstrap   the cluster to use, or null to start three brokers.
 */
record SlePlan(
    List<Level> levels,
    List<SleClient> clients,
    SleTiming timing,
    int firstRate,
    int highestRate,
    ClientJvm jvm,
    String bootstrap)
{
    static final int BROKERS = 3;
    static final int PARTITIONS = 3;
    static final int VALUE_LENGTH = 1_000;
    static final int LINGER_MS = 0;
    static final String ACKS = "1";
    /**
     * Of each partition's log: more than a minute of what two cores can write, so nobody reads what is gone.
     */
    static final int KEPT_BYTES = 1 << 30;

    private static final int FIRST_RATE = 3_000;
    private static final int HIGHEST_RATE = 3_000_000;
    private static final int START_SECONDS = 15;
    private static final int CLIENT_START_SECONDS = 3;
    private static final int EXPECTED_DOUBLINGS = 4;
    private static final int EXPECTED_LATER_DOUBLINGS = 2;
    private static final int PROBE_SECONDS = 1;

    static SlePlan full(final ClientJvm jvm, final String bootstrap)
    {
        return new SlePlan(Level.FULL, List.of(SleClient.values()), SleTiming.FULL, FIRST_RATE, HIGHEST_RATE, jvm,
            bootstrap);
    }

    static SlePlan quick(final ClientJvm jvm, final String bootstrap)
    {
        return new SlePlan(Level.QUICK, List.of(SleClient.ODRADEK, SleClient.STOCK), SleTiming.QUICK, FIRST_RATE,
            HIGHEST_RATE, jvm, bootstrap);
    }

    /**
     * @return the same without clients that need a collector.
     */
    SlePlan withOursAlone()
    {
        return new SlePlan(levels, List.of(SleClient.ODRADEK), timing, firstRate, highestRate, jvm, bootstrap);
    }

    /**
     * @return about how long it will take: it depends on how often the rate can be doubled.
     */
    int expectedSeconds()
    {
        int seconds = CLIENT_START_SECONDS + timing.practiceSeconds();
        int doublings = EXPECTED_DOUBLINGS;
        for (final Level level : levels)
        {
            seconds += (doublings + level.halvings()) * (timing.warmUpSeconds() + level.seconds() + PROBE_SECONDS);
            doublings = EXPECTED_LATER_DOUBLINGS;
        }
        return START_SECONDS + timing.firstPracticeSeconds() - timing.practiceSeconds() +
            timing.rounds() * clients.size() * seconds;
    }

    Map<String, Object> settings()
    {
        final Map<String, Object> settings = new LinkedHashMap<>();
        settings.put("brokers", bootstrap == null ? BROKERS + ", each in its own JVM on this machine" : "given");
        settings.put("partitions", PARTITIONS);
        settings.put("replicas", bootstrap == null ? BROKERS : "the cluster's default");
        settings.put("keptBytesPerPartition", KEPT_BYTES);
        settings.put("producers", PARTITIONS);
        settings.put("consumers", PARTITIONS);
        settings.put("levels", levels.stream().map(Level::caseName).toList());
        settings.put("clients", clients.stream().map(SleClient::client).toList());
        settings.put("firstRate", firstRate);
        settings.put("halvings", levels.stream().map(Level::halvings).toList());
        settings.put("rounds", timing.rounds());
        settings.put("firstPracticeSeconds", timing.firstPracticeSeconds());
        settings.put("practiceSeconds", timing.practiceSeconds());
        settings.put("warmUpSeconds", timing.warmUpSeconds());
        settings.put("valueLength", VALUE_LENGTH);
        settings.put("producerLingerMs", LINGER_MS);
        settings.put("producerAcks", ACKS);
        settings.putAll(ClientSettings.shared());
        settings.put("clientJava", jvm.version());
        settings.put("clientJvmFlags", jvm.flags());
        return settings;
    }
}
