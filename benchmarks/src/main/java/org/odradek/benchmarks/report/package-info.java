// SPDX-License-Identifier: Apache-2.0

/**
 * What every scenario shares: the order of turns, the median and spread of runs, the rows and the environment they came
 * from, written as a table and as JSON. Knows no scenario.
 */
package org.odradek.benchmarks.report;
