// SPDX-License-Identifier: Apache-2.0

/**
 * {@code bench latency}: how long a record takes from when it was to be sent to its callback.
 */
package org.odradek.benchmarks.latency;
