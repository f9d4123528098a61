// SPDX-License-Identifier: Apache-2.0

/**
 * A partition to which nothing is written, and one that gets a record a second: what a consumer costs that waits.
 * {@code IdleCommand} takes the options, {@code IdleScenario} goes through the cases.
 */
package org.odradek.benchmarks.idle;
