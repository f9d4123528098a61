// SPDX-License-Identifier: Apache-2.0

/**
 * The process of an arm of the scenario flink, and what its jobs are made of.
 */
package org.odradek.benchmarks.flink;
