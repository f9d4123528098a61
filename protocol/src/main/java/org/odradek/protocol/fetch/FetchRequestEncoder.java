// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.fetch;

import org.agrona.MutableDirectBuffer;
import org.odradek.protocol.ApiKey;
import org.odradek.protocol.RequestHeaderEncoder;
import org.odradek.protocol.WireError;
import org.odradek.protocol.WireWriter;

import static java.nio.ByteOrder.BIG_ENDIAN;

/**
 * Encodes Fetch requests for one topic, versions 4 to 18. {@link #build} writes a whole frame at index 0 of a buffer
 * for a number of partitions; then only the fields that change from fetch to fetch are stored in it. Neither allocates.
 * <pre>
 *  RequestHeader
 *  replicaId           int32   -1, up to version 14
 *  maxWaitMs           int32              patched
 *  minBytes            int32              patched
 *  maxBytes            int32              patched
 *  isolationLevel      int8
 *  sessionId           int32   from 7     patched
 *  sessionEpoch        int32   from 7     patched
 *  topics              array of 0 or 1
 *    topic | topicId   string up to 12, uuid from 13
 *    partitions        array of 16 to 33 bytes each
 *      partition           int32              patched
 *      currentLeaderEpoch  int32   from 9     patched
 *      fetchOffset         int64              patched
 *      lastFetchedEpoch    int32   from 12    -1
 *      logStartOffset      int64   from 5     -1
 *      partitionMaxBytes   int32              patched
 *      tags                        from 12    none
 *    tags                          from 12    none
 *  forgottenTopicsData array of 0 or 1, from 7
 *    topic | topicId   as above
 *    partitions        array of int32     patched
 *    tags                          from 12    none
 *  rackId              string  from 11
 *  tags                            from 12    none
 * </pre>
 *
 * @see <a href="https://kafka.apache.org/protocol.html#The_Messages_Fetch">Fetch in the protocol guide</a>
 */
public final class FetchRequestEncoder
{
    public static final byte READ_UNCOMMITTED = 0;
    public static final byte READ_COMMITTED = 1;

    /** Session id and epoch of a request without a fetch session. */
    public static final int NULL_SESSION_ID = 0;
    public static final int FINAL_SESSION_EPOCH = -1;

    private static final int NULL_REPLICA_ID = -1;
    private static final int NULL_EPOCH = -1;
    private static final long NULL_OFFSET = -1;
    private static final int MAX_ENTRY_LENGTH = 33;

    /** replicaId, maxWaitMs, minBytes, maxBytes, isolationLevel, sessionId, sessionEpoch; array counts; tag counts. */
    private static final int MAX_FIXED_LENGTH = 25 + 4 * 5 + 3;

    private final byte[] clientId;
    private final byte[] topic;
    private final byte[] rackId;
    private final WireWriter writer = new WireWriter();

    private byte isolationLevel = READ_UNCOMMITTED;
    private long topicIdMostSignificantBits;
    private long topicIdLeastSignificantBits;

    private int version;
    private int limitsIndex;
    private int sessionIndex;
    private int entriesIndex;
    private int entryLength;
    private int entryCount;
    private int forgottenIndex;
    private int forgottenCount;
    private MutableDirectBuffer buffer;

    /**
     * @param clientId may be null.
     * @param rackId   null and empty both mean no rack.
     */
    public FetchRequestEncoder(final String clientId, final String topic, final String rackId)
    {
        this.clientId = WireWriter.encode(clientId);
        this.topic = WireWriter.encodeTopic(topic);
        this.rackId = null == rackId ? new byte[0] : WireWriter.encode(rackId);
    }

    public FetchRequestEncoder isolationLevel(final byte isolationLevel)
    {
        this.isolationLevel = isolationLevel;
        return this;
    }

    /** The id of the topic, which replaces its name from version 13 on. */
    public FetchRequestEncoder topicId(final long mostSignificantBits, final long leastSignificantBits)
    {
        topicIdMostSignificantBits = mostSignificantBits;
        topicIdLeastSignificantBits = leastSignificantBits;
        return this;
    }

    /**
     * Writes the frame. The correlation id, the limits, each entry and each forgotten partition must be stored before
     * it is sent.
     *
     * @return length of the frame.
     */
    public int build(
        final MutableDirectBuffer buffer, final int version, final int entryCount, final int forgottenCount)
    {
        if (entryCount < 0 || forgottenCount < 0 || version < 7 && forgottenCount > 0)
        {
            throw WireError.FETCH_COUNTS.argument(version, entryCount, forgottenCount);
        }
        RequestHeaderEncoder.begin(writer, buffer, ApiKey.FETCH, version, clientId);
        this.buffer = buffer;
        this.version = version;
        this.entryCount = entryCount;
        this.forgottenCount = forgottenCount;

        writeSettings();
        writeTopics();
        if (version >= 7)
        {
            writeForgottenTopics();
        }
        if (version >= 11)
        {
            writer.string(rackId);
        }
        writer.noTags();
        return RequestHeaderEncoder.end(writer);
    }

    /**
     * Stores how long the broker may hold the request, and how much it may return.
     *
     * @param maxWaitMs until it answers, whatever has arrived.
     * @param minBytes  of records at which it answers at once.
     * @param maxBytes  of records in the response; only the first batch may exceed it.
     */
    public void limits(final int maxWaitMs, final int minBytes, final int maxBytes)
    {
        buffer.putInt(limitsIndex, maxWaitMs, BIG_ENDIAN);
        buffer.putInt(limitsIndex + Integer.BYTES, minBytes, BIG_ENDIAN);
        buffer.putInt(limitsIndex + 2 * Integer.BYTES, maxBytes, BIG_ENDIAN);
    }

    /** Stores the session; does nothing below version 7, which has no sessions. */
    public void session(final int sessionId, final int sessionEpoch)
    {
        if (version >= 7)
        {
            buffer.putInt(sessionIndex, sessionId, BIG_ENDIAN);
            buffer.putInt(sessionIndex + Integer.BYTES, sessionEpoch, BIG_ENDIAN);
        }
    }

    /** @param leaderEpoch epoch of the leader from metadata, or -1; not sent below version 9. */
    public void entry(
        final int slot,
        final int partition,
        final int leaderEpoch,
        final long fetchOffset,
        final int partitionMaxBytes)
    {
        assert slot >= 0 && slot < entryCount;

        int index = entriesIndex + slot * entryLength;
        buffer.putInt(index, partition, BIG_ENDIAN);
        index += Integer.BYTES;
        if (version >= 9)
        {
            buffer.putInt(index, leaderEpoch, BIG_ENDIAN);
            index += Integer.BYTES;
        }
        buffer.putLong(index, fetchOffset, BIG_ENDIAN);
        buffer.putInt(maxBytesIndex(slot), partitionMaxBytes, BIG_ENDIAN);
    }

    public void forgotten(final int slot, final int partition)
    {
        assert slot >= 0 && slot < forgottenCount;

        buffer.putInt(forgottenIndex + slot * Integer.BYTES, partition, BIG_ENDIAN);
    }

    /** Largest length of a frame with these counts, in any version. */
    public int maxFrameLength(final int entryCount, final int forgottenCount)
    {
        return Math.addExact(
            RequestHeaderEncoder.maxLength(clientId) + MAX_FIXED_LENGTH + WireWriter.maxStringLength(rackId) +
                2 * Math.max(WireWriter.maxStringLength(topic), 2 * Long.BYTES),
            Math.addExact(
                Math.multiplyExact(entryCount, MAX_ENTRY_LENGTH),
                Math.multiplyExact(forgottenCount, Integer.BYTES)));
    }

    private void writeSettings()
    {
        if (version <= 14)
        {
            writer.int32(NULL_REPLICA_ID);
        }
        limitsIndex = writer.index();
        writer.int32(0).int32(0).int32(0).int8(isolationLevel);
        sessionIndex = writer.index();
        if (version >= 7)
        {
            writer.int32(NULL_SESSION_ID).int32(FINAL_SESSION_EPOCH);
        }
    }

    private void writeTopics()
    {
        writer.arrayCount(0 == entryCount ? 0 : 1);
        entriesIndex = writer.index();
        if (0 == entryCount)
        {
            return;
        }
        writeTopic();
        writer.arrayCount(entryCount);
        entriesIndex = writer.index();
        for (int i = 0; i < entryCount; i++)
        {
            writeEntry();
        }
        entryLength = (writer.index() - entriesIndex) / entryCount;
        writer.noTags();
    }

    private void writeEntry()
    {
        writer.int32(0);
        if (version >= 9)
        {
            writer.int32(NULL_EPOCH);
        }
        writer.int64(0);
        if (version >= 12)
        {
            writer.int32(NULL_EPOCH);
        }
        if (version >= 5)
        {
            writer.int64(NULL_OFFSET);
        }
        writer.int32(0).noTags();
    }

    private void writeForgottenTopics()
    {
        writer.arrayCount(0 == forgottenCount ? 0 : 1);
        forgottenIndex = writer.index();
        if (0 == forgottenCount)
        {
            return;
        }
        writeTopic();
        writer.arrayCount(forgottenCount);
        forgottenIndex = writer.index();
        for (int i = 0; i < forgottenCount; i++)
        {
            writer.int32(0);
        }
        writer.noTags();
    }

    private void writeTopic()
    {
        if (version >= 13)
        {
            writer.uuid(topicIdMostSignificantBits, topicIdLeastSignificantBits);
        }
        else
        {
            writer.string(topic);
        }
    }

    /** This is the last field of an entry, before an empty tag section in flexible versions. */
    private int maxBytesIndex(final int slot)
    {
        final int tagsLength = version >= 12 ? 1 : 0;
        return entriesIndex + (slot + 1) * entryLength - tagsLength - Integer.BYTES;
    }
}
