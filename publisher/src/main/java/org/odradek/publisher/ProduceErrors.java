// SPDX-License-Identifier: Apache-2.0
package org.odradek.publisher;

import org.odradek.protocol.ErrorCode;

/** Determines what the publisher does with a batch after an error code of the leader. */
final class ProduceErrors
{
    enum Action
    {
        ACKNOWLEDGE,
        /** The batch is sent again after a backoff, with the same producer id, epoch and sequence. */
        RESEND,
        /** As RESEND, but the batch may have been written. */
        RESEND_WRITTEN,
        /** The batch, which may have been written, is sent again after a backoff, and metadata is requested. */
        FIND_LEADER,
        /** The leader refused the sequence of the batch: the partition continues with a new epoch. */
        BUMP_EPOCH,
        FAIL,
        /** As FAIL, but the batch may have been written. */
        FAIL_WRITTEN
    }

    private ProduceErrors()
    {
    }

    /** @param isIdempotent true if batches have sequences, which a leader can refuse. */
    static Action action(final short errorCode, final boolean isIdempotent)
    {
        return switch (errorCode)
        {
            // A duplicate is a batch whose acknowledgement was lost; the broker does not know its offset any more.
            case ErrorCode.NONE, ErrorCode.DUPLICATE_SEQUENCE_NUMBER -> Action.ACKNOWLEDGE;

            // The leader has appended it, but too few replicas have confirmed that in time.
            case ErrorCode.REQUEST_TIMED_OUT, ErrorCode.NOT_ENOUGH_REPLICAS_AFTER_APPEND,
                // The failure may have occurred after the append.
                ErrorCode.UNKNOWN_SERVER_ERROR -> Action.RESEND_WRITTEN;

            case ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, ErrorCode.LEADER_NOT_AVAILABLE,
                ErrorCode.NOT_LEADER_OR_FOLLOWER, ErrorCode.REPLICA_NOT_AVAILABLE, ErrorCode.NETWORK_EXCEPTION,
                ErrorCode.KAFKA_STORAGE_ERROR, ErrorCode.LISTENER_NOT_FOUND, ErrorCode.FENCED_LEADER_EPOCH,
                ErrorCode.UNKNOWN_LEADER_EPOCH, ErrorCode.UNKNOWN_TOPIC_ID, ErrorCode.INCONSISTENT_TOPIC_ID ->
                Action.FIND_LEADER;

            case ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER, ErrorCode.UNKNOWN_PRODUCER_ID ->
                isIdempotent ? Action.BUMP_EPOCH : Action.FAIL;

            default -> !ErrorCode.isKnown(errorCode) ? Action.FAIL_WRITTEN :
                ErrorCode.isRetriable(errorCode) ? Action.RESEND : Action.FAIL;
        };
    }
}
