// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.chain;

import org.odradek.benchmarks.report.Attachment;
import org.odradek.benchmarks.report.Environment;
import org.odradek.benchmarks.report.OptionCheck;
import org.odradek.benchmarks.report.Report;
import org.odradek.benchmarks.report.Row;
import org.odradek.benchmarks.report.RowTable;
import org.odradek.testkit.BrokerProcess;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * {@code bench chain}: checks its options, provides the broker, and says how it ended.
 */
@Command(
    name = "chain",
    description = "Finds how many chains of five services, each 1,000 messages a second, keep p99.9 below 100 ms.",
    mixinStandardHelpOptions = true,
    sortOptions = false)
public final class ChainCommand implements Callable<Integer>
{
    /** The last step overloads the machine on purpose; the broker must not be taken for dead then. */
    static final Map<String, String> BROKER_SETTINGS = Map.of("broker.session.timeout.ms", "60000");

    private static final int MOST_CHAINS = 1_000;
    private static final int MOST_LINGER_MS = 100;

    @Spec
    private CommandSpec spec;

    @Option(names = "--clients", split = ",", paramLabel = "NAME",
        description = "Only these (default: article-stock, stock-timeout, stock-one-thread, odradek-per-service, " +
            "odradek-multiplexed, chronicle-queue).")
    private List<String> clients;

    @Option(names = "--chains", defaultValue = "0", paramLabel = "N",
        description = "Run this number of chains only, instead of searching.")
    private int chains;

    @Option(names = "--linger", defaultValue = ChainPlan.LINGER_MS_DEFAULT, paramLabel = "MS",
        description = "Linger of the producers of all clients that use Kafka (default: ${DEFAULT-VALUE}).")
    private int lingerMs;

    @Option(names = "--quick", description = "Steps of 4 s: a look, not a measurement.")
    private boolean isQuick;

    @Option(names = "--bootstrap", paramLabel = "HOST:PORT",
        description = "Use this cluster instead of a broker of its own.")
    private String bootstrap;

    @Option(names = "--json", paramLabel = "FILE",
        description = "Write the figures there as well, and histogram logs beside it.")
    private Path json;

    @Override
    public Integer call() throws Exception
    {
        checkOptions();
        final long startNs = System.nanoTime();
        final List<ChainArm> arms = Arrays.stream(ChainArm.values())
            .filter(arm -> clients == null || clients.contains(arm.client())).toList();
        final ChainPlan plan =
            new ChainPlan(arms, chains, lingerMs, isQuick ? ChainEffort.QUICK : ChainEffort.FULL, bootstrap);
        say("about " + plan.seconds() + " s");
        final boolean isComplete =
            bootstrap == null ? runOnOwnBroker(plan) : run(plan, bootstrap, ChainSettings.NULL_PID);
        say("done in " + TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - startNs) + " s" +
            (json == null ? "" : ", results in " + json));
        return isComplete ? CommandLine.ExitCode.OK : CommandLine.ExitCode.SOFTWARE;
    }

    private boolean runOnOwnBroker(final ChainPlan plan) throws IOException
    {
        say("starting a broker");
        try (BrokerProcess broker = BrokerProcess.start(BROKER_SETTINGS))
        {
            return run(plan, broker.bootstrapServers(), broker.pid());
        }
    }

    /**
     * @return whether each of our own arms has results.
     */
    private boolean run(final ChainPlan plan, final String servers, final long brokerPid) throws IOException
    {
        final ChainScenario scenario = new ChainScenario(plan, servers, brokerPid, ChainCommand::say);
        final Map<ChainArm, List<ArmSteps>> searches = scenario.run();
        final List<Row> rows = ChainRows.of(searches);
        final Set<String> shown = Set.of(ChainRows.HIGHEST, ChainRows.LOWEST_BROKEN);
        System.out.println();
        System.out.print(RowTable.format(
            rows.stream().filter(row -> shown.contains(row.caseName())).toList(), ChainRows.columns()));
        scenario.notRun().forEach(left -> System.out.println(left.sentence()));
        System.out.println();
        if (json != null)
        {
            final List<Attachment> logs = HistogramLogs.write(json, searches, plan.effort().measuredMs());
            new Report(Environment.describe(plan.settings()), rows, scenario.notRun(), logs).writeTo(json);
        }
        return searches.keySet().containsAll(plan.arms().stream().filter(ChainArm::isOurs).toList());
    }

    private static void say(final String line)
    {
        System.out.println("chain: " + line);
    }

    private void checkOptions()
    {
        final List<String> known = Arrays.stream(ChainArm.values()).map(ChainArm::client).toList();
        final OptionCheck check = new OptionCheck(spec);
        check.that(clients == null || known.containsAll(clients), "--clients must be among " +
            known.stream().collect(Collectors.joining(", ")) + ".");
        check.that(chains >= 0 && chains <= MOST_CHAINS,
            "--chains must be between 1 and " + MOST_CHAINS + ", or 0 to search, not " + chains + ".");
        check.that(lingerMs >= 0 && lingerMs <= MOST_LINGER_MS,
            "--linger must be between 0 and " + MOST_LINGER_MS + ", not " + lingerMs + ".");
        check.bootstrap(bootstrap).writable("--json", json);
    }
}
