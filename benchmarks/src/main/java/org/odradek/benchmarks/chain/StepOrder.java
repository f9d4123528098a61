/*
 * Licensed under the Apache License, Version 2.0; see the file LICENSE.
 */
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
