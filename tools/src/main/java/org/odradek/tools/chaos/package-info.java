// SPDX-License-Identifier: Apache-2.0

/**
 * The {@code chaos} command: a cluster of three brokers is struck by faults from a seeded plan while our consumer reads
 * a topic through proxies; after each fault what was delivered is compared with the log as the stock client reads it.
 * Reading order: {@code ChaosRun}, {@code ChaosPlan}, {@code ChaosTopic}, {@code PartitionLedger}, the faults.
 */
package org.odradek.tools.chaos;
