// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.chain;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Who looks for how many chains, and how long a step takes.
 *
 * @param arms      that take turns.
 * @param chains    this number only, or 0 to search.
 * @param lingerMs  of the producers of all arms that speak to a broker.
 * @param effort    how long and how often.
 * @param bootstrap the cluster to use, or null to start a broker.
 */
record ChainPlan(List<ChainArm> arms, int chains, int lingerMs, ChainEffort effort, String bootstrap)
{
    /** Up to six of these are in a latency; the rest of the 100 ms is for what gets in the way. */
    static final String LINGER_MS_DEFAULT = "10";

    private static final int START_SECONDS = 12;
    private static final int SECONDS_PER_JVM = 2;
    private static final int SECONDS_AROUND_STEP = 2;

    ChainSearch search(final ChainArm arm)
    {
        return chains > 0 ? new ChainSearch(chains, chains, 1) :
            new ChainSearch(arm.firstChains(), arm.mostChains(), effort.maxSteps());
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
        final int stepSeconds = (effort.warmUpMs() + effort.measuredMs()) / 1_000 + SECONDS_AROUND_STEP;
        int seconds = 0;
        for (final ChainArm arm : arms)
        {
            final int steps = chains > 0 || arm.mostChains() == 1 ? 1 : effort.maxSteps();
            // About a third of the steps break, and are tried again.
            final int tries = steps + steps * (effort.tries() - 1) / 3;
            seconds += SECONDS_PER_JVM + effort.practiceMs() / 1_000 + tries * stepSeconds;
        }
        return START_SECONDS + effort.rounds() * seconds;
    }

    Map<String, Object> settings()
    {
        final Map<String, Object> settings = new LinkedHashMap<>();
        settings.put("broker", bootstrap == null ? "own, in its own JVM on this machine" : "given");
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
        settings.put("armJvmFlags", ChainArmProcess.JVM_FLAGS);
        settings.put("armOpenFlags", ChainArm.OPEN_FLAGS);
        settings.put("producerAcks", StockProducer.ACKS);
        settings.put("producerLingerMs", lingerMs);
        settings.put("producerBatchSize", StockProducer.BATCH_SIZE);
        settings.put("articleTimeoutNs", StockChains.ARTICLE_TIMEOUT.toNanos());
        settings.put("stockTimeoutMs", StockChains.TIMEOUT.toMillis());
        return settings;
    }
}
