// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.scenarios;

import static org.odradek.benchmarks.report.Metric.ALLOCATED_PER_RECORD;
import static org.odradek.benchmarks.report.Metric.BROKER_CPU;
import static org.odradek.benchmarks.report.Metric.MEGABYTES_PER_SECOND;
import static org.odradek.benchmarks.report.Metric.PROCESS_CPU_PER_RECORD;
import static org.odradek.benchmarks.report.Metric.RECORDS_PER_SECOND;
import static org.odradek.benchmarks.report.Metric.THREAD_CPU_PER_RECORD;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.odradek.benchmarks.clients.Arms;
import org.odradek.benchmarks.report.Metric;
import org.odradek.benchmarks.report.Report.NotRun;
import org.odradek.benchmarks.report.Rival;
import org.odradek.benchmarks.report.Rows;
import org.odradek.benchmarks.report.TurnOrder;
import org.odradek.benchmarks.report.Usage;
import org.odradek.benchmarks.rig.Arm;
import org.odradek.benchmarks.rig.CaseTopic;
import org.odradek.benchmarks.rig.Child;
import org.odradek.benchmarks.rig.Cluster;
import org.odradek.benchmarks.rig.Prefill;
import org.odradek.benchmarks.rig.Scenario.Results;
import org.odradek.benchmarks.rig.Settings;
import org.odradek.benchmarks.scenarios.CatchupPlan.Case;

/**
 * Case by case: fills a topic, starts every arm, lets them take turns round by round, compares their sums, makes rows.
 * A rival that cannot run is left out and named; ours and the bare loop must run.
 */
final class CatchupRun
{
    static final Metric[] METRICS = {RECORDS_PER_SECOND, MEGABYTES_PER_SECOND, THREAD_CPU_PER_RECORD,
        PROCESS_CPU_PER_RECORD, ALLOCATED_PER_RECORD, Metric.PROCESS_ALLOCATED_PER_RECORD, BROKER_CPU,
        Metric.COMPILER, Metric.CHECKPOINT_P50, Metric.CHECKPOINT_MAX};
    static final List<String> COLUMNS = List.of(RECORDS_PER_SECOND.key(), MEGABYTES_PER_SECOND.key(),
        THREAD_CPU_PER_RECORD.key(), PROCESS_CPU_PER_RECORD.key(), ALLOCATED_PER_RECORD.key(), BROKER_CPU.key(),
        RECORDS_PER_SECOND.to(Rival.BARE_LOOP), RECORDS_PER_SECOND.to(Rival.STOCK));
    private static final List<String> MUST_RUN =
        List.of(Arms.ODRADEK.name(), Arms.BARE_LOOP.name(), Arms.FACADE.name());

    private final Results results = new Results();
    private final CatchupPlan plan;
    private final Cluster cluster;
    private final Consumer<String> progress;

    CatchupRun(final CatchupPlan plan, final Cluster cluster, final Consumer<String> progress)
    {
        this.plan = plan;
        this.cluster = cluster;
        this.progress = progress;
    }

    Results run()
    {
        for (final Case each : plan.cases())
        {
            try (CaseTopic topic =
                new CaseTopic(cluster, plan.scenario() + "-" + each.valueLength(), each.partitions()))
            {
                final Settings settings = CatchupPlan.SHARED.with("bootstrap", cluster.bootstrap(),
                    "topic", topic.name(), "records", plan.records(each),
                    "partitions", IntStream.range(0, each.partitions()).toArray(),
                    "partitionCount", each.partitions(), "checkCrcs", each.isCheckingCrcs(),
                    "valueLength", each.valueLength(), "codec", each.codec(), "job", each.job());
                final Usage written = Prefill.fill(each.name(), settings, progress);
                final Rows rows = new Rows(plan.scenario(), each.name());
                results.rows().addAll(rows(rows, runRounds(each, settings, written)).list());
            }
        }
        return results;
    }

    static Rows rows(final Rows rows, final Map<String, Usage[]> passes)
    {
        rows.add(passes, METRICS);
        for (final String client : passes.keySet())
        {
            rows.addRatio(client, RECORDS_PER_SECOND, Rival.BARE_LOOP)
                .addRatio(client, RECORDS_PER_SECOND, Rival.STOCK);
        }
        return rows.addRatio("odradek", RECORDS_PER_SECOND, Rival.BEST)
            .addRatio("odradek", PROCESS_CPU_PER_RECORD, Rival.BEST)
            .addRatios(List.of(Flink.ODRADEK), List.of(RECORDS_PER_SECOND, PROCESS_CPU_PER_RECORD), Rival.FLINK_KAFKA);
    }

    private Map<String, Usage[]> runRounds(final Case each, final Settings settings, final Usage written)
    {
        final Map<Arm, Child> children = new LinkedHashMap<>();
        final Map<String, Usage[]> measured = new LinkedHashMap<>();
        try
        {
            start(each, settings, children, measured);
            final List<Arm> arms = List.copyOf(children.keySet());
            for (int round = -plan.warmUpPasses(); round < plan.passes(); round++)
            {
                final StringBuilder rates = new StringBuilder();
                for (final int index : TurnOrder.ofRound(Math.max(0, round), arms.size()))
                {
                    final Arm arm = arms.get(index);
                    final Usage pass = round < 0 ? warmUp(children.get(arm), arm, written) :
                        pass(children.get(arm), arm, written);
                    rates.append(String.format(Locale.ROOT, "  %s %.2f", arm.name(),
                        pass.perSecond(pass.records) / 1e6))
                        .append(round < 0 ? " (" + pass.warmUpSeconds + " s)" : "");
                    if (round >= 0)
                    {
                        measured.get(arm.name())[round] = pass;
                    }
                }
                progress.accept(each.name() + (round < 0 ?
                    ": warm-up " + (round + plan.warmUpPasses() + 1) + " of " + plan.warmUpPasses() :
                    ": round " + (round + 1) + " of " + plan.passes()) + ", M records/s:" + rates);
            }
        }
        finally
        {
            children.values().forEach(Child::close);
        }
        return measured;
    }

    /** Each opens its client now, so that one that cannot be opened is known before the rounds. */
    private void start(
        final Case each, final Settings settings, final Map<Arm, Child> children, final Map<String, Usage[]> measured)
    {
        for (final Arm arm : plan.arms())
        {
            if (each.isReadBy(arm))
            {
                try
                {
                    final Child child = arm.start(settings.with(cluster.connection()), CatchupPlan.JVM);
                    children.put(arm, child);
                    child.awaitStart();
                    child.open();
                    measured.put(arm.name(), new Usage[plan.passes()]);
                }
                catch (final Arm.MissingException | IllegalStateException ex)
                {
                    leaveOut(each, arm, children.remove(arm), ex);
                }
            }
        }
    }

    private void leaveOut(final Case each, final Arm arm, final Child child, final RuntimeException cause)
    {
        if (child != null)
        {
            child.close();
        }
        if (MUST_RUN.contains(arm.name()))
        {
            throw cause;
        }
        final String reason = cause.getMessage().lines().limit(2).collect(Collectors.joining(" "));
        progress.accept(each.name() + ": without " + arm.name() + ": " + reason);
        results.notRun().add(new NotRun(plan.scenario(), each.name(), arm.name(), reason));
    }

    private Usage warmUp(final Child child, final Arm arm, final Usage written)
    {
        final long startNs = System.nanoTime();
        Usage last;
        long elapsedNs;
        do
        {
            last = pass(child, arm, written);
            elapsedNs = System.nanoTime() - startNs;
        }
        while (elapsedNs < plan.warmUpNs() || elapsedNs < plan.mostWarmUpNs() &&
            !Child.isQuiet(last.compilerMs, Math.max(1, last.seconds())));
        last.warmUpSeconds = Math.round(elapsedNs / 1e9);
        return last;
    }

    /** An arm rests before it answers, so what the broker still does for its pass is over. */
    private Usage pass(final Child child, final Arm arm, final Usage written)
    {
        final long brokerCpuNs = cluster.brokerCpuNs();
        final Usage pass = child.pass();
        pass.mustHaveReadTheSameAs(written, arm.name());
        pass.brokerCpuNs = cluster.brokerCpuNsSince(brokerCpuNs);
        return pass;
    }
}
