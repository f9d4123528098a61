// SPDX-License-Identifier: Apache-2.0

/**
 * {@code bench sle}: the highest rate at which a latency is kept, on three brokers with three replicas.
 */
package org.odradek.benchmarks.sle;
