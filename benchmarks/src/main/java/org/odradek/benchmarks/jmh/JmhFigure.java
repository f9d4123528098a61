// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.jmh;

/**
 * What one JVM said of one fetch; each figure is the median of its iterations.
 *
 * @param ns      it took.
 * @param bytes   that the reading thread allocated for it.
 * @param gcBytes that all threads allocated meanwhile, JMH's among them, as its profiler "gc" counts them.
 */
record JmhFigure(double ns, double bytes, double gcBytes)
{
}
