// SPDX-License-Identifier: Apache-2.0

/**
 * {@code bench partitions}: what a consumer costs that reads very many partitions of which few have new records.
 */
package org.odradek.benchmarks.partitions;
