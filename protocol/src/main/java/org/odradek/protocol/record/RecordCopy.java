// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.record;

import org.agrona.UnsafeApi;

/**
 * Writes copies of records into direct memory, and makes a view read such a copy. All fields have the byte order of the
 * machine, because a copy never leaves it.
 * <pre>
 *  0 offset int64 | 8 timestamp int64 | 16 partition int32 | 20 ownershipEpoch int32 | 24 leaderEpoch int32
 *   | 28 isLogAppendTime int32 | 32 keyLength int32, -1 null | 36 valueLength int32, -1 null
 *   | 40 index of the value int32 | 44 index of the headers int32 | 48 headerCount int32
 *   | 52 key, value and headers, as in the batch
 * </pre>
 * The two indexes count from the key.
 */
public final class RecordCopy
{
    private static final int TIMESTAMP = Long.BYTES;
    private static final int PARTITION = TIMESTAMP + Long.BYTES;
    private static final int OWNERSHIP_EPOCH = PARTITION + Integer.BYTES;
    private static final int LEADER_EPOCH = OWNERSHIP_EPOCH + Integer.BYTES;
    private static final int IS_LOG_APPEND_TIME = LEADER_EPOCH + Integer.BYTES;
    private static final int KEY_LENGTH = IS_LOG_APPEND_TIME + Integer.BYTES;
    private static final int VALUE_LENGTH = KEY_LENGTH + Integer.BYTES;
    private static final int VALUE_INDEX = VALUE_LENGTH + Integer.BYTES;
    private static final int HEADERS_INDEX = VALUE_INDEX + Integer.BYTES;
    private static final int HEADER_COUNT = HEADERS_INDEX + Integer.BYTES;
    private static final int KEY = HEADER_COUNT + Integer.BYTES;

    private RecordCopy()
    {
    }

    /** Returns the number of bytes that a copy of a record needs. */
    public static int length(final Record record)
    {
        // Key, value and headers are next to each other.
        return KEY + record.nextIndex - record.keyIndex;
    }

    /**
     * Writes a copy of a record.
     *
     * @param memory that has room for the copy.
     * @param index  of the first byte of the copy.
     */
    public static void write(final Record record, final RecordMemory memory, final int index)
    {
        final int length = record.nextIndex - record.keyIndex;
        final long to = memory.buffer().addressOffset() + index;
        UnsafeApi.putLong(to, record.baseOffset + record.offsetDelta);
        UnsafeApi.putLong(to + TIMESTAMP,
            record.isLogAppendTime ? record.appendTimestamp : record.baseTimestamp + record.timestampDeltaMs);
        UnsafeApi.putInt(to + PARTITION, record.partition);
        UnsafeApi.putInt(to + OWNERSHIP_EPOCH, record.ownershipEpoch);
        UnsafeApi.putInt(to + LEADER_EPOCH, record.leaderEpoch);
        UnsafeApi.putInt(to + IS_LOG_APPEND_TIME, record.isLogAppendTime ? 1 : 0);
        UnsafeApi.putInt(to + KEY_LENGTH, record.keyLength);
        UnsafeApi.putInt(to + VALUE_LENGTH, record.valueLength);
        UnsafeApi.putInt(to + VALUE_INDEX, record.valueIndex - record.keyIndex);
        UnsafeApi.putInt(to + HEADERS_INDEX, record.headersIndex - record.keyIndex);
        UnsafeApi.putInt(to + HEADER_COUNT, record.headerCount);
        UnsafeApi.copyMemory(record.address + record.keyIndex, to + KEY, length);
    }

    /**
     * Makes a view read a copy.
     *
     * @param view   that was created for copies only.
     * @param memory that holds the copy.
     * @param index  of the first byte of the copy.
     * @param length of the copy.
     * @return the view.
     */
    public static Record wrap(final RecordFlyweight view, final RecordMemory memory, final int index, final int length)
    {
        final long from = memory.buffer().addressOffset() + index;
        view.wrap(memory, UnsafeApi.getInt(from + PARTITION));
        view.baseOffset = UnsafeApi.getLong(from);
        view.baseTimestamp = UnsafeApi.getLong(from + TIMESTAMP);
        view.appendTimestamp = view.baseTimestamp;
        view.ownershipEpoch = UnsafeApi.getInt(from + OWNERSHIP_EPOCH);
        view.leaderEpoch = UnsafeApi.getInt(from + LEADER_EPOCH);
        view.isLogAppendTime = UnsafeApi.getInt(from + IS_LOG_APPEND_TIME) != 0;
        view.keyIndex = index + KEY;
        view.keyLength = UnsafeApi.getInt(from + KEY_LENGTH);
        view.valueLength = UnsafeApi.getInt(from + VALUE_LENGTH);
        view.valueIndex = view.keyIndex + UnsafeApi.getInt(from + VALUE_INDEX);
        view.headersIndex = view.keyIndex + UnsafeApi.getInt(from + HEADERS_INDEX);
        view.headerCount = UnsafeApi.getInt(from + HEADER_COUNT);
        view.nextIndex = index + length;
        return view;
    }
}
