// SPDX-License-Identifier: Apache-2.0

/**
 * What the figures should come to, as data, and how far they are from it. Knows scenarios, clients and metrics by name
 * only, and reads rows.
 */
package org.odradek.benchmarks.aims;
