/*
 * Licensed under the Apache License, Version 2.0; see the file LICENSE.
 */
package org.odradek.benchmarks.chain;

import org.odradek.benchmarks.report.NotRun;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * Arm after arm: start its JVM, step up the chains until the limit breaks, look closer.
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
     * @throws IllegalStateException if one of our own arms failed; a rival that did is in {@link #notRun()}.
     */
    List<ArmSteps> run() throws IOException
    {
        final List<ArmSteps> all = new ArrayList<>();
        final Path folder = Files.createTempDirectory("odradek-chain-");
        try (ChainTopics topics = new ChainTopics(bootstrap, plan.mostChains(), plan.bootstrap() != null))
        {
            final ChainSettings settings = new ChainSettings(
                bootstrap, topics.names(), brokerPid, plan.lingerMs(), folder.toString());
            for (final ChainArm arm : plan.arms())
            {
                try
                {
                    all.add(new ArmSteps(arm, search(arm, settings)));
                }
                catch (final IllegalStateException ex)
                {
                    if (arm.isOurs())
                    {
                        throw ex;
                    }
                    progress.accept(arm.client() + ": not run: " + ex.getMessage());
                    notRun.add(new NotRun(ChainRows.SCENARIO, ChainRows.HIGHEST, arm.client(), ex.getMessage()));
                }
            }
        }
        finally
        {
            delete(folder);
        }
        return all;
    }

    List<NotRun> notRun()
    {
        return notRun;
    }

    private Map<Integer, List<StepResult>> search(final ChainArm arm, final ChainSettings settings)
    {
        final Map<Integer, List<StepResult>> results = new HashMap<>();
        final ChainSearch search = plan.search(arm);
        try (ChainArmProcess process = new ChainArmProcess(arm, settings))
        {
            process.awaitStart();
            progress.accept(arm.client() + " practises");
            process.run(plan.effort().practice(search.next()));
            for (int chains = search.next(); chains != ChainSearch.DONE; chains = search.next())
            {
                search.onResult(tryStep(process, arm, chains, results));
            }
        }
        return results;
    }

    private boolean tryStep(
        final ChainArmProcess process,
        final ChainArm arm,
        final int chains,
        final Map<Integer, List<StepResult>> results)
    {
        final List<StepResult> tries = new ArrayList<>();
        boolean isHeld = false;
        while (!isHeld && tries.size() < plan.effort().tries())
        {
            final StepResult result = process.run(plan.effort().order(chains));
            tries.add(result);
            isHeld = result.isHeld();
            progress.accept(arm.client() + ": " + describe(result));
        }
        results.put(chains, tries);
        return isHeld;
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
