// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.chain;

/**
 * How long and how often is measured.
 *
 * @param rounds     turns of each arm, each in a new JVM with a search of its own.
 * @param practiceMs before the first step of a JVM, with half of its chains: the arm and what of the broker it needs
 *                   are compiled meanwhile. Nothing of it is kept.
 * @param warmUpMs   of each step, not measured.
 * @param measuredMs of each step.
 * @param maxSteps   of each search at most.
 * @param tries      a step that broke is tried so often before it counts.
 */
record ChainEffort(int rounds, int practiceMs, int warmUpMs, int measuredMs, int maxSteps, int tries)
{
    static final ChainEffort QUICK = new ChainEffort(1, 4_000, 1_000, 2_500, 4, 1);
    static final ChainEffort FULL = new ChainEffort(2, 20_000, 4_000, 10_000, 6, 2);

    StepOrder practice(final int firstChains)
    {
        return new StepOrder((firstChains + 1) / 2, 0, practiceMs);
    }

    StepOrder order(final int chains)
    {
        return new StepOrder(chains, warmUpMs, measuredMs);
    }
}
