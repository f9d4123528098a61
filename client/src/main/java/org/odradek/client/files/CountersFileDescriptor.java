// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.files;

import org.agrona.BitUtil;

/** The indexes of the fields of a counters file, whose layout {@code CountersFileReader} documents. */
public final class CountersFileDescriptor
{
    public static final int MAGIC_FIELD_OFFSET = 0;
    public static final int VERSION_FIELD_OFFSET = MAGIC_FIELD_OFFSET + BitUtil.SIZE_OF_LONG;
    public static final int METADATA_LENGTH_FIELD_OFFSET = VERSION_FIELD_OFFSET + BitUtil.SIZE_OF_INT;
    public static final int VALUES_LENGTH_FIELD_OFFSET = METADATA_LENGTH_FIELD_OFFSET + BitUtil.SIZE_OF_INT;
    public static final int ERROR_LOG_LENGTH_FIELD_OFFSET = VALUES_LENGTH_FIELD_OFFSET + BitUtil.SIZE_OF_INT;
    public static final int PID_FIELD_OFFSET = ERROR_LOG_LENGTH_FIELD_OFFSET + BitUtil.SIZE_OF_INT;
    public static final int START_FIELD_OFFSET = PID_FIELD_OFFSET + BitUtil.SIZE_OF_LONG;
    public static final int END_FIELD_OFFSET = START_FIELD_OFFSET + BitUtil.SIZE_OF_LONG;
    public static final int HEARTBEAT_FIELD_OFFSET = END_FIELD_OFFSET + BitUtil.SIZE_OF_LONG;
    public static final int KIND_FIELD_OFFSET = HEARTBEAT_FIELD_OFFSET + BitUtil.SIZE_OF_LONG;
    public static final int TOPIC_FIELD_OFFSET = KIND_FIELD_OFFSET + BitUtil.SIZE_OF_INT;
    public static final int HEADER_LENGTH = 512;

    private CountersFileDescriptor()
    {
    }
}
