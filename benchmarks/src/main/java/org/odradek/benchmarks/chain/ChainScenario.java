// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.chain;

import org.odradek.benchmarks.report.NotRun;
import org.odradek.benchmarks.report.TurnOrder;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * Round by round and arm by arm: start its JVM, step up the chains until the limit breaks, look closer.
 */
final class ChainScenario
{
    private final List<NotRun> notRun = new ArrayList<>();
    private final ChainPlan plan;
    private final String bootstrap;
    private final long brokerPid;
    private final Consumer<String> progress;

    /**
     * @param bootstrap HOST:PORT of the cluster that is used.
     * @param brokerPid of its process if it is ours, or {@link ChainSettings#NULL_PID}.
     * @param progress  gets a line after each step.
     */
    ChainScenario(
        final ChainPlan plan, final String bootstrap, final long brokerPid, final Consumer<String> progress)
    {
        this.plan = plan;
        this.bootstrap = bootstrap;
        this.brokerPid = brokerPid;
        this.progress = progress;
    }

    /**
     * @return of each arm a search for each round; without arms that failed in one of theirs, see {@link #notRun()}.
     */
    Map<ChainArm, List<ArmSteps>> run() throws IOException
    {
        final List<ChainArm> arms = plan.arms();
        final Map<ChainArm, List<ArmSteps>> searches = new EnumMap<>(ChainArm.class);
        arms.forEach(arm -> searches.put(arm, new ArrayList<>()));
        final Path folder = Files.createTempDirectory("odradek-chain-");
        try (ChainTopics topics = new ChainTopics(bootstrap, plan.mostChains(), plan.bootstrap() != null))
        {
            final ChainSettings settings = new ChainSettings(
                bootstrap, topics.names(), brokerPid, plan.lingerMs(), folder.toString());
            for (int round = 0; round < plan.effort().rounds(); round++)
            {
                for (final int index : TurnOrder.ofRound(round, arms.size()))
                {
                    if (searches.containsKey(arms.get(index)))
                    {
                        search(round, arms.get(index), settings, searches);
                    }
                }
            }
        }
        finally
        {
            delete(folder);
        }
        return searches;
    }

    /**
     * @return who lost a message, got one twice, or failed otherwise, and so has no figures.
     */
    List<NotRun> notRun()
    {
        return notRun;
    }

    private void search(
        final int round,
        final ChainArm arm,
        final ChainSettings settings,
        final Map<ChainArm, List<ArmSteps>> searches)
    {
        final String who = "round " + (round + 1) + " of " + plan.effort().rounds() + ", " + arm.client();
        try
        {
            searches.get(arm).add(new ArmSteps(search(who, arm, settings)));
        }
        catch (final IllegalStateException ex)
        {
            progress.accept(who + ": not run: " + ex.getMessage());
            notRun.add(new NotRun(ChainRows.SCENARIO, NotRun.EVERY, arm.client(), ex.getMessage()));
            searches.remove(arm);
        }
    }

    private Map<Integer, List<StepResult>> search(
        final String who, final ChainArm arm, final ChainSettings settings)
    {
        final Map<Integer, List<StepResult>> results = new HashMap<>();
        final ChainSearch search = plan.search(arm);
        try (ChainArmProcess process = new ChainArmProcess(arm, settings))
        {
            process.awaitStart();
            progress.accept(who + " practises");
            process.run(plan.effort().practice(search.next()));
            for (int chains = search.next(); chains != ChainSearch.DONE; chains = search.next())
            {
                final List<StepResult> tries = tryStep(who, process, chains);
                results.put(chains, tries);
                search.onResult(tries.get(tries.size() - 1).isHeld());
            }
        }
        return results;
    }

    private List<StepResult> tryStep(final String who, final ChainArmProcess process, final int chains)
    {
        final List<StepResult> tries = new ArrayList<>();
        boolean isHeld = false;
        while (!isHeld && tries.size() < plan.effort().tries())
        {
            final StepResult result = process.run(plan.effort().order(chains));
            tries.add(result);
            isHeld = result.isHeld();
            progress.accept(who + ": " + describe(result));
        }
        return tries;
    }

    private static String describe(final StepResult result)
    {
        return String.format(Locale.ROOT, "%d chain%s %s, %s, client %.0f %% CPU%s", result.chains(),
            result.chains() == 1 ? "" : "s", result.isHeld() ? "held" : "broke",
            result.isCut() ? "given up with a backlog of seconds" :
                String.format(Locale.ROOT, "p99.9 %.1f ms", result.limitedNs() / 1e6),
            result.processCpuPercent(),
            result.brokerCpuPercent() > 0 ?
                String.format(Locale.ROOT, ", broker %.0f %%", result.brokerCpuPercent()) : "");
    }

    private static void delete(final Path folder) throws IOException
    {
        try (Stream<Path> files = Files.walk(folder))
        {
            for (final Path file : files.sorted(Comparator.reverseOrder()).toList())
            {
                Files.delete(file);
            }
        }
    }
}
