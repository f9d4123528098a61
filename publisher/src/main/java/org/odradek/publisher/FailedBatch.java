// SPDX-License-Identifier: Apache-2.0
package org.odradek.publisher;

/**
 * A batch that was given up. It never changes, so a listener may keep it.
 *
 * @param topic           of the batch.
 * @param partition       of the batch.
 * @param firstPosition   that was returned for its first record; the others follow without a gap.
 * @param count           of its records.
 * @param reason          why it was given up.
 * @param errorCode       of Kafka, that the broker answered last for this batch, or 0.
 * @param isMaybeWritten  whether it may be in the log all the same, because an answer was lost or says so.
 * @param refusedPosition the position of the first record that the broker has named as the reason, or of the only one
 *                        in a batch that is too large; {@link #NO_POSITION} if none is known. The broker refuses whole
 *                        batches.
 * @param message         what the broker has said about that record, or else about the batch; null if it has said
 *                        nothing. Its text is made printable, and may be cut.
 */
public record FailedBatch(
    String topic,
    int partition,
    long firstPosition,
    int count,
    FailureReason reason,
    short errorCode,
    boolean isMaybeWritten,
    long refusedPosition,
    String message)
{
    /** Stands for no position: the first record of a partition has the position 1. */
    public static final long NO_POSITION = 0;
}
