/*
 * Licensed under the Apache License, Version 2.0; see the file LICENSE.
 */
package org.odradek.benchmarks.chain;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Who looks for how many chains, and how long a step takes.
 *
 * @param arms       in this order.
 * @param chains     this number only, or 0 to search.
 * @param warmUpMs   of each step, not measured; twice that in the first step of a JVM.
 * @param measuredMs of each step.
 * @param maxSteps   of each arm at most.
 * @param tries      a step that broke is tried so often before it counts.
 * @param bootstrap  the cluster to use, or null to start a broker.
 */
record ChainPlan(
    List<ChainArm> arms, int chains, int warmUpMs, int measuredMs, int maxSteps, int tries, String bootstrap)
{
    private static final int START_SECONDS = 12;
    private static final int SECONDS_PER_JVM = 2;
    private static final int SECONDS_AROUND_STEP = 2;

    static ChainPlan quick(final List<ChainArm> arms, final int chains, final String bootstrap)
    {
        return new ChainPlan(arms, chains, 1_500, 2_500, 4, 1, bootstrap);
    }

    static ChainPlan full(final List<ChainArm> arms, final int chains, final String bootstrap)
    {
        return new ChainPlan(arms, chains, 5_000, 20_000, 8, 2, bootstrap);
    }

    ChainSearch search(final ChainArm arm)
    {
        return chains > 0 ? new ChainSearch(chains, chains, 1) :
            new ChainSearch(arm.firstChains(), arm.mostChains(), maxSteps);
    }

    StepOrder order(final int chainCount, final boolean isFirst)
    {
        return new StepOrder(chainCount, isFirst ? 2 * warmUpMs : warmUpMs, measuredMs);
    }

    /** Partitions each topic needs. */
    int mostChains()
    {
        return chains > 0 ? chains : arms.stream().filter(ChainArm::isOnKafka).mapToInt(ChainArm::mostChains).max()
            .orElse(1);
    }

    /** About how long it takes; the searches end where they find their limit. */
    int seconds()
    {
        final int stepSeconds = (warmUpMs + measuredMs) / 1_000 + SECONDS_AROUND_STEP;
        int seconds = START_SECONDS;
        for (final ChainArm arm : arms)
        {
            final int steps = chains > 0 || arm.mostChains() == 1 ? 1 : maxSteps;
            seconds += SECONDS_PER_JVM + warmUpMs / 1_000 + steps * stepSeconds;
        }
        return seconds;
    }

    Map<String, Object> settings()
    {
        final Map<String, Object> settings = new LinkedHashMap<>();
        settings.put("broker", bootstrap == null ? "own, in its own JVM on this machine" : "given");
        settings.put("arms", arms.stream().map(ChainArm::client).toList());
        settings.put("services", Chains.SERVICES);
        settings.put("messagesPerSecondAndChain", 1_000_000_000 / ChainSchedule.PERIOD_NS);
        settings.put("limit", "p99.9 below 100 ms, coordinated omission corrected");
        settings.put("warmUpMs", warmUpMs);
        settings.put("measuredMs", measuredMs);
        settings.put("maxSteps", maxSteps);
        settings.put("tries", tries);
        settings.put("armJvmFlags", ChainArmProcess.JVM_FLAGS);
        settings.put("armOpenFlags", ChainArm.OPEN_FLAGS);
        settings.putAll(StockProducer.settings());
        settings.put("articleTimeoutNs", StockChains.ARTICLE_TIMEOUT.toNanos());
        settings.put("stockTimeoutMs", StockChains.TIMEOUT.toMillis());
        return settings;
    }
}
