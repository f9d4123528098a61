// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.latency;

import org.odradek.benchmarks.live.ClientSettings;
import org.odradek.benchmarks.live.Timing;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * How much is measured how often.
 *
 * @param rates     records a second, a case for each.
 * @param clients   that take turns.
 * @param timing    of the turns.
 * @param bootstrap the cluster to use, or null to start a broker.
 */
record LatencyPlan(List<Integer> rates, List<LatencyClient> clients, Timing timing, String bootstrap)
{
    static final List<Integer> RATES = List.of(1_000, 5_000, 10_000, 50_000, 100_000);
    static final List<Integer> QUICK_RATES = List.of(1_000, 10_000, 50_000);
    static final Timing FULL_TIMING = new Timing(2, 4, 6, 1);
    static final Timing QUICK_TIMING = new Timing(1, 5, 6, 3);
    static final int VALUE_LENGTH = 100;
    static final int LINGER_MS = 0;
    static final String ACKS = "1";

    private static final int START_SECONDS = 15;

    static String caseName(final int rate)
    {
        return String.format(Locale.ROOT, "%,d/s", rate);
    }

    /**
     * @return about how long it will take.
     */
    int totalSeconds()
    {
        return START_SECONDS + rates.size() * timing.firstWarmUpSeconds() +
            timing.totalSeconds(clients.size(), rates.size());
    }

    Map<String, Object> settings()
    {
        final Map<String, Object> settings = new LinkedHashMap<>();
        settings.put("broker", bootstrap == null ? "own, in its own JVM on this machine" : "given");
        settings.put("recordsPerSecond", rates);
        settings.put("clients", clients.stream().map(LatencyClient::client).toList());
        settings.put("valueLength", VALUE_LENGTH);
        settings.put("lingerMs", LINGER_MS);
        settings.put("acks", ACKS);
        settings.put("rounds", timing.rounds());
        settings.put("secondsPerTurn", timing.seconds());
        settings.put("firstWarmUpSeconds", timing.firstWarmUpSeconds());
        settings.put("warmUpSeconds", timing.warmUpSeconds());
        settings.putAll(ClientSettings.shared());
        return settings;
    }
}
