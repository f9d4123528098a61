// SPDX-License-Identifier: Apache-2.0

/**
 * Reading a prefilled partition from its first record to its last as fast as one thread can: ours, the stock client,
 * and the bare loop as the floor. {@code CatchupCommand} takes the options, {@code CatchupScenario} runs the rounds,
 * {@code ArmProcess} is the parent's side of an arm's JVM and {@code ArmMain} the arm's own.
 */
package org.odradek.benchmarks.catchup;
