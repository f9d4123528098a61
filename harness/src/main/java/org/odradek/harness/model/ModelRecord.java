// SPDX-License-Identifier: Apache-2.0
package org.odradek.harness.model;

import org.apache.kafka.common.header.Header;

/**
 * A view of the record that a log holds at an offset. {@link ModelLog#record} sets it; it is valid until the log is
 * trimmed. The fields of the record are in {@link #bytes()}; an index has no meaning if its length is -1 (null).
 */
public final class ModelRecord
{
    ModelBatch batch;
    int ordinal;

    /** Returns the array that holds key and value. */
    public byte[] bytes()
    {
        return batch.template.isCompressed ? batch.template.plain : batch.segment.bytes;
    }

    public int keyIndex()
    {
        return start() + batch.template.keyIndexes[ordinal];
    }

    /** Returns the length of the key, or -1 for null. */
    public int keyLength()
    {
        return batch.template.keyLengths[ordinal];
    }

    public int valueIndex()
    {
        return start() + batch.template.valueIndexes[ordinal];
    }

    /** Returns the length of the value, or -1 for null. */
    public int valueLength()
    {
        return batch.template.valueLengths[ordinal];
    }

    private int start()
    {
        return batch.template.isCompressed ? 0 : batch.index;
    }

    public long offset()
    {
        return batch.baseOffset + batch.template.offsetDeltas[ordinal];
    }

    /** Returns the timestamp in ms, or -1 for magic 0. */
    public long timestamp()
    {
        return batch.timestamp(ordinal);
    }

    public boolean isLogAppendTime()
    {
        return batch.template.isLogAppendTime;
    }

    public Header[] headers()
    {
        return batch.template.headers[ordinal];
    }

    /** Returns the leader epoch of the batch, or -1 for magic 0 and 1. */
    public int leaderEpoch()
    {
        return batch.leaderEpoch;
    }

    /** Returns the first offset of the batch. */
    public long baseOffset()
    {
        return batch.baseOffset;
    }

    /** Returns the last offset of the batch. */
    public long lastOffset()
    {
        return batch.lastOffset;
    }

    /** Returns whether the record is of an aborted transaction, which read_committed never delivers. */
    public boolean isAborted()
    {
        return batch.state == ModelBatch.ABORTED;
    }

    /** Returns whether the record is of an open transaction, which read_committed does not deliver yet. */
    public boolean isOpen()
    {
        return batch.state == ModelBatch.OPEN;
    }
}
