// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.signalfx;

import org.odradek.benchmarks.live.ClientKind;
import org.odradek.benchmarks.live.ClientSettings;
import org.odradek.benchmarks.live.Timing;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Who reads what for how long.
 *
 * @param cases                in this order.
 * @param clients              that take turns, besides librdkafka.
 * @param timing               of the turns.
 * @param profiled             of whom there are flame graphs.
 * @param profileWarmUpSeconds before sampling for flame graphs.
 * @param profileSeconds       sampled for each flame graph, in the first case.
 * @param bootstrap            the cluster to use, or null to start a broker.
 */
record SignalfxPlan(
    List<SignalfxCase> cases,
    List<ClientKind> clients,
    Timing firstTiming,
    Timing timing,
    List<ClientKind> profiled,
    int profileWarmUpSeconds,
    int profileSeconds,
    String bootstrap)
{
    static final int VALUE_LENGTH = 23;
    static final String ACKS = "1";
    static final Timing FULL_FIRST_TIMING = new Timing(2, 150, 15, 5);
    static final Timing FULL_TIMING = new Timing(2, 8, 15, 3);
    static final Timing QUICK_TIMING = new Timing(2, 5, 6, 2);

    private static final List<ClientKind> PROFILED = List.of(ClientKind.ODRADEK, ClientKind.STOCK);
    private static final int FLAME_GRAPHS_EACH = 2;
    private static final int LIBRDKAFKA = 1;
    private static final int START_SECONDS = 12;

    static SignalfxPlan full(final Timing firstTiming, final Timing timing, final String bootstrap)
    {
        return new SignalfxPlan(
            List.of(new SignalfxCase(5_000, 0), new SignalfxCase(5_000, 5), new SignalfxCase(10_000, 0),
                new SignalfxCase(10_000, 5)),
            List.of(ClientKind.ODRADEK, ClientKind.ODRADEK_PACED, ClientKind.STOCK, ClientKind.STOCK_DEFAULTS,
                ClientKind.STOCK_NEW, ClientKind.BARE_LOOP),
            firstTiming, timing, PROFILED, 5, 15, bootstrap);
    }

    static SignalfxPlan quick(final Timing timing, final String bootstrap)
    {
        return new SignalfxPlan(
            List.of(new SignalfxCase(5_000, 0), new SignalfxCase(5_000, 5)),
            List.of(ClientKind.ODRADEK, ClientKind.ODRADEK_PACED, ClientKind.STOCK),
            timing, timing, PROFILED, 2, 3, bootstrap);
    }

    /** The first case is the one that a client of this kind was once measured by, and takes the time that took. */
    Timing timing(final SignalfxCase each)
    {
        return each.equals(cases.get(0)) ? firstTiming : timing;
    }

    int totalSeconds(final boolean hasFlameGraphs)
    {
        return START_SECONDS + firstTiming.totalSeconds(clients.size() + LIBRDKAFKA, 1) +
            timing.laterSeconds(clients.size() + LIBRDKAFKA, cases.size() - 1) +
            (hasFlameGraphs ? FLAME_GRAPHS_EACH * profiled.size() * (profileWarmUpSeconds + profileSeconds + 1) : 0);
    }

    Map<String, Object> settings()
    {
        final Map<String, Object> settings = new LinkedHashMap<>();
        settings.put("broker", bootstrap == null ? "own, in its own JVM on this machine" : "given");
        settings.put("cases", cases.stream().map(SignalfxCase::caseName).toList());
        settings.put("valueLength", VALUE_LENGTH);
        settings.put("acks", ACKS);
        settings.put("rounds", timing.rounds());
        settings.put("secondsPerTurnOfFirstCase", firstTiming.seconds());
        settings.put("secondsPerTurn", timing.seconds());
        settings.put("firstWarmUpSeconds", timing.firstWarmUpSeconds());
        settings.put("warmUpSeconds", timing.warmUpSeconds());
        settings.putAll(ClientSettings.shared());
        return settings;
    }
}
