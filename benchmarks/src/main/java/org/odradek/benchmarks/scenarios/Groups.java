// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.scenarios;

import static org.odradek.benchmarks.report.Metric.JOIN;
import static org.odradek.benchmarks.report.Metric.KILL;
import static org.odradek.benchmarks.report.Metric.LEAVE;
import static org.odradek.benchmarks.report.Metric.PROCESS_CPU;
import static org.odradek.benchmarks.report.Metric.REPEATED_AFTER_JOIN;
import static org.odradek.benchmarks.report.Metric.REPEATED_AFTER_KILL;
import static org.odradek.benchmarks.report.Metric.REPEATED_AFTER_LEAVE;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.odradek.benchmarks.clients.Arms;
import org.odradek.benchmarks.clients.Member;
import org.odradek.benchmarks.report.Report.NotRun;
import org.odradek.benchmarks.report.Rival;
import org.odradek.benchmarks.report.Rows;
import org.odradek.benchmarks.rig.Arm;
import org.odradek.benchmarks.rig.Child;
import org.odradek.benchmarks.rig.Cluster;
import org.odradek.benchmarks.rig.OptionCheck;
import org.odradek.benchmarks.rig.Scenario;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * {@code bench groups}: how long do the partitions of a group stand still when a member joins, leaves or is killed, how
 * many records are delivered again, and what does a member cost that has nothing to do?
 */
@Command(name = Groups.NAME,
    description = "Lets members of a group join, leave and be killed, and measures until every partition delivers.")
public final class Groups extends Scenario.OnCluster
{
    static final String NAME = "groups";
    private static final String MOVING = GroupsRun.PARTITIONS + " partitions";
    private static final String IDLE = "idle, " + GroupsRun.IDLE_PARTITIONS + " partitions";
    private static final List<Arm> ARMS = List.of(Member.ODRADEK, Member.ODRADEK_1S, Member.ODRADEK_CLASSIC,
        Member.STOCK, Member.STOCK_NEW, Arms.LIBRDKAFKA);
    private static final List<Arm> QUICK_ARMS = List.of(Member.ODRADEK, Member.STOCK_NEW, Arms.LIBRDKAFKA);
    private static final Rival[] RIVALS = {Rival.STOCK, Rival.STOCK_NEW, Rival.LIBRDKAFKA};
    private static final int SECONDS_OF_ROUND = 42;
    private static final int ROUNDS = 5;

    @Option(names = "--rounds", paramLabel = "N",
        description = "In each a member joins and leaves, and one joins and is killed (default: 5, with --quick 1).")
    private Integer rounds;
    @Option(names = "--session", paramLabel = "SECONDS", defaultValue = "15",
        description = "Session timeout, after which a killed member is gone (default: ${DEFAULT-VALUE}; Kafka: 45).")
    private int sessionSeconds;

    @Override
    protected void check(final OptionCheck check)
    {
        super.check(check);
        check.that(rounds == null || rounds >= 1, "--rounds must be at least 1, not " + rounds + ".");
        check.that(sessionSeconds >= 10 && sessionSeconds <= 60,
            "--session must be between 10 and 60, not " + sessionSeconds + ".");
    }

    private int rounds()
    {
        return rounds != null ? rounds : isQuick() ? 1 : ROUNDS;
    }

    private List<Arm> arms()
    {
        return onChosenJvm(isQuick() ? QUICK_ARMS : ARMS);
    }

    private String sessionMs()
    {
        return String.valueOf(sessionSeconds * 1_000);
    }

    @Override
    public int expectedSeconds(final boolean isQuick)
    {
        return (isQuick ? QUICK_ARMS.size() : ARMS.size() * ROUNDS) * (SECONDS_OF_ROUND + 15) + ARMS.size() * 12;
    }

    @Override
    protected Results runOnOwnCluster() throws Exception
    {
        return runOnOwnBroker(Map.of("group.consumer.min.session.timeout.ms", sessionMs(),
            "group.consumer.session.timeout.ms", sessionMs()), this::run);
    }

    @Override
    protected Results run(final Cluster cluster)
    {
        final Results results = new Results();
        final Rows moving = new Rows(NAME, MOVING);
        final Rows idle = new Rows(NAME, IDLE);
        for (final Arm arm : arms())
        {
            say("measuring " + arm.name());
            try (GroupsRun run = new GroupsRun(cluster, arm, Arms.LIVE.with("sessionMs", sessionMs())))
            {
                run.run(rounds()).forEach((metric, figures) -> (metric == PROCESS_CPU ? idle : moving)
                    .add(arm.name(), metric, figures.stream().mapToDouble(Double::doubleValue).toArray()));
            }
            catch (final Arm.MissingException | IllegalStateException ex)
            {
                if (arm.name().equals(Member.ODRADEK.name()))
                {
                    throw ex;
                }
                final String reason = ex.getMessage().lines().findFirst().orElse("");
                say("without " + arm.name() + ": " + reason);
                results.notRun().add(new NotRun(NAME, NotRun.EVERY, arm.name(), reason));
            }
        }
        final List<String> ours =
            List.of(Member.ODRADEK.name(), Member.ODRADEK_1S.name(), Member.ODRADEK_CLASSIC.name());
        results.rows().addAll(moving.addRatios(ours, List.of(JOIN, LEAVE, KILL), RIVALS).list());
        results.rows().addAll(idle.addRatios(ours, List.of(PROCESS_CPU), RIVALS).list());
        return results;
    }

    @Override
    protected Map<String, Object> settings()
    {
        final Map<String, Object> settings = new LinkedHashMap<>();
        settings.put("broker", Cluster.describe(bootstrap()));
        settings.put("clients", arms().stream().map(Arm::name).toList());
        settings.put("rounds", rounds());
        settings.put("sessionSeconds", sessionSeconds);
        settings.put("recordIntervalMs", GroupsRun.RECORD_INTERVAL_NS / 1_000_000);
        settings.put("clientJvmFlags", Child.Jvm.STANDARD.flags());
        return settings;
    }

    @Override
    protected List<String> columns()
    {
        return List.of(JOIN.key(), LEAVE.key(), KILL.key(), REPEATED_AFTER_JOIN.key(), REPEATED_AFTER_LEAVE.key(),
            REPEATED_AFTER_KILL.key(), PROCESS_CPU.key(), PROCESS_CPU.to(Rival.STOCK_NEW));
    }
}
