// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.control;

import org.agrona.MutableDirectBuffer;
import org.odradek.protocol.ApiKey;
import org.odradek.protocol.RequestHeaderEncoder;
import org.odradek.protocol.WireError;
import org.odradek.protocol.WireWriter;

import static java.nio.ByteOrder.BIG_ENDIAN;

/**
 * Encodes OffsetForLeaderEpoch requests, versions 3 and 4, which look up the end offsets of leader epochs in the log of
 * one topic. {@link #build} writes a frame at index 0 of a buffer; then every entry is stored in it. Neither allocates.
 * <pre>
 *  RequestHeader
 *  replicaId           int32   -1
 *  topics              array of 0 or 1
 *    topic             string
 *    partitions        array of 12 or 13 bytes each
 *      partition           int32   patched
 *      currentLeaderEpoch  int32   patched
 *      leaderEpoch         int32   patched
 *      tags                        from 4   none
 *    tags                          from 4   none
 *  tags                            from 4   none
 * </pre>
 *
 * @see <a href="https://kafka.apache.org/protocol.html#The_Messages_OffsetForLeaderEpoch">OffsetForLeaderEpoch in the
 * protocol guide</a>
 */
public final class OffsetForLeaderEpochRequestEncoder
{
    private static final int NULL_REPLICA_ID = -1;
    private static final int MAX_ENTRY_LENGTH = 13;

    /** replicaId; array counts; tag counts. */
    private static final int MAX_FIXED_LENGTH = 4 + 2 * 5 + 2;

    private final byte[] clientId;
    private final byte[] topic;
    private final WireWriter writer = new WireWriter();
    private int frameLength;
    private int entriesIndex;
    private int entryLength;
    private int entryCount;
    private MutableDirectBuffer buffer;

    /** @param clientId may be null. */
    public OffsetForLeaderEpochRequestEncoder(final String clientId, final String topic)
    {
        this.clientId = WireWriter.encode(clientId);
        this.topic = WireWriter.encodeTopic(topic);
    }

    /** Writes the frame. Every entry must be stored before it is sent. */
    public OffsetForLeaderEpochRequestEncoder build(
        final MutableDirectBuffer buffer, final int version, final int entryCount)
    {
        if (entryCount < 0)
        {
            throw WireError.ENTRY_COUNT.argument(entryCount);
        }
        RequestHeaderEncoder.begin(writer, buffer, ApiKey.OFFSET_FOR_LEADER_EPOCH, version, clientId);
        this.buffer = buffer;
        this.entryCount = entryCount;

        writer.int32(NULL_REPLICA_ID);
        writeTopics();
        writer.noTags();
        frameLength = RequestHeaderEncoder.end(writer);
        return this;
    }

    public void correlationId(final int correlationId)
    {
        RequestHeaderEncoder.correlationId(buffer, correlationId);
    }

    /**
     * @param currentLeaderEpoch epoch of the leader from metadata, or -1.
     * @param leaderEpoch        epoch whose end is requested.
     */
    public void entry(final int slot, final int partition, final int currentLeaderEpoch, final int leaderEpoch)
    {
        assert slot >= 0 && slot < entryCount;

        final int index = entriesIndex + slot * entryLength;
        buffer.putInt(index, partition, BIG_ENDIAN);
        buffer.putInt(index + Integer.BYTES, currentLeaderEpoch, BIG_ENDIAN);
        buffer.putInt(index + 2 * Integer.BYTES, leaderEpoch, BIG_ENDIAN);
    }

    public int frameLength()
    {
        return frameLength;
    }

    /** Largest length of a frame with this number of entries, in any version. */
    public int maxFrameLength(final int entryCount)
    {
        return Math.addExact(
            RequestHeaderEncoder.maxLength(clientId) + MAX_FIXED_LENGTH + WireWriter.maxStringLength(topic),
            Math.multiplyExact(entryCount, MAX_ENTRY_LENGTH));
    }

    private void writeTopics()
    {
        writer.arrayCount(0 == entryCount ? 0 : 1);
        if (0 == entryCount)
        {
            return;
        }
        writer.string(topic).arrayCount(entryCount);
        entriesIndex = writer.index();
        for (int i = 0; i < entryCount; i++)
        {
            writer.int32(0).int32(-1).int32(-1).noTags();
        }
        entryLength = (writer.index() - entriesIndex) / entryCount;
        writer.noTags();
    }
}
