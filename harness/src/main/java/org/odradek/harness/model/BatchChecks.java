// SPDX-License-Identifier: Apache-2.0
package org.odradek.harness.model;

import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.CompressionType;
import org.apache.kafka.common.record.internal.RecordBatch;

import java.util.List;

/** What brokers check of the batches that a producer sends, before they look at its sequences. */
final class BatchChecks
{
    /** The {@code message.max.bytes} of a broker. */
    static final int MAX_BATCH_LENGTH = 1_048_588;

    private static final int FIRST_VERSION_WITH_ZSTD = 7;

    private BatchChecks()
    {
    }

    /** Checks what a version of the request demands of the batches of a partition. */
    static Errors ofRequest(final List<RecordBatch> batches, final int version)
    {
        if (batches.isEmpty() || batches.get(0).magic() != RecordBatch.MAGIC_VALUE_V2)
        {
            return Errors.INVALID_RECORD;
        }
        if (version < FIRST_VERSION_WITH_ZSTD && batches.get(0).compressionType() == CompressionType.ZSTD)
        {
            return Errors.UNSUPPORTED_COMPRESSION_TYPE;
        }
        return batches.size() > 1 ? Errors.INVALID_RECORD : Errors.NONE;
    }

    /** Checks what a log demands of a batch. */
    static Errors ofLog(final RecordBatch batch)
    {
        if (batch.baseOffset() != 0)
        {
            return Errors.INVALID_RECORD;
        }
        if (batch.sizeInBytes() > MAX_BATCH_LENGTH)
        {
            return Errors.MESSAGE_TOO_LARGE;
        }
        if (!batch.isValid())
        {
            return Errors.CORRUPT_MESSAGE;
        }
        final long count = batch.lastOffset() + 1;
        final boolean isCounted = count > 0 && batch.countOrNull() == count;
        return !isCounted || batch.isControlBatch() || batch.hasProducerId() && batch.baseSequence() < 0 ?
            Errors.INVALID_RECORD : Errors.NONE;
    }
}
