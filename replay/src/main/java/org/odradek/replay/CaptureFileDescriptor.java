// SPDX-License-Identifier: Apache-2.0
package org.odradek.replay;

import org.agrona.BitUtil;

import static org.agrona.BitUtil.SIZE_OF_INT;
import static org.agrona.BitUtil.SIZE_OF_LONG;

/**
 * The layout of a capture file. All numbers are little-endian. The file begins with a header:
 * <pre>
 *  0   magic          int64
 *  8   version        int32
 *  12  topicLength    int32
 *  16  missedFrames   int64   frames that came after the file was full
 *  24  topic          bytes   padded to 8
 * </pre>
 * The header is followed by one entry for each frame:
 * <pre>
 *  0   length         int32   of the entry in bytes, a multiple of 8; stored last, and 0 where there is no entry
 *  4   checksum       int32   CRC-32C of all that follows in the entry
 *  8   timeMs         int64   when the frame was complete, milliseconds since 1970
 *  16  topicId        2 int64 0 if it was not known
 *  32  nodeId         int32   of the broker
 *  36  version        int32   of Fetch
 *  40  frameLength    int32   in bytes, including the size field
 *  44  setCount       int32   record sets of the frame that were delivered
 *  48  sets           array of {partition int32, unused int32, fetchOffset int64}
 *      frame          bytes   as received; padded to 8
 * </pre>
 */
final class CaptureFileDescriptor
{
    static final long MAGIC = 0x736d72664b64724fL;
    static final int VERSION = 1;
    static final int MAX_TOPIC_LENGTH = 1 << 15;

    static final int MAGIC_FIELD_OFFSET = 0;
    static final int VERSION_FIELD_OFFSET = MAGIC_FIELD_OFFSET + SIZE_OF_LONG;
    static final int TOPIC_LENGTH_FIELD_OFFSET = VERSION_FIELD_OFFSET + SIZE_OF_INT;
    static final int MISSED_FRAMES_FIELD_OFFSET = TOPIC_LENGTH_FIELD_OFFSET + SIZE_OF_INT;
    static final int TOPIC_OFFSET = MISSED_FRAMES_FIELD_OFFSET + SIZE_OF_LONG;

    static final int ENTRY_LENGTH_FIELD_OFFSET = 0;
    static final int CHECKSUM_FIELD_OFFSET = ENTRY_LENGTH_FIELD_OFFSET + SIZE_OF_INT;
    static final int TIME_FIELD_OFFSET = CHECKSUM_FIELD_OFFSET + SIZE_OF_INT;
    static final int TOPIC_ID_FIELD_OFFSET = TIME_FIELD_OFFSET + SIZE_OF_LONG;
    static final int NODE_ID_FIELD_OFFSET = TOPIC_ID_FIELD_OFFSET + 2 * SIZE_OF_LONG;
    static final int FETCH_VERSION_FIELD_OFFSET = NODE_ID_FIELD_OFFSET + SIZE_OF_INT;
    static final int FRAME_LENGTH_FIELD_OFFSET = FETCH_VERSION_FIELD_OFFSET + SIZE_OF_INT;
    static final int SET_COUNT_FIELD_OFFSET = FRAME_LENGTH_FIELD_OFFSET + SIZE_OF_INT;
    static final int SETS_OFFSET = SET_COUNT_FIELD_OFFSET + SIZE_OF_INT;

    static final int SET_OFFSET_FIELD_OFFSET = SIZE_OF_LONG;
    static final int SET_LENGTH = SET_OFFSET_FIELD_OFFSET + SIZE_OF_LONG;

    /** The index in an entry of the first byte that the checksum covers. */
    static final int CHECKED_OFFSET = TIME_FIELD_OFFSET;

    private CaptureFileDescriptor()
    {
    }

    static int entriesIndex(final int topicLength)
    {
        return BitUtil.align(TOPIC_OFFSET + topicLength, SIZE_OF_LONG);
    }

    /** Returns the length of an entry in bytes, which in a damaged file may be too large for an int. */
    static long entryLength(final int setCount, final int frameLength)
    {
        return BitUtil.align(SETS_OFFSET + (long)setCount * SET_LENGTH + frameLength, (long)SIZE_OF_LONG);
    }
}
