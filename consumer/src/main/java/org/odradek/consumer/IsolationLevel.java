// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

/**
 * Determines which records of transactions are delivered. Transaction markers are never delivered.
 */
public enum IsolationLevel
{
    /** All records are delivered, also those of open and aborted transactions. */
    READ_UNCOMMITTED,
    /**
     * Records of committed transactions and records outside of transactions are delivered, up to the last stable
     * offset.
     */
    READ_COMMITTED
}
