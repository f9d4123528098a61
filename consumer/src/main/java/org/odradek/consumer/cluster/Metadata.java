// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.cluster;

import org.agrona.DirectBuffer;
import org.odradek.consumer.core.Environment;
import org.odradek.consumer.core.Settings;
import org.odradek.consumer.core.TopicIdentity;
import org.odradek.consumer.handler.ConsumerCounters;
import org.odradek.consumer.net.BrokerAddress;
import org.odradek.consumer.net.BrokerConnection;
import org.odradek.consumer.net.RequestFrame;
import org.odradek.protocol.ApiKey;
import org.odradek.protocol.ErrorCode;
import org.odradek.protocol.WireFormatException;
import org.odradek.protocol.WireLimits;
import org.odradek.protocol.control.MetadataRequestEncoder;
import org.odradek.protocol.control.MetadataResponseFlyweight;

import java.util.Arrays;

/**
 * Requests the metadata of the topic from any broker: at the start, when leaders are in doubt, and when it is old. It
 * reports the leaders to the {@link PartitionLeaders} and stores the addresses in {@link Brokers}.
 * <p>
 * It rebootstraps when a broker asks for it (REBOOTSTRAP_REQUIRED, KIP-1102 and KIP-1242) or when there has been no
 * response for long (KIP-899): it forgets the cluster and connects to the bootstrap servers, whose names are looked up
 * again. It does so at most once in the longest retry backoff, because a cluster may keep asking. The offsets of the
 * partitions are kept.
 */
public final class Metadata extends ControlRequest
{
    /** Brokers before 2.4 may return stale epochs, which would get a consumer fenced. */
    private static final int FIRST_VERSION_WITH_SOUND_EPOCHS = 9;
    private static final int FIRST_VERSION_WITH_TOPIC_ID = 10;
    /** As many partitions as the response names may be missing in it, and these. */
    private static final int MISSING_PARTITIONS = 1_000;

    private final Settings settings;
    private final TopicIdentity topic;
    private final PartitionLeaders leaders;
    private final Brokers brokers;
    private final Environment environment;
    private final ControlConnection connection;
    private final MetadataRequestEncoder request;
    private final MetadataResponseFlyweight response = new MetadataResponseFlyweight();

    private int candidate = -1;
    private int partitionCount;
    /** The greatest partition id of the response, plus 1. */
    private int namedCount;
    private int responseCount;
    /** Of each partition, the response that named it last. */
    private int[] seenIn = {};
    private int reportedMissing = -1;
    private short reportedError;
    private boolean isWanted = true;
    private long lastAnswerNs;
    private boolean isUnanswered;
    private long unansweredSinceNs;
    private boolean isRebootstrapRequired;
    private boolean isTopicRecreated;

    public Metadata(
        final TopicIdentity topic,
        final PartitionLeaders leaders,
        final Brokers brokers,
        final Environment environment)
    {
        this(topic, leaders, brokers, new ControlConnection(
            environment, ApiKey.METADATA, environment.settings().reconnectBackoff()), environment);
    }

    /** @param connection that the metadata of several topics may share; each of them connects it again. */
    public Metadata(
        final TopicIdentity topic,
        final PartitionLeaders leaders,
        final Brokers brokers,
        final ControlConnection connection,
        final Environment environment)
    {
        super(ApiKey.METADATA, environment.settings().retryBackoff());
        settings = environment.settings();
        this.topic = topic;
        this.leaders = leaders;
        this.brokers = brokers;
        this.environment = environment;
        this.connection = connection;
        request = new MetadataRequestEncoder(settings.clientId, topic.name());
    }

    /** @return amount of work done; 0 means idle. */
    public int doWork(final boolean isPollingSocket)
    {
        if (isRebootstrapDue())
        {
            rebootstrap();
        }
        int work = connection.doWork(isPollingSocket);
        if (isRebootstrapRequired)
        {
            isRebootstrapRequired = false;
            connection.fail("it asks to begin again from the bootstrap servers");
        }
        if (connection.takeFailed() || connection.isClosed())
        {
            connectToNext();
        }
        final long nowNs = environment.clock().nowNs();
        isWanted |= leaders.takeMetadataRequested() ||
            isAgeing() && nowNs - lastAnswerNs > settings.metadataMaxAgeNs();
        if (isWanted)
        {
            if (!isUnanswered)
            {
                isUnanswered = true;
                unansweredSinceNs = environment.clock().pollingNs();
            }
            if (connection.prepare(this))
            {
                isWanted = false;
                connection.send(this);
                work++;
            }
        }
        return work;
    }

    /** Whether only the age of the metadata leads to the next request. */
    private boolean isAgeing()
    {
        return partitionCount > 0 && !connection.isInFlight() && !isWanted;
    }

    /** Connect to the next of the known brokers and the bootstrap servers. */
    private void connectToNext()
    {
        isWanted = true;
        final BrokerAddress[] bootstrap = brokers.bootstrap();
        final int known = brokers.count();
        candidate = candidate + 1 < known + bootstrap.length ? candidate + 1 : 0;
        if (candidate < known)
        {
            connection.open(brokers.nodeId(candidate), brokers.addressAt(candidate));
        }
        else
        {
            connection.open(BrokerConnection.NULL_NODE_ID, bootstrap[candidate - known]);
        }
    }

    private boolean isRebootstrapDue()
    {
        return (environment.identity().rebootstrapReason() != null || isUnansweredForLong()) &&
            brokers.mayBeForgotten(environment.clock().nowNs() - settings.retryBackoffMaxNs());
    }

    /**
     * Only time in which the consumer is polled counts, because only then are the brokers tried. An answer for another
     * topic counts, too. As long as no broker is known, there is nothing to forget.
     */
    private boolean isUnansweredForLong()
    {
        final long sinceNs = environment.clock().pollingNs() - settings.rebootstrapTriggerNs();
        return isUnanswered && brokers.count() > 0 && sinceNs - unansweredSinceNs > 0 && brokers.isUnanswered(sinceNs);
    }

    private void rebootstrap()
    {
        final String asked = environment.identity().rebootstrapReason();
        final String reason = asked != null ? asked :
            "no broker has answered for metadata for " + settings.rebootstrapTriggerNs() / 1_000_000 + " ms";
        isUnanswered = false;
        isWanted = true;
        candidate = -1;
        connection.close();
        environment.identity().forget();
        brokers.forget();
        for (final BrokerAddress address : brokers.bootstrap())
        {
            address.forget();
        }
        // Without leaders no broker has a partition, which closes the connections to all of them.
        for (int p = 0; p < leaders.capacity(); p++)
        {
            leaders.leader(p, PartitionLeaders.NULL_LEADER, PartitionLeaders.NULL_EPOCH);
        }
        environment.counters().add(ConsumerCounters.REBOOTSTRAPS, 1);
        environment.listener().onRebootstrap(reason);
    }

    @Override
    public int encode(final RequestFrame frame, final int version)
    {
        return request.build(frame.ofLength(request.maxFrameLength()), version);
    }

    @Override
    public void onLost()
    {
        isWanted = true;
    }

    @Override
    public boolean onResponse(final DirectBuffer buffer, final int index, final int limit, final int version)
    {
        environment.counters().add(ConsumerCounters.METADATA_REFRESHES, 1);
        response.wrap(buffer, index, limit, version);
        throttleTimeMs = response.throttleTimeMs();
        check();
        final boolean isComplete = apply(version);
        if (isComplete)
        {
            lastAnswerNs = environment.clock().nowNs();
        }
        else
        {
            isWanted = true;
        }
        return isComplete;
    }

    /** Nothing of the response is stored before all of it has been checked. */
    private void check()
    {
        while (response.nextBroker())
        {
            BrokerAddress.check(response.nodeId(), response.buffer(), response.hostIndex(), response.hostLength(),
                response.port());
        }
        namedCount = 0;
        if (nextTopic())
        {
            // One large id would otherwise take as much memory as all partitions that a topic may have.
            final int limit = Math.min(WireLimits.MAX_PARTITIONS, 2 * response.partitionCount() + MISSING_PARTITIONS);
            while (response.nextPartition())
            {
                final int partition = response.partition();
                if (partition < 0 || partition >= limit || response.leaderId() < PartitionLeaders.NULL_LEADER)
                {
                    throw new WireFormatException(partition >= 0 && partition < limit ?
                        "leader " + response.leaderId() + " of partition " + partition + " where -1 or more was " +
                            "expected" :
                        "partition id " + partition + " where 0 to " + (limit - 1) + " was expected");
                }
                namedCount = Math.max(namedCount, partition + 1);
            }
        }
    }

    /**
     * Move to the topic that is read.
     *
     * @return false if the response does not name it.
     */
    private boolean nextTopic()
    {
        response.resetTopics();
        while (response.nextTopic())
        {
            if (topic.isName(response.buffer(), response.topicIndex(), response.topicLength()))
            {
                return true;
            }
        }
        return false;
    }

    /** @return false if the response leaves something open, so that it must be requested again soon. */
    private boolean apply(final int version)
    {
        if (response.errorCode() == ErrorCode.REBOOTSTRAP_REQUIRED)
        {
            isRebootstrapRequired = true;
            environment.identity().requestRebootstrap(
                "broker " + connection.nodeId() + " at " + connection.address() + " answered REBOOTSTRAP_REQUIRED");
            return false;
        }
        if (response.errorCode() != ErrorCode.NONE)
        {
            reportOnce(response.errorCode(), connection);
            return false;
        }
        // A broker that is starting may name none.
        if (response.brokerCount() == 0)
        {
            return false;
        }
        isUnanswered = false;
        brokers.onAnswer();
        updateClusterId();
        if (brokers.update(response))
        {
            // The known leader of a partition may have another address.
            leaders.changeAssignment();
        }
        if (!nextTopic())
        {
            return false;
        }
        reportOnce(response.topicErrorCode(), topic);
        if (ErrorCode.isUnknownPartition(response.topicErrorCode()))
        {
            topic.doubt(environment.clock().nowNs());
        }
        return response.topicErrorCode() == ErrorCode.NONE && applyTopic(version);
    }

    /** An error is reported when it first occurs, and not again while it lasts. */
    private void reportOnce(final short errorCode, final Object source)
    {
        if (errorCode != reportedError)
        {
            reportedError = errorCode;
            if (errorCode != ErrorCode.NONE)
            {
                environment.error((source instanceof TopicIdentity topic ? "Topic " + topic.name() :
                    "Metadata from " + ((ControlConnection)source).address()) + ": " + ErrorCode.name(errorCode) +
                    "; will retry.");
            }
        }
    }

    /** Another cluster is only reported; the topic's id decides what happens to the partitions. */
    private void updateClusterId()
    {
        final String before = environment.identity().update(
            response.buffer(), response.clusterIdIndex(), response.clusterIdLength());
        if (before != null)
        {
            environment.error("Metadata from " + connection.address() + ": this is cluster " + environment.identity() +
                " where " + before + " was known.");
        }
    }

    private boolean applyTopic(final int version)
    {
        final boolean hadId = topic.hasId();
        final boolean isOtherId = version >= FIRST_VERSION_WITH_TOPIC_ID &&
            topic.id(response.topicIdMostSignificantBits(), response.topicIdLeastSignificantBits());
        if (isOtherId && hadId)
        {
            onTopicRecreated();
            partitionCount = 0;
        }
        topic.confirm();
        boolean isComplete = response.partitionCount() > 0;
        responseCount++;
        partitionCount = Math.max(partitionCount, namedCount);
        leaders.ensureCapacity(partitionCount);
        if (seenIn.length < partitionCount)
        {
            seenIn = Arrays.copyOf(seenIn, partitionCount);
        }
        while (response.nextPartition())
        {
            final int epoch = version >= FIRST_VERSION_WITH_SOUND_EPOCHS ?
                response.leaderEpoch() : PartitionLeaders.NULL_EPOCH;
            isComplete &= applyPartition(response.partition(), response.leaderId(), epoch, isOtherId);
        }
        return isComplete & checkAllAssigned();
    }

    /** The known offsets belong to records that are gone, and leader epochs begin again. */
    private void onTopicRecreated()
    {
        isTopicRecreated = true;
        for (int p = 0; p < leaders.capacity(); p++)
        {
            leaders.leader(p, PartitionLeaders.NULL_LEADER, PartitionLeaders.NULL_EPOCH);
        }
    }

    private boolean applyPartition(
        final int partition, final int leaderId, final int epoch, final boolean isOtherId)
    {
        seenIn[partition] = responseCount;
        // A broker whose metadata is older than what another broker has sent, unless the topic may have been created
        // again before its id was known.
        if (!isOtherId && epoch < leaders.leaderEpoch(partition) && epoch != PartitionLeaders.NULL_EPOCH)
        {
            return false;
        }
        final int knownId = leaders.leaderId(partition);
        if (leaders.leader(partition, leaderId, epoch) && knownId != PartitionLeaders.NULL_LEADER)
        {
            environment.counters().add(ConsumerCounters.LEADER_CHANGES, 1);
            environment.listener().onLeaderChanged(partition, leaderId, epoch);
        }
        return leaderId != PartitionLeaders.NULL_LEADER && brokers.address(leaderId) != null;
    }

    /**
     * Reports the first assigned partition that the response leaves out. A partition that the user has assigned may not
     * have been created yet.
     *
     * @return false if there is one.
     */
    private boolean checkAllAssigned()
    {
        for (int p = 0; p < leaders.capacity(); p++)
        {
            if (leaders.isAssigned(p) && (p >= partitionCount || seenIn[p] != responseCount))
            {
                if (reportedMissing != p)
                {
                    reportedMissing = p;
                    environment.error("Partition " + p + " of topic " + topic.name() + (p >= partitionCount ?
                        " does not exist: the topic has " + partitionCount : " is missing in the metadata from " +
                        connection.address()) + "; will retry.");
                }
                return false;
            }
        }
        return true;
    }

    /** Returns and clears the flag that the topic was deleted and created again. */
    public boolean takeTopicRecreated()
    {
        final boolean isRecreated = isTopicRecreated;
        isTopicRecreated = false;
        return isRecreated;
    }

    /** The number of partitions of the topic; 0 until it has been found. */
    public int partitionCount()
    {
        return partitionCount;
    }

    public long nextDeadlineNs(final long otherwiseNs)
    {
        final long nextNs = connection.nextDeadlineNs(isWanted ? this : null, otherwiseNs);
        final long dueNs = lastAnswerNs + settings.metadataMaxAgeNs();
        // A deadline in the past has been acted on in this duty cycle.
        return isAgeing() && dueNs - environment.clock().nowNs() > 0 && dueNs - nextNs < 0 ? dueNs : nextNs;
    }

    public void free()
    {
        connection.free();
    }

    @Override
    public String toString()
    {
        return "metadata from " + connection + (isWanted ? ", wanted" : "");
    }
}
