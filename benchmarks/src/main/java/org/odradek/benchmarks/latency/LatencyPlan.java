/*
 * Licensed under the Apache License, Version 2.0; see the file LICENSE.
 */
package org.odradek.benchmarks.latency;

import org.odradek.benchmarks.live.ClientSettings;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * How much is measured how often.
 *
 * @param rates         records a second, a case for each.
 * @param clients       in turn.
 * @param rounds        in each of which every client has a run at every rate.
 * @param warmUpSeconds before each run, with the same load.
 * @param seconds       of a run that are measured.
 * @param bootstrap     the cluster to use, or null to start a broker.
 */
record LatencyPlan(
    List<Integer> rates,
    List<LatencyClient> clients,
    int rounds,
    int warmUpSeconds,
    int seconds,
    String bootstrap)
{
    static final List<Integer> RATES = List.of(1_000, 5_000, 10_000, 50_000, 100_000);
    static final List<Integer> QUICK_RATES = List.of(1_000, 10_000, 50_000);
    static final int ROUNDS = 3;
    static final int SECONDS = 30;
    static final int QUICK_SECONDS = 5;
    static final int VALUE_LENGTH = 100;
    static final int LINGER_MS = 0;
    static final String ACKS = "1";

    private static final int WARM_UP_SECONDS = 5;
    private static final int QUICK_WARM_UP_SECONDS = 3;
    private static final int START_SECONDS = 15;
    private static final double TURN_SECONDS = 1.5;

    static LatencyPlan full(final List<Integer> rates, final int rounds, final int seconds, final String bootstrap)
    {
        return new LatencyPlan(rates, LatencyClient.ALL, rounds, WARM_UP_SECONDS, seconds, bootstrap);
    }

    static LatencyPlan quick(final String bootstrap)
    {
        return new LatencyPlan(
            QUICK_RATES, LatencyClient.QUICK, 1, QUICK_WARM_UP_SECONDS, QUICK_SECONDS, bootstrap);
    }

    /**
     * @return about how long it will take.
     */
    int expectedSeconds()
    {
        final double turns = (double)rates.size() * clients.size() * rounds;
        return START_SECONDS + (int)Math.ceil(turns * (warmUpSeconds + seconds + TURN_SECONDS));
    }

    Map<String, Object> settings()
    {
        final Map<String, Object> settings = new LinkedHashMap<>();
        settings.put("broker", bootstrap == null ? "own, in its own JVM on this machine" : "given");
        settings.put("recordsPerSecond", rates);
        settings.put("clients", clients.stream().map(LatencyClient::client).toList());
        settings.put("rounds", rounds);
        settings.put("warmUpSeconds", warmUpSeconds);
        settings.put("seconds", seconds);
        settings.put("valueLength", VALUE_LENGTH);
        settings.put("producerLingerMs", LINGER_MS);
        settings.put("producerAcks", ACKS);
        settings.putAll(ClientSettings.shared());
        return settings;
    }
}
