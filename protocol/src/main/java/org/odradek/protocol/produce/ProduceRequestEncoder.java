// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.produce;

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.odradek.protocol.ApiKey;
import org.odradek.protocol.RequestHeaderEncoder;
import org.odradek.protocol.WireWriter;

/**
 * Encodes Produce requests for any number of topics and partitions, versions 3 to 13. {@link #begin} begins a frame at
 * index 0 of a buffer, {@link #topic} begins a topic, {@link #partition} adds a partition and copies its batches, and
 * {@link #end} ends the frame. The counts must be known before, because they are in front of what they count. None of
 * the methods allocates.
 * <pre>
 *  RequestHeader
 *  transactionalId     nullable string  null
 *  acks                int16
 *  timeoutMs           int32
 *  topicData           array
 *    name | topicId    string up to 12, uuid from 13
 *    partitionData     array
 *      index           int32
 *      records         nullable bytes   whole batches, from version 3 on of format version 2
 *      tags            from 9           none
 *    tags              from 9           none
 *  tags                from 9           none
 * </pre>
 *
 * @see <a href="https://kafka.apache.org/protocol.html#The_Messages_Produce">Produce in the protocol guide</a>
 */
public final class ProduceRequestEncoder
{
    /** The response is sent when all replicas that are in sync have the batches. */
    public static final short ACKS_ALL = -1;
    /** The response is sent when the leader has the batches. */
    public static final short ACKS_LEADER = 1;

    /** From this version on a topic is given by its id only. */
    public static final int FIRST_VERSION_WITH_TOPIC_ID = 13;
    /** Brokers refuse batches that are compressed with zstd in older versions (KIP-110). */
    public static final int FIRST_VERSION_WITH_ZSTD = 7;

    /** The most bytes of a partition without its batches: index, length of the batches, tag count. */
    public static final int MAX_PARTITION_OVERHEAD = 4 + 5 + 1;

    /** transactionalId, acks, timeoutMs; array count; tag count. */
    private static final int MAX_FIXED_LENGTH = 2 + 2 + 4 + 5 + 1;

    /** Array count, tag count. */
    private static final int MAX_TOPIC_OVERHEAD = 5 + 1;

    private final byte[] clientId;
    private final WireWriter writer = new WireWriter();
    private int version;
    private int topicsLeft;
    private int partitionsLeft;

    /** @param clientId may be null. */
    public ProduceRequestEncoder(final String clientId)
    {
        this.clientId = WireWriter.encode(clientId);
    }

    /**
     * @param acks       {@link #ACKS_ALL} or {@link #ACKS_LEADER}; for 0 the broker would send no response.
     * @param timeoutMs  how long the broker may wait for the replicas.
     * @param topicCount number of topics to follow, 1 or more.
     */
    public ProduceRequestEncoder begin(
        final MutableDirectBuffer buffer,
        final int version,
        final short acks,
        final int timeoutMs,
        final int topicCount)
    {
        RequestHeaderEncoder.begin(writer, buffer, ApiKey.PRODUCE, version, clientId);
        writer.string(null).int16(acks).int32(timeoutMs).entryCount(topicCount);
        this.version = version;
        topicsLeft = topicCount;
        partitionsLeft = 0;
        return this;
    }

    /**
     * Begins the next topic. Brokers refuse one that is listed twice.
     *
     * @param name                   as by {@link WireWriter#encodeTopic}; not sent from version 13 on.
     * @param idMostSignificantBits  not sent before version 13.
     * @param idLeastSignificantBits not sent before version 13.
     * @param partitionCount         number of partitions to follow, 1 or more.
     */
    public void topic(
        final byte[] name,
        final long idMostSignificantBits,
        final long idLeastSignificantBits,
        final int partitionCount)
    {
        assert 0 == partitionsLeft && topicsLeft > 0;

        if (version >= FIRST_VERSION_WITH_TOPIC_ID)
        {
            writer.uuid(idMostSignificantBits, idLeastSignificantBits);
        }
        else
        {
            writer.string(name);
        }
        writer.entryCount(partitionCount);
        topicsLeft--;
        partitionsLeft = partitionCount;
    }

    /**
     * Adds the next partition of the topic.
     *
     * @param batches that holds one batch; brokers refuse more than one of format version 2.
     * @param index   of its first byte.
     * @param length  in bytes.
     */
    public void partition(final int partition, final DirectBuffer batches, final int index, final int length)
    {
        assert partitionsLeft > 0 && length > 0;

        writer.int32(partition).byteField(batches, index, length).noTags();
        if (0 == --partitionsLeft)
        {
            writer.noTags();
        }
    }

    /** @return length of the frame, which lacks the correlation id. */
    public int end()
    {
        assert 0 == topicsLeft && 0 == partitionsLeft;

        writer.noTags();
        return RequestHeaderEncoder.end(writer);
    }

    /**
     * The most bytes of a frame without its topics, in any version. What {@link #maxTopicLength},
     * {@link #MAX_PARTITION_OVERHEAD} and the lengths of the batches add to it is enough for a frame.
     */
    public int maxLength()
    {
        return RequestHeaderEncoder.maxLength(clientId) + MAX_FIXED_LENGTH;
    }

    /** The most bytes of a topic without its partitions, in any version. */
    public static int maxTopicLength(final byte[] name)
    {
        return MAX_TOPIC_OVERHEAD + Math.max(WireWriter.maxStringLength(name), 2 * Long.BYTES);
    }
}
