/*
 * Licensed under the Apache License, Version 2.0; see the file LICENSE.
 */
package org.odradek.benchmarks.sle;

import org.odradek.benchmarks.live.ClientSettings;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What is looked for, and how closely.
 *
 * @param levels        in turn.
 * @param clients       in turn.
 * @param firstRate     records a second over all partitions, doubled while it is kept.
 * @param highestRate   that is tried.
 * @param halvings      of the gap after that.
 * @param warmUpSeconds of each rate, before its window.
 * @param jvm           in which the clients run.
 * @param bootstrap     the cluster to use, or null to start three brokers.
 */
record SlePlan(
    List<Level> levels,
    List<SleClient> clients,
    int firstRate,
    int highestRate,
    int halvings,
    int warmUpSeconds,
    ClientJvm jvm,
    String bootstrap)
{
    static final int BROKERS = 3;
    static final int PARTITIONS = 3;
    static final int VALUE_LENGTH = 1_000;
    static final int LINGER_MS = 0;
    static final String ACKS = "1";

    private static final int FIRST_RATE = 3_000;
    private static final int HIGHEST_RATE = 3_000_000;
    private static final int HALVINGS = 2;
    private static final int QUICK_HALVINGS = 1;
    private static final int WARM_UP_SECONDS = 5;
    private static final int QUICK_WARM_UP_SECONDS = 2;
    private static final int START_SECONDS = 20;
    private static final int EXPECTED_DOUBLINGS = 4;
    private static final int EXPECTED_LATER_DOUBLINGS = 2;
    private static final int TURN_SECONDS = 2;

    static SlePlan full(final ClientJvm jvm, final String bootstrap)
    {
        return new SlePlan(Level.FULL, List.of(SleClient.values()), FIRST_RATE, HIGHEST_RATE, HALVINGS, WARM_UP_SECONDS,
            jvm, bootstrap);
    }

    static SlePlan quick(final ClientJvm jvm, final String bootstrap)
    {
        return new SlePlan(Level.QUICK, List.of(SleClient.ODRADEK, SleClient.STOCK), FIRST_RATE, HIGHEST_RATE,
            QUICK_HALVINGS, QUICK_WARM_UP_SECONDS, jvm, bootstrap);
    }

    /**
     * @return the same without clients that need a collector.
     */
    SlePlan withOursAlone()
    {
        return new SlePlan(
            levels, List.of(SleClient.ODRADEK), firstRate, highestRate, halvings, warmUpSeconds, jvm, bootstrap);
    }

    /**
     * @return about how long it will take: it depends on how often the rate can be doubled.
     */
    int expectedSeconds()
    {
        int seconds = START_SECONDS;
        int doublings = EXPECTED_DOUBLINGS;
        for (final Level level : levels)
        {
            seconds += clients.size() * (doublings + halvings) * (warmUpSeconds + level.seconds() + TURN_SECONDS);
            doublings = EXPECTED_LATER_DOUBLINGS;
        }
        return seconds;
    }

    Map<String, Object> settings()
    {
        final Map<String, Object> settings = new LinkedHashMap<>();
        settings.put("brokers", bootstrap == null ? BROKERS + ", each in its own JVM on this machine" : "given");
        settings.put("partitions", PARTITIONS);
        settings.put("replicas", bootstrap == null ? BROKERS : "the cluster's default");
        settings.put("producers", PARTITIONS);
        settings.put("consumers", PARTITIONS);
        settings.put("levels", levels.stream().map(Level::caseName).toList());
        settings.put("clients", clients.stream().map(SleClient::client).toList());
        settings.put("firstRate", firstRate);
        settings.put("halvings", halvings);
        settings.put("warmUpSeconds", warmUpSeconds);
        settings.put("valueLength", VALUE_LENGTH);
        settings.put("producerLingerMs", LINGER_MS);
        settings.put("producerAcks", ACKS);
        settings.putAll(ClientSettings.shared());
        settings.put("clientJava", jvm.version());
        settings.put("clientJvmFlags", jvm.flags());
        return settings;
    }
}
