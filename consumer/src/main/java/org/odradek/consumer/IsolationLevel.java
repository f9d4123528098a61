// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

/**
 * Which records of transactions are delivered. Markers of their ends never are.
 */
public enum IsolationLevel
{
    /**
     * All, of open and aborted transactions too.
     */
    READ_UNCOMMITTED,
    /**
     * Those of committed transactions, and those of none, up to the last stable offset.
     */
    READ_COMMITTED
}
