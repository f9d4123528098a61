/*
 * Licensed under the Apache License, Version 2.0; see the file LICENSE.
 */
package org.odradek.benchmarks.chain;

/**
 * How long and how often is measured.
 *
 * @param warmUpMs   of each step, not measured; twice that in the first step of a JVM.
 * @param measuredMs of each step.
 * @param maxSteps   of each arm at most.
 * @param tries      a step that broke is tried so often before it counts.
 */
record ChainEffort(int warmUpMs, int measuredMs, int maxSteps, int tries)
{
    static final ChainEffort QUICK = new ChainEffort(1_500, 2_500, 4, 1);
    static final ChainEffort FULL = new ChainEffort(3_000, 8_000, 7, 2);

    StepOrder order(final int chains, final boolean isFirst)
    {
        return new StepOrder(chains, isFirst ? 2 * warmUpMs : warmUpMs, measuredMs);
    }
}
