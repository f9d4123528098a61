// SPDX-License-Identifier: Apache-2.0

/**
 * What does it cost to hand records to other threads? {@link org.odradek.benchmarks.workers.WorkersScenario} is the
 * command, {@link org.odradek.benchmarks.workers.WorkersTask} the process of an arm, and a {@code Handling} what is
 * measured there.
 */
package org.odradek.benchmarks.workers;
