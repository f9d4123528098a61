// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.scenarios;

import org.odradek.benchmarks.report.Environment;
import org.odradek.benchmarks.rig.Arm;
import org.odradek.benchmarks.rig.Child;
import org.odradek.benchmarks.rig.Cluster;
import org.odradek.benchmarks.rig.Settings;

import java.util.List;
import java.util.Map;

/**
 * Which clients read what, how often and how long.
 *
 * @param megabitsPerSecond of the link, 0 for no limit.
 */
record DistancePlan(String scenario, List<Arm> arms, List<DistancePlan.Case> cases, int rounds,
    DistancePlan.Timing timing, int megabitsPerSecond)
{
    /** Those of an expert, except for arms at their defaults. */
    static final Settings TUNED = Settings.of(
        "fetchMaxBytes", 50 << 20, "partitionMaxBytes", 10 << 20, "fetchMinBytes", 1, "fetchMaxWaitMs", 500,
        "recordLimit", 100_000, "stockRecordLimit", 20_000, "pollTimeoutMs", 100, "checkCrcs", true);
    static final Child.Jvm JVM =
        Child.Jvm.STANDARD.with(List.of("-Xmx1g", "-XX:MaxDirectMemorySize=512m"));
    /** The setting of an arm that takes part only where no window limits the rate. */
    static final String PROXIED_ONLY = "proxiedOnly";
    private static final int BYTES_AROUND_VALUE = 8;
    private static final int RAMP_MS = 200;
    /** How many times as long the logs of fast cases are: a ramp reads at most half of what is left. */
    private static final int FAST_LOGS = 4;
    private static final int MOST_RAMP_OF_MS = 60;

    /**
     * How much and how long.
     *
     * @param bytesPerLog    the approximate length of a log in bytes, except for fast cases; a client that reads a
     *                       log to its end has a shorter turn.
     * @param warmUpMs       at least, of each JVM.
     * @param rampRoundTrips how many a ramp lasts, but at most as long as that many of 60 ms.
     * @param steadyMs       of a turn after its ramp.
     */
    record Timing(long bytesPerLog, int warmUpMs, int rampRoundTrips, int steadyMs)
    {
        static Timing full(final int seconds)
        {
            return new Timing(1_500_000_000, 3_000, 200, 1_000 * seconds);
        }

        static Timing quick(final int seconds)
        {
            return new Timing(600_000_000, 1_000, 100, 500 * seconds);
        }
    }

    /** @param sendBuffer of the broker's sockets; -1 leaves it to the kernel. */
    record BrokerKind(boolean isTls, int sendBuffer)
    {
        static final int KAFKA_DEFAULT = 102_400;
    }

    record LogKind(int partitions, int valueLength)
    {
        String name()
        {
            return partitions + " x " + valueLength + " B";
        }
    }

    /**
     * What is read and how far it is.
     *
     * @param roundTripMs 0 for no link: clients connect over loopback.
     * @param isProxied   true for a link that only delays: no window limits what is on its way.
     */
    record Case(int roundTripMs, LogKind log, BrokerKind broker, String congestion, double lossPercent,
        boolean isProxied)
    {
        private static final int USUAL_VALUE = 1_000;
        /** With cubic the kernel lets a new connection exceed its send buffer, for seconds while it grows. */
        private static final String USUAL_CONGESTION = "bbr";

        /** A broker with its default settings, values of 1,000 bytes, congestion controlled by bbr, no loss. */
        static Case far(final int roundTripMs, final int partitions)
        {
            return new Case(roundTripMs, new LogKind(partitions, USUAL_VALUE),
                new BrokerKind(false, BrokerKind.KAFKA_DEFAULT), USUAL_CONGESTION, 0, false);
        }

        Case with(final int valueLength)
        {
            return new Case(
                roundTripMs, new LogKind(log.partitions, valueLength), broker, congestion, lossPercent, isProxied);
        }

        Case with(final String congestionControl, final double percent)
        {
            return new Case(roundTripMs, log, broker, congestionControl, percent, isProxied);
        }

        Case withSendBufferOfKernel()
        {
            return with(new BrokerKind(broker.isTls, -1));
        }

        Case withTls()
        {
            return with(new BrokerKind(true, broker.sendBuffer));
        }

        private Case with(final BrokerKind otherBroker)
        {
            return new Case(roundTripMs, log, otherBroker, congestion, lossPercent, isProxied);
        }

        Case proxied()
        {
            return new Case(roundTripMs, log, broker, congestion, lossPercent, true);
        }

        /** @return the round trip and the partitions, and what differs from the usual. */
        String name()
        {
            return roundTripMs + " ms, " + log.partitions + (log.partitions == 1 ? " partition" : " partitions") +
                (log.valueLength == USUAL_VALUE ? "" : ", " + log.valueLength + " B") +
                (broker.sendBuffer < 0 ? ", send buffer -1" : "") + (broker.isTls ? ", TLS" : "") +
                (congestion.equals(USUAL_CONGESTION) ? "" : ", " + congestion) +
                (lossPercent == 0 ? "" : ", loss " + lossPercent + " %") + (isProxied ? ", no window" : "");
        }

        boolean isFar()
        {
            return roundTripMs > 0;
        }

        /** @return whether no send buffer of the broker limits the rate. */
        boolean isFast()
        {
            return isProxied || broker.sendBuffer < 0;
        }

        boolean needsTcp()
        {
            return broker.isTls || !congestion.equals(USUAL_CONGESTION) || lossPercent > 0;
        }
    }

    /** @return the time from the making of a client to its steady state: connections open and windows grow. */
    int rampMs(final Case each)
    {
        return Math.min(RAMP_MS + timing.rampRoundTrips * each.roundTripMs(), timing.rampRoundTrips * MOST_RAMP_OF_MS);
    }

    /** @return a number that gives every partition as many records. */
    long records(final Case each)
    {
        final LogKind log = each.log();
        final long bytes = each.isFast() ? FAST_LOGS * timing.bytesPerLog : timing.bytesPerLog;
        return bytes / (log.valueLength() + BYTES_AROUND_VALUE) / log.partitions() * log.partitions();
    }

    Map<String, Object> settings(final String linkKind)
    {
        final Map<String, Object> settings = Environment.ordered("broker", Cluster.describe(null), "link", linkKind,
            "megabitsPerSecond", megabitsPerSecond, "cases", cases.stream().map(Case::name).toList(),
            "rampMs", cases.stream().map(this::rampMs).toList(), "steadyMs", timing.steadyMs, "rounds", rounds,
            "bytesPerLog", timing.bytesPerLog, "armJvmFlags", JVM.flags());
        settings.putAll(TUNED.values());
        arms.forEach((arm) -> settings.put(arm.name(), arm.settings().values()));
        return settings;
    }
}
