// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.idle;

import org.odradek.benchmarks.live.ClientKind;
import org.odradek.benchmarks.live.ClientSettings;
import org.odradek.benchmarks.live.Timing;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Who waits for how long.
 *
 * @param clients   that take turns, the empty JVM among them, besides librdkafka.
 * @param practiceSeconds of each client, before the first turn.
 * @param timing    of the turns.
 * @param bootstrap the cluster to use, or null to start a broker.
 */
record IdlePlan(List<ClientKind> clients, int practiceSeconds, Timing timing, String bootstrap)
{
    static final String NO_RECORDS = "no records";
    static final String ONE_A_SECOND = "1/s";
    static final int CASES = 2;
    static final int VALUE_LENGTH = 23;
    static final String ACKS = "1";
    static final Timing FULL_TIMING = new Timing(2, 15, 3, 3);
    static final Timing QUICK_TIMING = new Timing(1, 5, 1, 1);
    static final int PRACTICE_PER_SECOND = 500;

    private static final int FULL_PRACTICE_SECONDS = 15;
    private static final int QUICK_PRACTICE_SECONDS = 4;

    private static final int LIBRDKAFKA = 1;
    private static final int START_SECONDS = 10;

    static IdlePlan full(final Timing timing, final String bootstrap)
    {
        return new IdlePlan(List.of(ClientKind.ODRADEK, ClientKind.STOCK, ClientKind.STOCK_DEFAULTS,
            ClientKind.STOCK_NEW, ClientKind.BARE_LOOP, ClientKind.EMPTY_JVM), FULL_PRACTICE_SECONDS, timing,
            bootstrap);
    }

    /** Without the stock client's own defaults: on an idle topic they differ in nothing that matters. */
    static IdlePlan quick(final Timing timing, final String bootstrap)
    {
        return new IdlePlan(List.of(ClientKind.ODRADEK, ClientKind.STOCK, ClientKind.STOCK_NEW, ClientKind.EMPTY_JVM),
            QUICK_PRACTICE_SECONDS, timing, bootstrap);
    }

    int totalSeconds()
    {
        return START_SECONDS + (clients.size() + LIBRDKAFKA) * (practiceSeconds + 1) +
            timing.laterSeconds(clients.size() + LIBRDKAFKA, CASES);
    }

    Map<String, Object> settings()
    {
        final Map<String, Object> settings = new LinkedHashMap<>();
        settings.put("broker", bootstrap == null ? "own, in its own JVM on this machine" : "given");
        settings.put("valueLength", VALUE_LENGTH);
        settings.put("acks", ACKS);
        settings.put("practice", PRACTICE_PER_SECOND + "/s, polls of " + ClientSettings.BRIEF_TIMEOUT_MS + " ms, for " +
            practiceSeconds + " s");
        settings.put("rounds", timing.rounds());
        settings.put("secondsPerTurn", timing.seconds());
        settings.put("firstWarmUpSeconds", timing.firstWarmUpSeconds());
        settings.put("warmUpSeconds", timing.warmUpSeconds());
        settings.putAll(ClientSettings.shared());
        return settings;
    }
}
