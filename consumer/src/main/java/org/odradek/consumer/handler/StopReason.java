// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.handler;

/**
 * The reasons for which a partition stops ({@link ConsumerListener#onPartitionStopped}). After a {@code seek}, the
 * partition continues at the sought offset, whatever the reason was.
 */
public enum StopReason
{
    /**
     * The handler has thrown an exception: {@code resume} continues at the next offset, after a backoff.
     *
     * @see HandlerErrorPolicy
     */
    HANDLER,
    /**
     * The log does not contain the next offset, and the reset policy is {@link OffsetResetPolicy#fail()}: seek to an
     * offset that the log contains, or set another reset policy.
     */
    OUT_OF_RANGE,
    /**
     * The log was truncated below the next offset ({@link ConsumerListener#onTruncation}), and the reset policy is
     * {@link OffsetResetPolicy#fail()}: undo the results of the lost records and seek to the divergent offset, or set
     * another reset policy.
     */
    TRUNCATED,
    /**
     * A batch has impossible contents, or the broker has reported that its log is corrupt: seek to an offset after the
     * batch. With {@code CorruptBatchPolicy.SKIP}, the consumer skips such a batch if the end of the batch is known.
     */
    CORRUPT_BATCH,
    /**
     * A batch is longer than {@code receiveBufferMaxLength}, or its decompressed length is more than {@code
     * decompressionBufferMaxLength} or than the direct memory that is left: raise the limit that the error names, or
     * seek to an offset after the batch.
     */
    TOO_LARGE,
    /**
     * The library of the codec of a batch is missing or cannot be loaded: add the library that the error names, or seek
     * to an offset after the batch.
     */
    CODEC_UNAVAILABLE,
    /**
     * The topic was deleted and created again, so that offsets refer to other records: seek to an offset of the new
     * topic. A group assigns its partitions again without a call of the program.
     */
    TOPIC_RECREATED,
    /**
     * A broker has reported an error that does not end without a change: remove the cause that the error code names,
     * and then seek to the next offset, or assign the partition again if the next offset is not known.
     */
    BROKER_ERROR
}
