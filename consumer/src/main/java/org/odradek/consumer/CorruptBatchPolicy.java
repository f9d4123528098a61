// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

/**
 * Determines what happens to a batch with impossible contents: a wrong checksum, length or count, or an unknown magic
 * or codec. With both policies the error handler is called and the other partitions continue.
 */
public enum CorruptBatchPolicy
{
    /** The partition of the batch stops. */
    STOP,
    /**
     * The partition continues after the batch, and {@code ConsumerListener.onGap} reports the lost offsets. The
     * partition stops if the end of the batch is not known, or if the broker itself reports a corrupt log. The
     * partition also stops if the batch may be valid: the library of its codec is missing, or its decompressed length
     * is more than {@code decompressionBufferMaxLength} or than the direct memory that is left.
     */
    SKIP
}
