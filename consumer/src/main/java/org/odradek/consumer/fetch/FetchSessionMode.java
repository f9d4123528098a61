// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.fetch;

/**
 * Whether fetches go through a fetch session (KIP-227), in which the broker remembers what was asked for, so that
 * requests and responses hold only what has changed.
 */
public enum FetchSessionMode
{
    /**
     * Where they pay: with a broker of which many partitions are read.
     */
    AUTO,
    /**
     * With every broker that grants one.
     */
    ON,
    /**
     * Never.
     */
    OFF
}
