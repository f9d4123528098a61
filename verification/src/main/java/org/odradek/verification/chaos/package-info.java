// SPDX-License-Identifier: Apache-2.0

/**
 * The {@code chaos} command: it strikes a cluster of three brokers with faults from a seeded plan while our consumer
 * reads a topic through proxies. After each fault it compares the delivered records with the log that the stock client
 * reads. Reading order: {@code ChaosRun}, {@code FaultPlan}, {@code FaultKind}, {@code ChaosTopic},
 * {@code ChaosLedger}, the faults. With {@code --group} it strikes members of a group ({@code GroupRun}), and with
 * {@code --pipeline} pipelines that consume, transform and publish ({@code PipelineRun}), and judges by their ledgers
 * ({@code GroupJudge}, {@code PipelineJudge}); both give a {@code Verdict} and a {@code RunResult}.
 * <p>
 * The {@code soak} command runs one process for hours ({@code SoakRun}), and judges the slopes of what it holds and
 * needs ({@code SoakVerdict}).
 */
package org.odradek.verification.chaos;
