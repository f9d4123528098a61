// SPDX-License-Identifier: Apache-2.0

/**
 * From figures to tables, JSON and one page of HTML: {@code Metric} is the table of all metrics,
 * {@code aims.txt} that of all aims. Knows scenarios and clients by name only.
 */
package org.odradek.benchmarks.report;
