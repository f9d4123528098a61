/*
 * Licensed under the Apache License, Version 2.0; see the file LICENSE.
 */

/**
 * Whole-process scenarios, ours and the rivals in turn: {@link org.odradek.benchmarks.BenchCommand} runs one by name,
 * each scenario has a package of its own, and all of them end in rows of {@code report}.
 */
package org.odradek.benchmarks;
