// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.control;

import org.agrona.MutableDirectBuffer;
import org.odradek.protocol.ApiKey;
import org.odradek.protocol.RequestHeaderEncoder;
import org.odradek.protocol.WireWriter;

/**
 * Encodes OffsetForLeaderEpoch requests, versions 3 and 4, which look up the end offsets of leader epochs in the log of
 * one topic. {@link #begin} begins a frame at index 0 of a buffer, {@link #entry} adds one partition, and {@link #end}
 * ends the frame. None of them allocates.
 * <pre>
 *  RequestHeader
 *  replicaId           int32   -1
 *  topics              array of 1
 *    topic             string
 *    partitions        array of 12 or 13 bytes each
 *      partition           int32
 *      currentLeaderEpoch  int32
 *      leaderEpoch         int32
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

    /** @param clientId may be null. */
    public OffsetForLeaderEpochRequestEncoder(final String clientId, final String topic)
    {
        this.clientId = WireWriter.encode(clientId);
        this.topic = WireWriter.encodeTopic(topic);
    }

    /** @param entryCount number of partitions to follow, 1 or more. */
    public OffsetForLeaderEpochRequestEncoder begin(
        final MutableDirectBuffer buffer, final int version, final int entryCount)
    {
        RequestHeaderEncoder.begin(writer, buffer, ApiKey.OFFSET_FOR_LEADER_EPOCH, version, clientId);
        writer.int32(NULL_REPLICA_ID).arrayCount(1).string(topic).entryCount(entryCount);
        return this;
    }

    /**
     * @param currentLeaderEpoch epoch of the leader from metadata, or -1.
     * @param leaderEpoch        epoch whose end is requested.
     */
    public void entry(final int partition, final int currentLeaderEpoch, final int leaderEpoch)
    {
        writer.int32(partition).int32(currentLeaderEpoch).int32(leaderEpoch).noTags();
    }

    /** @return length of the frame, which lacks the correlation id. */
    public int end()
    {
        writer.noTags().noTags();
        return RequestHeaderEncoder.end(writer);
    }

    /** Largest length of a frame with this number of entries, in any version. */
    public int maxFrameLength(final int entryCount)
    {
        return Math.addExact(
            RequestHeaderEncoder.maxLength(clientId) + MAX_FIXED_LENGTH + WireWriter.maxStringLength(topic),
            Math.multiplyExact(entryCount, MAX_ENTRY_LENGTH));
    }
}
