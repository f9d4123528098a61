// SPDX-License-Identifier: Apache-2.0

/**
 * The scenarios: a file has the data of one and its own few lines. The two largest have their run in a file of its own.
 */
package org.odradek.benchmarks.scenarios;
