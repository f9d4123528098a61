// SPDX-License-Identifier: Apache-2.0
package org.odradek.publisher;

/**
 * A batch that was given up. The object never changes, so a listener may keep it.
 *
 * @param topic           the name of the topic of the batch.
 * @param partition       the id of the partition of the batch.
 * @param firstPosition   the position of its first record; the positions of the other records follow without a gap.
 * @param count           the number of its records.
 * @param reason          the reason for which it was given up.
 * @param errorCode       the last error code of Kafka with which a broker has answered for this batch, or 0.
 * @param isMaybeWritten  true if the batch may be in the log nevertheless, because an answer was lost or does not state
 *                        whether the batch was written.
 * @param refusedPosition the position of the first record that the broker has named as the reason, or of the only
 *                        record of a batch that is too large; {@link #NO_POSITION} if none is known. The broker refuses
 *                        whole batches.
 * @param message         the broker's message about that record, or else about the batch; null without a message. The
 *                        message is made printable, and may be truncated.
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
    /** The value of {@code refusedPosition} if no position is known. Positions begin at 1. */
    public static final long NO_POSITION = 0;
}
