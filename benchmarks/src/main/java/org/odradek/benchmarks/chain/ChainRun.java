// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.chain;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.odradek.benchmarks.chain.ChainRows.Search;
import org.odradek.benchmarks.chain.ChainTask.Result;
import org.odradek.benchmarks.report.Report.NotRun;
import org.odradek.benchmarks.report.TurnOrder;
import org.odradek.benchmarks.rig.CaseTopic;
import org.odradek.benchmarks.rig.Child;
import org.odradek.benchmarks.rig.Cluster;
import org.odradek.benchmarks.rig.Scenario.Results;
import org.odradek.benchmarks.rig.Settings;

/**
 * Round by round and arm by arm: starts its JVM, steps up the chains until the limit breaks, then looks closer. An arm
 * that lost a message, got one twice, or failed otherwise has no figures.
 */
final class ChainRun
{
    static final Effort QUICK = new Effort(1, 4_000, 1_000, 2_500, 4, 1);
    static final Effort FULL = new Effort(2, 20_000, 4_000, 10_000, 6, 2);
    /** Thousands of logs: an index of the default size would take 10 MiB of each at once. */
    private static final Map<String, String> TOPIC_CONFIGS = Map.of("segment.index.bytes", "1048576");

    private final Results results = new Results();
    private final Map<ChainArm, List<Search>> searches = new LinkedHashMap<>();
    private final Plan plan;
    private final Cluster cluster;
    private final Consumer<String> progress;

    /**
     * How long and how often is measured.
     *
     * @param rounds     turns of each arm, each in a new JVM with a search of its own.
     * @param practiceMs before the first step of a JVM, with half of its chains: the arm and what of the broker it
     *                   needs
     *                   are compiled meanwhile. Nothing of it is kept.
     * @param warmUpMs   of each step, not measured.
     * @param measuredMs of each step.
     * @param maxSteps   of each search at most.
     * @param tries      a step that broke is tried so often before it counts.
     */
    record Effort(int rounds, int practiceMs, int warmUpMs, int measuredMs, int maxSteps, int tries)
    {
    }

    /**
     * Who looks for how many chains, and how long a step takes.
     *
     * @param arms     that take turns.
     * @param chains   this number only, or 0 to search.
     * @param lingerMs of the producers of all arms that use a broker.
     * @param jvm      of all arms.
     */
    record Plan(List<ChainArm> arms, int chains, int lingerMs, Settings jvm, Effort effort)
    {
        private ChainSearch search(final ChainArm arm)
        {
            return chains > 0 ? new ChainSearch(chains, chains, 1) :
                new ChainSearch(arm.firstChains(), arm.mostChains(), effort.maxSteps());
        }

        /** Partitions that each topic needs. */
        private int mostPartitions()
        {
            return arms.stream().filter(ChainArm::isOnKafka)
                .mapToInt(arm -> arm.partitions(chains > 0 ? chains : arm.mostChains())).max().orElse(1);
        }

        Map<String, Object> settings()
        {
            final Map<String, Object> settings = new LinkedHashMap<>();
            settings.put("arms", arms.stream().map(ChainArm::client).toList());
            settings.put("services", Chains.SERVICES);
            settings.put("messagesPerSecondAndChain", 1_000_000_000 / ChainSchedule.PERIOD_NS);
            settings.put("limit", "p99.9 below 100 ms, coordinated omission corrected");
            settings.put("rounds", effort.rounds());
            settings.put("practiceMs", effort.practiceMs());
            settings.put("warmUpMs", effort.warmUpMs());
            settings.put("measuredMs", effort.measuredMs());
            settings.put("maxSteps", effort.maxSteps());
            settings.put("tries", effort.tries());
            settings.put("armJvmFlags", ChainArm.JVM.flags());
            settings.put("producerAcks", KafkaChains.ACKS);
            settings.put("producerLingerMs", lingerMs);
            settings.put("producerBatchSizeOfChain", KafkaChains.BATCH_SIZE_OF_CHAIN);
            settings.put("sharedPartitions", KafkaChains.SHARED_PARTITIONS);
            settings.put("articleTimeoutNs", Chains.ARTICLE_TIMEOUT.toNanos());
            settings.put("stockTimeoutMs", Chains.STOCK_TIMEOUT.toMillis());
            return settings;
        }
    }

    /**
     * @param progress gets a line after each step.
     */
    ChainRun(final Plan plan, final Cluster cluster, final Consumer<String> progress)
    {
        this.plan = plan;
        this.cluster = cluster;
        this.progress = progress;
    }

    /**
     * @param json the report's file, beside which histogram logs are written, or null for none.
     */
    Results run(final Path json) throws IOException
    {
        final List<ChainArm> arms = plan.arms();
        arms.forEach(arm -> searches.put(arm, new ArrayList<>()));
        final Path folder = Files.createTempDirectory("odradek-chain-");
        try (CaseTopic topics =
            new CaseTopic(cluster, ChainScenario.NAME, plan.mostPartitions(), Chains.TOPICS, TOPIC_CONFIGS))
        {
            final Settings settings = Settings.of("bootstrap", cluster.bootstrap(), "topics", topics.prefix(),
                "brokerPid", cluster.brokerPids().isEmpty() ? ChainTask.NO_PID : cluster.brokerPids().get(0),
                "lingerMs", plan.lingerMs(), "folder", folder);
            for (int round = 0; round < plan.effort().rounds(); round++)
            {
                for (final int index : TurnOrder.ofRound(round, arms.size()))
                {
                    if (searches.containsKey(arms.get(index)))
                    {
                        search(round, arms.get(index), settings);
                    }
                }
            }
        }
        finally
        {
            try (Stream<Path> files = Files.walk(folder))
            {
                for (final Path file : files.sorted(Comparator.reverseOrder()).toList())
                {
                    Files.delete(file);
                }
            }
        }
        results.rows().addAll(ChainRows.of(searches));
        if (json != null)
        {
            results.attachments().addAll(ChainRows.writeLogs(json, searches, plan.effort().measuredMs()));
        }
        return results;
    }

    /**
     * @return of each arm that did not fail a search for each round.
     */
    Map<ChainArm, List<Search>> searches()
    {
        return searches;
    }

    private void search(final int round, final ChainArm arm, final Settings settings)
    {
        final String who = "round " + (round + 1) + " of " + plan.effort().rounds() + ", " + arm.client();
        try (Child child = Child.start(
            arm.client(), ChainTask.class, settings.with("arm", arm.client()).with(plan.jvm()), ChainArm.JVM))
        {
            child.awaitStart();
            searches.get(arm).add(search(who, child, plan.search(arm)));
        }
        catch (final IllegalStateException ex)
        {
            progress.accept(who + ": not run: " + ex.getMessage());
            results.notRun().add(new NotRun(ChainScenario.NAME, NotRun.EVERY, arm.client(), ex.getMessage()));
            searches.remove(arm);
        }
    }

    private Search search(final String who, final Child child, final ChainSearch search)
    {
        final Map<Integer, List<Result>> tried = new HashMap<>();
        progress.accept(who + " practises");
        step(child, (search.next() + 1) / 2, 0, plan.effort().practiceMs());
        for (int chains = search.next(); chains != ChainSearch.DONE; chains = search.next())
        {
            final List<Result> tries = new ArrayList<>();
            boolean isHeld = false;
            while (!isHeld && tries.size() < plan.effort().tries())
            {
                final Result result = step(child, chains, plan.effort().warmUpMs(), plan.effort().measuredMs());
                tries.add(result);
                isHeld = result.isHeld();
                progress.accept(who + ": " + describe(result));
            }
            tried.put(chains, tries);
            search.onResult(isHeld);
        }
        return new Search(tried);
    }

    /**
     * @throws IllegalStateException if a message was lost or came twice, or the arm failed otherwise.
     */
    private static Result step(final Child child, final int chains, final int warmUpMs, final int measuredMs)
    {
        return child.parse(
            child.ask(ChainTask.STEP + " " + chains + " " + warmUpMs + " " + measuredMs), Result.class);
    }

    private static String describe(final Result result)
    {
        return String.format(Locale.ROOT, "%d chain%s %s, %s, client %.0f %% CPU%s", result.chains(),
            result.chains() == 1 ? "" : "s", result.isHeld() ? "held" : "broke",
            result.isCut() ? "given up with a backlog of seconds" :
                String.format(Locale.ROOT, "p99.9 %.1f ms", result.limitedNs() / 1e6),
            result.processCpuPercent(),
            result.brokerCpuPercent() > 0 ?
                String.format(Locale.ROOT, ", broker %.0f %%", result.brokerCpuPercent()) : "");
    }
}
