// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.control;

import org.agrona.DirectBuffer;
import org.odradek.protocol.ApiKey;
import org.odradek.protocol.Field;
import org.odradek.protocol.ResponseHeader;
import org.odradek.protocol.WireLimits;
import org.odradek.protocol.WireReader;

import static java.nio.ByteOrder.BIG_ENDIAN;

/**
 * A view of a Metadata response, versions 4 to 13: the brokers of the cluster and the leaders of topics. {@link #wrap}
 * checks the whole response, so that no values of a malformed response are used. After that, brokers and topics can be
 * walked independently and repeatedly. The values are valid until the next step or until the buffer is filled again.
 * Bytes after the end of the response are ignored, as by Kafka.
 * <pre>
 *  throttleTimeMs      int32
 *  brokers             array
 *    nodeId            int32
 *    host              string
 *    port              int32
 *    rack              nullable string
 *    tags              from 9
 *  clusterId           nullable string
 *  controllerId        int32
 *  topics              array
 *    errorCode         int16
 *    name              nullable string
 *    topicId           uuid    from 10
 *    isInternal        bool
 *    partitions        array
 *      errorCode       int16
 *      partitionIndex  int32
 *      leaderId        int32
 *      leaderEpoch     int32   from 7
 *      replicaNodes    array of int32
 *      isrNodes        array of int32
 *      offlineReplicas array of int32   from 5
 *      tags            from 9
 *    topicAuthorizedOperations   int32  from 8
 *    tags              from 9
 *  clusterAuthorizedOperations   int32  8 to 10
 *  errorCode           int16   from 13
 *  tags                from 9
 * </pre>
 *
 * @see <a href="https://kafka.apache.org/protocol.html#The_Messages_Metadata">Metadata in the protocol guide</a>
 */
public final class MetadataResponseFlyweight
{
    public static final int NULL_NODE_ID = -1;
    public static final int NULL_EPOCH = -1;

    private static final int MIN_BROKER_LENGTH = 11;
    private static final int MIN_TOPIC_LENGTH = 9;
    private static final int MIN_PARTITION_LENGTH = 18;

    private final WireReader brokers = new WireReader();
    private final WireReader topics = new WireReader();
    private int version;
    private int throttleTimeMs;
    private short errorCode;
    private int controllerId;
    private int clusterIdIndex;
    private int clusterIdLength;
    private int brokersIndex;
    private int brokerCount;
    private int brokersLeft;
    private int topicsIndex;
    private int topicCount;
    private int topicsLeft;
    private int partitionsLeft;
    private boolean isInTopic;

    private int nodeId;
    private int hostIndex;
    private int hostLength;
    private int port;

    private short topicErrorCode;
    private int topicIndex;
    private int topicLength;
    private long topicIdMostSignificantBits;
    private long topicIdLeastSignificantBits;
    private int partitionCount;

    private short partitionErrorCode;
    private int partition;
    private int leaderId;
    private int leaderEpoch;
    private int replicasIndex;
    private int replicaCount;
    private int isrIndex;
    private int isrCount;

    /** @param index first byte after the correlation id. */
    public MetadataResponseFlyweight wrap(
        final DirectBuffer buffer, final int index, final int limit, final int version)
    {
        this.version = version;
        brokerCount = 0;
        topicCount = 0;
        resetBrokers();
        resetTopics();

        ResponseHeader.wrapBody(brokers, ApiKey.METADATA, version, buffer, index, limit);
        throttleTimeMs = brokers.int32(Field.THROTTLE_TIME_MS);
        brokersLeft = brokers.arrayCount(Field.BROKERS, MIN_BROKER_LENGTH, WireLimits.MAX_BROKERS);
        final int checkedBrokerCount = brokersLeft;
        brokersIndex = brokers.index();
        while (nextBroker())
        {
            continue;
        }
        clusterIdLength = brokers.nullableString(Field.CLUSTER_ID, WireLimits.MAX_CLUSTER_ID_LENGTH);
        clusterIdIndex = brokers.valueIndex();
        controllerId = brokers.int32(Field.CONTROLLER_ID);

        topics.wrap(buffer, brokers.index(), limit, brokers.isFlexible());
        topicsLeft = topics.arrayCount(Field.TOPICS, MIN_TOPIC_LENGTH);
        final int checkedTopicCount = topicsLeft;
        topicsIndex = topics.index();
        while (nextTopic())
        {
            continue;
        }
        readEnd();

        brokerCount = checkedBrokerCount;
        topicCount = checkedTopicCount;
        resetBrokers();
        resetTopics();
        return this;
    }

    public DirectBuffer buffer()
    {
        return topics.buffer();
    }

    public int throttleTimeMs()
    {
        return throttleTimeMs;
    }

    /** The error of the whole response; 0 below version 13. */
    public short errorCode()
    {
        return errorCode;
    }

    public int controllerId()
    {
        return controllerId;
    }

    public int clusterIdIndex()
    {
        return clusterIdIndex;
    }

    /** {@link WireReader#NULL_LENGTH} if the cluster has no id. */
    public int clusterIdLength()
    {
        return clusterIdLength;
    }

    public int brokerCount()
    {
        return brokerCount;
    }

    public int topicCount()
    {
        return topicCount;
    }

    /** Moves to before the first broker. */
    public void resetBrokers()
    {
        brokersLeft = brokerCount;
        if (brokerCount > 0)
        {
            brokers.index(brokersIndex);
        }
    }

    public boolean nextBroker()
    {
        if (0 == brokersLeft)
        {
            return false;
        }
        brokersLeft--;
        nodeId = brokers.int32(Field.NODE_ID);
        hostLength = brokers.string(Field.HOST);
        hostIndex = brokers.valueIndex();
        port = brokers.int32(Field.PORT);
        brokers.nullableString(Field.RACK);
        brokers.skipTags();
        return true;
    }

    public int nodeId()
    {
        return nodeId;
    }

    public int hostIndex()
    {
        return hostIndex;
    }

    public int hostLength()
    {
        return hostLength;
    }

    public int port()
    {
        return port;
    }

    /** Moves to before the first topic. */
    public void resetTopics()
    {
        topicsLeft = topicCount;
        partitionsLeft = 0;
        isInTopic = false;
        if (topicCount > 0)
        {
            topics.index(topicsIndex);
        }
    }

    /** Moves to the next topic, even if the partitions of the current one have not been walked. */
    public boolean nextTopic()
    {
        while (nextPartition())
        {
            continue;
        }
        if (isInTopic)
        {
            readTopicEnd();
        }
        if (0 == topicsLeft)
        {
            return false;
        }
        topicsLeft--;
        isInTopic = true;
        topicErrorCode = topics.int16(Field.ERROR_CODE);
        topicLength = version >= 12 ? topics.nullableString(Field.NAME) : topics.string(Field.NAME);
        topicIndex = topics.valueIndex();
        readTopicId();
        topics.skip(Field.IS_INTERNAL, 1);
        partitionCount = topics.arrayCount(Field.PARTITIONS, MIN_PARTITION_LENGTH, WireLimits.MAX_PARTITIONS);
        partitionsLeft = partitionCount;
        return true;
    }

    public short topicErrorCode()
    {
        return topicErrorCode;
    }

    public int topicIndex()
    {
        return topicIndex;
    }

    /** {@link WireReader#NULL_LENGTH} if the topic was requested by an id that the broker does not know. */
    public int topicLength()
    {
        return topicLength;
    }

    /** Both halves are 0 below version 10. */
    public long topicIdMostSignificantBits()
    {
        return topicIdMostSignificantBits;
    }

    public long topicIdLeastSignificantBits()
    {
        return topicIdLeastSignificantBits;
    }

    public int partitionCount()
    {
        return partitionCount;
    }

    /** Moves to the next partition of the current topic. */
    public boolean nextPartition()
    {
        if (0 == partitionsLeft)
        {
            return false;
        }
        partitionsLeft--;
        partitionErrorCode = topics.int16(Field.ERROR_CODE);
        partition = topics.int32(Field.PARTITION_INDEX);
        leaderId = topics.int32(Field.LEADER_ID);
        leaderEpoch = version >= 7 ? topics.int32(Field.LEADER_EPOCH) : NULL_EPOCH;
        replicaCount = skipNodes(Field.REPLICA_NODES);
        replicasIndex = topics.index() - replicaCount * Integer.BYTES;
        isrCount = skipNodes(Field.ISR_NODES);
        isrIndex = topics.index() - isrCount * Integer.BYTES;
        if (version >= 5)
        {
            skipNodes(Field.OFFLINE_REPLICAS);
        }
        topics.skipTags();
        return true;
    }

    public short partitionErrorCode()
    {
        return partitionErrorCode;
    }

    public int partition()
    {
        return partition;
    }

    /** {@link #NULL_NODE_ID} if the partition has no leader. */
    public int leaderId()
    {
        return leaderId;
    }

    public int leaderEpoch()
    {
        return leaderEpoch;
    }

    public int replicaCount()
    {
        return replicaCount;
    }

    /** Node id of a replica, from 0 to {@link #replicaCount()} - 1. */
    public int replica(final int i)
    {
        return topics.buffer().getInt(replicasIndex + i * Integer.BYTES, BIG_ENDIAN);
    }

    public int isrCount()
    {
        return isrCount;
    }

    /** Node id of an in-sync replica, from 0 to {@link #isrCount()} - 1. */
    public int isr(final int i)
    {
        return topics.buffer().getInt(isrIndex + i * Integer.BYTES, BIG_ENDIAN);
    }

    private void readTopicId()
    {
        topicIdMostSignificantBits = 0;
        topicIdLeastSignificantBits = 0;
        if (version >= 10)
        {
            topics.uuid(Field.TOPIC_ID);
            topicIdMostSignificantBits = topics.mostSignificantBits();
            topicIdLeastSignificantBits = topics.leastSignificantBits();
        }
    }

    private void readTopicEnd()
    {
        isInTopic = false;
        if (version >= 8)
        {
            topics.int32(Field.TOPIC_AUTHORIZED_OPERATIONS);
        }
        topics.skipTags();
    }

    private void readEnd()
    {
        if (version >= 8 && version <= 10)
        {
            topics.int32(Field.CLUSTER_AUTHORIZED_OPERATIONS);
        }
        errorCode = version >= 13 ? topics.int16(Field.ERROR_CODE) : 0;
        topics.skipTags();
    }

    private int skipNodes(final Field field)
    {
        final int count = topics.arrayCount(field, Integer.BYTES, WireLimits.MAX_BROKERS);
        topics.skip(field, count * Integer.BYTES);
        return count;
    }
}
