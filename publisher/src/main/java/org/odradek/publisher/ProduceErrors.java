// SPDX-License-Identifier: Apache-2.0
package org.odradek.publisher;

import org.odradek.protocol.ErrorCode;

/** What is done about a batch for each error code that a leader can answer. */
final class ProduceErrors
{
    /** See {@link #action}. */
    enum Action
    {
        /** It is in the log. */
        ACKNOWLEDGE,
        /** It is sent again after a backoff, with the same numbers. */
        RESEND,
        /** As RESEND, and the batch was written or may have been. */
        RESEND_WRITTEN,
        /** As RESEND, after new metadata: another broker may lead the partition. */
        FIND_LEADER,
        /** It was refused because of its numbers: its partition goes on under a new epoch. */
        BUMP_EPOCH,
        /** It is given up: the error would come again. */
        FAIL,
        /** As FAIL, and the batch may have been written. */
        FAIL_WRITTEN
    }

    private ProduceErrors()
    {
    }

    /**
     * Returns what is done. After a code that is not listed a batch is sent again if the code is known to be retriable,
     * and otherwise fails. Whether one that a later Kafka may add is answered before or after the append is not known.
     *
     * @param isIdempotent false: batches have no numbers that could be wrong.
     */
    static Action action(final short errorCode, final boolean isIdempotent)
    {
        return switch (errorCode)
        {
            // A duplicate is a batch whose acknowledgement was lost; the broker does not know its offset any more.
            case ErrorCode.NONE, ErrorCode.DUPLICATE_SEQUENCE_NUMBER -> Action.ACKNOWLEDGE;

            // The leader has appended it, but too few replicas have confirmed that in time.
            case ErrorCode.REQUEST_TIMED_OUT, ErrorCode.NOT_ENOUGH_REPLICAS_AFTER_APPEND,
                // Whatever went wrong may have done so after the append.
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
