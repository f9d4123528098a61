// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.scenarios;

import java.io.IOException;
import java.util.List;
import org.odradek.benchmarks.clients.Arms;
import org.odradek.benchmarks.report.Metric;
import org.odradek.benchmarks.rig.Arm;
import org.odradek.benchmarks.rig.Cluster;
import org.odradek.benchmarks.rig.LivePlan;
import org.odradek.benchmarks.rig.LivePlan.Case;
import org.odradek.benchmarks.rig.LivePlan.Timing;
import org.odradek.benchmarks.rig.LiveScenario;
import org.odradek.benchmarks.rig.OptionCheck;
import org.odradek.benchmarks.rig.Scenario.Facts;
import org.odradek.testkit.SecureListener;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * {@code odradek demo}: our consumer and the stock one on a live topic, each out of the box and each set up for few
 * wake-ups. Exit code 0 means that every client read every record and that ours allocated nothing.
 */
@Command(name = "demo",
    description = "Reads a live topic with our consumer and with the stock one: CPU, bytes and latency.")
@Facts(quickSeconds = 120, seconds = 320, columns = {"threadCpuPercent", "processCpuPercent", "allocatedBytes",
    "allocatedBytesPerRecord", "gcCount", "fetchesPerSecond", "latencyP50Us", "latencyP99Us"})
public final class Demo extends LiveScenario
{
    private static final List<Arm> ARMS = List.of(Arms.ODRADEK, Arms.withBudget(Arms.ODRADEK, 2),
        Arms.STOCK_DEFAULTS, Arms.withBudget(Arms.STOCK_TUNED, 2));

    @Option(names = "--rate", paramLabel = "N", defaultValue = "5000",
        description = "Records produced per second (default: ${DEFAULT-VALUE}).")
    private int rate;
    @Option(names = "--secure", description = "Connect the clients with TLS and SCRAM-SHA-512 to the demo's broker.")
    private boolean isSecure;

    @Override
    protected void check(final OptionCheck check)
    {
        super.check(check);
        check.between("--rate", 1, 100_000, rate);
    }

    @Override
    protected LivePlan plan()
    {
        final String name = Signalfx.linger(rate, 0).name() + (isSecure ? ", TLS" : "");
        return new LivePlan(name(), List.of(new Case(name, rate, 0)), ARMS, Signalfx.SHARED,
            timing(isQuick() ? new Timing(1, 5, 3, 3) : new Timing(2, 20, 15, 5)), Signalfx::rows);
    }

    @Override
    protected SecureListener listener()
    {
        return isSecure ? SecureListener.SASL_SSL : null;
    }

    @Override
    protected Results run(final Cluster cluster) throws InterruptedException, IOException
    {
        say("a producer sends " + rate + " records/s of 23 bytes, linger 0 ms; one client at a time reads them");
        ARMS.forEach(arm -> say(arm.name() + ": " +
            (arm.settings().values().isEmpty() ? Signalfx.SHARED : arm.settings()).values()));
        return super.run(cluster);
    }

    @Override
    protected boolean isComplete(final Results results)
    {
        final double bytes = results.rows().stream().filter(row -> row.metric().equals(Metric.ALLOCATED.key()) &&
            row.client().startsWith(Arms.ODRADEK.name())).mapToDouble(row -> row.summary().max()).sum();
        say(String.format("every client read every record; our polling thread allocated %,.0f bytes%s", bytes,
            bytes == 0 ? "" : ", which should be 0"));
        return bytes == 0;
    }
}
