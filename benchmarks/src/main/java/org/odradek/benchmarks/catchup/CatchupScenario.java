// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.catchup;

import org.odradek.benchmarks.arm.CaseTopic;
import org.odradek.benchmarks.report.Environment;
import org.odradek.benchmarks.report.NotRun;
import org.odradek.benchmarks.report.Report;
import org.odradek.benchmarks.report.Row;
import org.odradek.benchmarks.report.TurnOrder;

import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Case by case: fill a topic, start every arm, let them take turns round by round, compare their sums, make rows.
 */
final class CatchupScenario
{
    private final List<Row> rows = new ArrayList<>();
    private final List<NotRun> notRun = new ArrayList<>();
    private final CatchupPlan plan;
    private final String bootstrap;
    private final BrokerCpu brokerCpu;
    private final Consumer<String> progress;

    /**
     * @param bootstrap HOST:PORT of the cluster that is used.
     * @param brokerCpu of the one broker, if it is known.
     * @param progress  gets a line now and then.
     */
    CatchupScenario(
        final CatchupPlan plan, final String bootstrap, final BrokerCpu brokerCpu, final Consumer<String> progress)
    {
        this.plan = plan;
        this.bootstrap = bootstrap;
        this.brokerCpu = brokerCpu;
        this.progress = progress;
    }

    Report run() throws Exception
    {
        for (final CatchupCase catchupCase : plan.cases())
        {
            runCase(catchupCase);
        }
        return new Report(Environment.describe(plan.settings()), rows, notRun, List.of());
    }

    private void runCase(final CatchupCase catchupCase) throws Exception
    {
        final long records = plan.records(catchupCase);
        final String label = plan.scenario() + "-" + catchupCase.valueLength();
        try (CaseTopic topic =
            new CaseTopic(bootstrap, label, catchupCase.partitions(), plan.bootstrap() != null))
        {
            final String leader = topic.leader(0);
            final long sum = new TopicFill(catchupCase, progress).run(bootstrap, topic.name(), records);
            final ArmSettings settings = new ArmSettings(bootstrap, leader, topic.name(), catchupCase.partitions(),
                plan.recordsPerPartition(catchupCase), catchupCase.isCheckingCrcs());
            final Pass expected = Pass.written(records, records * catchupCase.valueLength(), sum);
            rows.addAll(CatchupRows.of(
                plan.scenario(), catchupCase.name(), runRounds(catchupCase, settings, expected)));
        }
    }

    private Map<ArmKind, Pass[]> runRounds(
        final CatchupCase catchupCase, final ArmSettings settings, final Pass expected) throws IOException
    {
        final Map<ArmKind, Pass[]> measured = new EnumMap<>(ArmKind.class);
        try (ArmProcesses arms = new ArmProcesses(plan, catchupCase, settings))
        {
            arms.notRun().forEach(left -> progress.accept(left.caseName() + ": without " + left.client() + ": " +
                left.reason()));
            notRun.addAll(arms.notRun());
            final ArmKind[] kinds = arms.kinds();
            for (int round = -plan.warmUpPasses(); round < plan.passes(); round++)
            {
                final StringBuilder rates = new StringBuilder();
                for (final int arm : TurnOrder.ofRound(Math.max(0, round), kinds.length))
                {
                    final Pass pass = round < 0 ?
                        warmUp(arms, kinds[arm], expected) : pass(arms, kinds[arm], expected);
                    if (round >= 0)
                    {
                        measured.computeIfAbsent(kinds[arm], key -> new Pass[plan.passes()])[round] = pass;
                    }
                    rates.append(String.format(Locale.ROOT, "  %s %.2f", kinds[arm].client(),
                        pass.recordsPerSecond() / 1e6));
                }
                progress.accept(catchupCase.name() + ": " + nameOfRound(round) + ", M records/s:" + rates);
            }
        }
        return measured;
    }

    private Pass warmUp(final ArmProcesses arms, final ArmKind kind, final Pass expected) throws IOException
    {
        final long endNs = System.nanoTime() + plan.warmUpNs();
        Pass last;
        do
        {
            last = pass(arms, kind, expected);
        }
        while (System.nanoTime() - endNs < 0);
        return last;
    }

    /** An arm rests before it answers, so what the broker still does for its pass is over. */
    private Pass pass(final ArmProcesses arms, final ArmKind kind, final Pass expected) throws IOException
    {
        final long beforeNs = brokerCpu.ns();
        final Pass pass = arms.pass(kind);
        pass.mustHaveReadTheSameAs(expected, kind.client());
        return pass.withBrokerCpuNs(beforeNs == BrokerCpu.UNKNOWN ? beforeNs : brokerCpu.ns() - beforeNs);
    }

    private String nameOfRound(final int round)
    {
        return round < 0 ?
            "warm-up " + (round + plan.warmUpPasses() + 1) + " of " + plan.warmUpPasses() :
            "round " + (round + 1) + " of " + plan.passes();
    }
}
