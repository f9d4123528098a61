// SPDX-License-Identifier: Apache-2.0

/**
 * Micro-benchmarks on recorded fetch responses: reading them with our consumer, with the whole consumer of
 * kafka-clients, with its record sets, and decompressing alone. What JMH runs is
 * {@link org.odradek.benchmarks.jmh.FetchBenchmark}; the rest makes its input and its table.
 */
package org.odradek.benchmarks.jmh;
