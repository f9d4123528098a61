// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

/**
 * What happens to a batch with impossible contents: a wrong checksum, length or count, or an unknown magic or codec.
 * In both cases the error handler is called and the other partitions continue.
 */
public enum CorruptBatchPolicy
{
    /** Its partition stops. */
    STOP,
    /**
     * Its partition continues after the batch, and a gap reports the lost offsets. Records before the flaw have been
     * delivered. The partition stops if the end of the batch is unknown: its length or last offset is impossible, or
     * the broker itself reports that its log is corrupt.
     */
    SKIP
}
