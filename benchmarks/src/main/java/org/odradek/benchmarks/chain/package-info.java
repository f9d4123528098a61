// SPDX-License-Identifier: Apache-2.0

/**
 * How many chains of five services fit on a machine. {@code ChainScenario} steps up the chains of one {@code ChainArm}
 * after another as {@code ChainSearch} says. In the JVM of the arm {@code ChainTask} sends on schedule into its
 * {@code Chains}, and {@code Messages} knows what came out at their ends.
 */
package org.odradek.benchmarks.chain;
