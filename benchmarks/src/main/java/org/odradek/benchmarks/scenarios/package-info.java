// SPDX-License-Identifier: Apache-2.0

/**
 * The scenarios: a class has the data of one and its own few lines. One that varies another is in that one's file.
 */
package org.odradek.benchmarks.scenarios;
