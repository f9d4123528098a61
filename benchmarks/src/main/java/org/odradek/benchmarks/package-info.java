// SPDX-License-Identifier: Apache-2.0

/**
 * Whole-process scenarios, ours and the rivals in turn: {@link org.odradek.benchmarks.BenchCommand} runs one by name,
 * and all of them end in rows of {@code report}.
 */
package org.odradek.benchmarks;
