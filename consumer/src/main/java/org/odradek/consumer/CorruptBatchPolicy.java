// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

/**
 * What is done with a batch whose bytes cannot be what they claim: a wrong checksum, an impossible length, a wrong
 * count, an unknown magic or codec. The error handler is told in either case, and every other partition goes on.
 */
public enum CorruptBatchPolicy
{
    /**
     * Stop its partition.
     */
    STOP,
    /**
     * Go on behind it, with a gap of the offsets that are lost. Records of it that came before the flaw have been
     * delivered. Its partition stops nevertheless where the end of the batch cannot be known: if its length cannot be
     * right, if nothing tells its last offset, or if the broker itself says that its log is corrupt.
     */
    SKIP
}
