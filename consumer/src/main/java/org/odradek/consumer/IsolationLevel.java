// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

/**
 * Determines which records of transactions are delivered. Transaction markers never are.
 */
public enum IsolationLevel
{
    /** All records, also those of open and aborted transactions. */
    READ_UNCOMMITTED,
    /** Records of committed transactions and records outside of transactions, up to the last stable offset. */
    READ_COMMITTED
}
