// SPDX-License-Identifier: Apache-2.0
package org.odradek.publisher;

/**
 * A batch that was given up. A listener may keep the object. A later release may add components, so a program should
 * use the accessors, and neither the constructor nor a record pattern.
 *
 * @param firstPosition   the position of the first record of the batch.
 * @param count           the number of records of the batch, 1 or more.
 * @param errorCode       the last error code of Kafka for this batch or, with {@link FailureReason#NO_PRODUCER_ID}, for
 *                        the request of a producer id; 0 for none.
 * @param isMaybeWritten  true if the batch may be in the log.
 * @param refusedPosition the position of the first record that the broker has named as the reason, or of the only
 *                        record of a batch that is too large; {@link #NO_POSITION} if none is known.
 * @param message         the broker's message about that record, or else about the batch; null for none; possibly
 *                        truncated.
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
    /** The value of {@code refusedPosition} if no position is known. */
    public static final long NO_POSITION = 0;
}
