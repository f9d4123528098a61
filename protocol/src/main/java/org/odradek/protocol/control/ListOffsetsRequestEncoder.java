// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.control;

import org.agrona.MutableDirectBuffer;
import org.odradek.protocol.ApiKey;
import org.odradek.protocol.RequestHeaderEncoder;
import org.odradek.protocol.WireWriter;

/**
 * Encodes ListOffsets requests, versions 1 to 11, which look up offsets of one topic by timestamp. {@link #begin}
 * begins a frame at index 0 of a buffer, {@link #entry} adds one partition, and {@link #end} ends the frame. None of
 * them allocates.
 * <pre>
 *  RequestHeader
 *  replicaId           int32   -1
 *  isolationLevel      int8    from 2
 *  topics              array of 1
 *    name              string
 *    partitions        array of 12 to 17 bytes each
 *      partitionIndex      int32
 *      currentLeaderEpoch  int32   from 4
 *      timestamp           int64
 *      tags                        from 6   none
 *    tags                          from 6   none
 *  timeoutMs           int32       from 10
 *  tags                            from 6   none
 * </pre>
 *
 * @see <a href="https://kafka.apache.org/protocol.html#The_Messages_ListOffsets">ListOffsets in the protocol guide</a>
 */
public final class ListOffsetsRequestEncoder
{
    public static final long LATEST_TIMESTAMP = -1;
    public static final long EARLIEST_TIMESTAMP = -2;

    private static final int NULL_REPLICA_ID = -1;
    private static final int MAX_ENTRY_LENGTH = 17;

    /** How long the broker may read remote storage. */
    private static final int TIMEOUT_MS = 30_000;

    /** replicaId, isolationLevel, timeoutMs; array counts; tag counts. */
    private static final int MAX_FIXED_LENGTH = 9 + 2 * 5 + 2;

    private final byte[] clientId;
    private final byte[] topic;
    private final WireWriter writer = new WireWriter();
    private byte isolationLevel;
    private int version;

    /** @param clientId may be null. */
    public ListOffsetsRequestEncoder(final String clientId, final String topic)
    {
        this.clientId = WireWriter.encode(clientId);
        this.topic = WireWriter.encodeTopic(topic);
    }

    /** 0 for read_uncommitted; 1 for read_committed, where the latest offset is the last stable offset. */
    public ListOffsetsRequestEncoder isolationLevel(final byte isolationLevel)
    {
        this.isolationLevel = isolationLevel;
        return this;
    }

    /** @param entryCount number of partitions to follow, 1 or more. */
    public ListOffsetsRequestEncoder begin(final MutableDirectBuffer buffer, final int version, final int entryCount)
    {
        RequestHeaderEncoder.begin(writer, buffer, ApiKey.LIST_OFFSETS, version, clientId);
        this.version = version;
        writer.int32(NULL_REPLICA_ID);
        if (version >= 2)
        {
            writer.int8(isolationLevel);
        }
        writer.arrayCount(1).string(topic).entryCount(entryCount);
        return this;
    }

    /**
     * @param leaderEpoch epoch of the leader from metadata, or -1; not sent below version 4.
     * @param timestamp   milliseconds since 1970 or one of the negative constants.
     */
    public void entry(final int partition, final int leaderEpoch, final long timestamp)
    {
        writer.int32(partition);
        if (version >= 4)
        {
            writer.int32(leaderEpoch);
        }
        writer.int64(timestamp).noTags();
    }

    /** @return length of the frame, which lacks the correlation id. */
    public int end()
    {
        writer.noTags();
        if (version >= 10)
        {
            writer.int32(TIMEOUT_MS);
        }
        writer.noTags();
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
