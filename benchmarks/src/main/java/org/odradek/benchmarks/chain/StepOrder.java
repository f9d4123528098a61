// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.chain;

/**
 * What an arm's JVM is to do next.
 *
 * @param chains     how many.
 * @param warmUpMs   milliseconds, and so messages of each chain, before those that are measured.
 * @param measuredMs milliseconds measured.
 */
record StepOrder(int chains, int warmUpMs, int measuredMs)
{
}
