// SPDX-License-Identifier: Apache-2.0
package org.odradek.simulation;

import java.nio.ByteBuffer;

/**
 * Reads the errors of a fetch response and skips everything else. kafka-clients' classes would decode all of it, which
 * takes longer than the simulation of the response.
 */
final class FetchScan
{
    private static final int BODY_INDEX = 8;
    private static final int FIRST_FLEXIBLE = 12;
    private static final int FIRST_WITH_SESSION = 7;
    static final int FIRST_WITH_TOPIC_ID = 13;
    private static final int ID_LENGTH = 16;
    private static final int ABORTED_LENGTH = 16;

    private ByteBuffer frame;
    private int version;
    int throttleMs;
    short errorCode;
    private int topicsLeft;
    private int partitionsLeft;
    int partition;
    short partitionError;
    int preferredReplica;
    int recordsIndex;
    int recordsLength;

    private boolean isFlexible()
    {
        return version >= FIRST_FLEXIBLE;
    }

    /**
     * @param newFrame a whole response with its length field.
     * @return this, before the first partition.
     */
    FetchScan wrap(final ByteBuffer newFrame, final int newVersion)
    {
        version = newVersion;
        frame = newFrame.duplicate();
        frame.position(BODY_INDEX);
        if (isFlexible())
        {
            skipTags();
        }
        throttleMs = frame.getInt();
        errorCode = 0;
        if (version >= FIRST_WITH_SESSION)
        {
            errorCode = frame.getShort();
            frame.getInt();
        }
        topicsLeft = length();
        partitionsLeft = 0;
        return this;
    }

    boolean next()
    {
        while (partitionsLeft == 0)
        {
            if (topicsLeft <= 0)
            {
                return false;
            }
            topicsLeft--;
            skip(version >= FIRST_WITH_TOPIC_ID ? ID_LENGTH : isFlexible() ? varint() - 1 : frame.getShort());
            partitionsLeft = Math.max(0, length());
        }
        partitionsLeft--;
        partition = frame.getInt();
        partitionError = frame.getShort();
        // High watermark, last stable offset, and log start offset since version 5.
        skip(version >= 5 ? 3 * Long.BYTES : 2 * Long.BYTES);
        for (int i = length(); i > 0; i--)
        {
            skip(ABORTED_LENGTH);
            skipTagsIfFlexible();
        }
        preferredReplica = version >= 11 ? frame.getInt() : -1;
        recordsLength = Math.max(0, isFlexible() ? varint() - 1 : frame.getInt());
        recordsIndex = frame.position();
        skip(recordsLength);
        skipTagsIfFlexible();
        if (partitionsLeft == 0)
        {
            skipTagsIfFlexible();
        }
        return true;
    }

    private int length()
    {
        return isFlexible() ? varint() - 1 : frame.getInt();
    }

    private int varint()
    {
        int value = 0;
        for (int shift = 0; ; shift += 7)
        {
            final byte next = frame.get();
            value |= (next & 0x7F) << shift;
            if (next >= 0)
            {
                return value;
            }
        }
    }

    private void skip(final int length)
    {
        frame.position(frame.position() + length);
    }

    private void skipTagsIfFlexible()
    {
        if (isFlexible())
        {
            skipTags();
        }
    }

    private void skipTags()
    {
        for (int i = varint(); i > 0; i--)
        {
            varint();
            skip(varint());
        }
    }
}
