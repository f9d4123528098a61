// SPDX-License-Identifier: Apache-2.0

/**
 * A trickle of small records in one partition, as metrics come in: what it costs to read 5,000 or 10,000 records of 23
 * bytes a second for as long as they come. {@code SignalfxCommand} takes the options, {@code SignalfxScenario} goes
 * through the cases.
 */
package org.odradek.benchmarks.signalfx;
