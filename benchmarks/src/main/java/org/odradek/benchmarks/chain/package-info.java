// SPDX-License-Identifier: Apache-2.0

/**
 * How many chains of five services fit on a machine. {@code ChainCommand} takes the options, {@code ChainScenario}
 * steps up the chains of one arm after another as {@code ChainSearch} says, {@code ChainArmProcess} is the parent's
 * side of an arm's JVM and {@code ChainArmMain} the arm's own. There {@code StepRun} sends on schedule into the
 * {@code Chains} of the arm, and {@code Arrivals} knows what came out at their ends.
 */
package org.odradek.benchmarks.chain;
