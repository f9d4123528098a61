// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.control;

import org.odradek.consumer.fetch.FetchTopic;
import org.odradek.consumer.fetch.PartitionErrors;
import org.odradek.consumer.fetch.PartitionTable;
import org.odradek.consumer.net.Backoff;
import org.odradek.consumer.net.BrokerAddress;
import org.odradek.consumer.net.BrokerConnection;
import org.odradek.consumer.net.ConsumerEnvironment;
import org.odradek.consumer.net.RequestFrame;
import org.odradek.consumer.status.ConsumerCounters;
import org.odradek.protocol.ApiKey;
import org.odradek.protocol.ErrorCode;
import org.odradek.protocol.WireFormatException;
import org.odradek.protocol.control.MetadataRequestEncoder;
import org.odradek.protocol.control.MetadataResponseFlyweight;

/**
 * Keeps one control connection, to any broker that answers, and asks it for the brokers and the leaders of the topic:
 * at the start, when they are in doubt, and when they are old.
 */
final class MetadataRefresher
{
    /**
     * Brokers before 2.4 may give out stale epochs, which would get a consumer fenced.
     */
    private static final int FIRST_VERSION_WITH_SOUND_EPOCHS = 9;
    private static final int FIRST_VERSION_WITH_TOPIC_ID = 10;
    private static final int MAX_PARTITIONS = 1_000_000;

    private final long maxAgeNs;
    private final FetchTopic topic;
    private final PartitionTable table;
    private final ConsumerEnvironment environment;
    private final PartitionErrors errors;
    private final ClusterView cluster;
    private final Rebootstrap rebootstrap;
    private final BrokerAddress[] bootstrap;
    private final BrokerConnection connection;
    private final Backoff backoff;
    private final MetadataRequestEncoder request;
    private final RequestFrame requestFrame;
    private final MetadataResponseFlyweight response = new MetadataResponseFlyweight();

    private int candidate = -1;
    private int seenFailures;
    private int builtVersion = -1;
    private int partitionCount;
    private int reportedMissing = -1;
    private short reportedError;
    private boolean isWanted = true;
    private boolean isRequestSent;
    private long lastAnswerNs;

    MetadataRefresher(
        final ControlSettings settings,
        final FetchTopic topic,
        final PartitionTable table,
        final PartitionErrors errors,
        final ClusterView cluster,
        final ConsumerEnvironment environment)
    {
        this.topic = topic;
        this.table = table;
        this.errors = errors;
        this.cluster = cluster;
        this.environment = environment;
        maxAgeNs = settings.metadataMaxAgeNs();
        bootstrap = settings.bootstrap();
        rebootstrap = new Rebootstrap(settings, table, cluster, environment);
        backoff = new Backoff(settings.retryBackoffNs(), settings.retryBackoffMaxNs());
        connection = new BrokerConnection(
            settings.connectionSettings(), environment, settings.controlBufferLength(), ApiKey.METADATA);
        request = new MetadataRequestEncoder(settings.connectionSettings().clientId(), topic.name());
        requestFrame = new RequestFrame(environment.budget(), request.maxFrameLength());
    }

    /**
     * @return amount of work done; 0 means idle.
     */
    int doWork(final boolean isLooking)
    {
        if (rebootstrap.isDue())
        {
            rebootstrap.begin();
            connection.close();
            candidate = -1;
        }
        if (connection.state() == BrokerConnection.CLOSED || connection.failures() != seenFailures)
        {
            onConnectionFailed();
        }
        int work = connection.doWork(isLooking);
        if (isRequestSent && connection.hasResponse())
        {
            onResponse();
            work++;
        }
        final long nowNs = environment.clock().nowNs();
        isWanted |= table.takeMetadataRequested() || isAgeing() && nowNs - lastAnswerNs > maxAgeNs;
        if (isWanted)
        {
            rebootstrap.onAsking();
            connection.wake();
            if (backoff.isOver(nowNs) && connection.canSend())
            {
                send();
                work++;
            }
        }
        return work;
    }

    /**
     * Whether it depends on nothing but time when to ask next.
     */
    private boolean isAgeing()
    {
        return partitionCount > 0 && !isRequestSent && !isWanted;
    }

    /**
     * Try the next place: the brokers that are known, then those the user named.
     */
    private void onConnectionFailed()
    {
        seenFailures = connection.failures();
        isRequestSent = false;
        isWanted = true;
        final int known = cluster.count();
        candidate = candidate + 1 < known + bootstrap.length ? candidate + 1 : 0;
        if (candidate < known)
        {
            connection.open(cluster.nodeId(candidate), cluster.addressAt(candidate));
        }
        else
        {
            connection.open(BrokerConnection.NULL_NODE_ID, bootstrap[candidate - known]);
        }
    }

    private void send()
    {
        final int version = connection.version(ApiKey.METADATA);
        if (version != builtVersion)
        {
            request.build(requestFrame.buffer(), version);
            builtVersion = version;
        }
        request.correlationId(connection.nextCorrelationId());
        connection.send(requestFrame, request.frameLength());
        isRequestSent = true;
        isWanted = false;
    }

    private void onResponse()
    {
        isRequestSent = false;
        environment.counters().add(ConsumerCounters.METADATA_REFRESHES, 1);
        try
        {
            connection.checkWhole();
            response.wrap(connection.responseMemory().buffer(), BrokerConnection.BODY_INDEX,
                connection.responseLimit(), builtVersion);
            if (response.errorCode() == ErrorCode.REBOOTSTRAP_REQUIRED)
            {
                onRebootstrapRequired();
                return;
            }
            final boolean isSettled = onMetadata();
            if (ApiKey.METADATA.isThrottledByClient(builtVersion))
            {
                connection.throttle(response.throttleTimeMs());
            }
            connection.release();
            if (isSettled)
            {
                backoff.succeeded();
                lastAnswerNs = environment.clock().nowNs();
            }
            else
            {
                isWanted = true;
                backoff.failed(environment.clock().nowNs());
            }
        }
        catch (final WireFormatException ex)
        {
            environment.error("Metadata response from " + connection.address() + ": " + ex.getMessage() +
                "; will reconnect and ask again.");
            connection.fail("a response that cannot be read");
        }
    }

    private void onRebootstrapRequired()
    {
        environment.identity().wantRebootstrap(
            "broker " + connection.nodeId() + " at " + connection.address() + " answered REBOOTSTRAP_REQUIRED");
        backoff.failed(environment.clock().nowNs());
        connection.fail("it asks to begin again from the bootstrap servers");
    }

    /**
     * @return false if the answer leaves something open, so that it must be asked for again soon.
     */
    private boolean onMetadata()
    {
        if (response.errorCode() != ErrorCode.NONE)
        {
            tellOnce(response.errorCode(), "Metadata from ", connection.address());
            return false;
        }
        // A broker that is starting may name none.
        if (response.brokerCount() == 0)
        {
            return false;
        }
        rebootstrap.onAnswer();
        onClusterId();
        if (cluster.update(response))
        {
            // Partitions may be led from there already, by a broker that has come back at another place.
            table.changeAssignment();
        }
        response.resetTopics();
        while (response.nextTopic())
        {
            if (topic.isName(response.buffer(), response.topicIndex(), response.topicLength()))
            {
                return onTopic();
            }
        }
        return false;
    }

    /**
     * An error is told when it comes up, and not again while it lasts.
     */
    private void tellOnce(final short errorCode, final String what, final Object name)
    {
        if (errorCode != reportedError)
        {
            reportedError = errorCode;
            if (errorCode != ErrorCode.NONE)
            {
                environment.error(what + name + ": " + ErrorCode.name(errorCode) + "; will ask again.");
            }
        }
    }

    /**
     * What to do about the topic is settled by its id; that the cluster is another is only told.
     */
    private void onClusterId()
    {
        final String before = environment.identity().update(
            response.buffer(), response.clusterIdIndex(), response.clusterIdLength());
        if (before != null)
        {
            environment.error("Metadata from " + connection.address() + ": this is cluster " +
                environment.identity() + " where " + before + " was known.");
        }
    }

    private boolean onTopic()
    {
        final short errorCode = response.topicErrorCode();
        tellOnce(errorCode, "Topic ", topic.name());
        if (errorCode != ErrorCode.NONE)
        {
            return false;
        }
        if (builtVersion >= FIRST_VERSION_WITH_TOPIC_ID)
        {
            final boolean isAnew =
                topic.id(response.topicIdMostSignificantBits(), response.topicIdLeastSignificantBits());
            if (isAnew)
            {
                onTopicAnew();
            }
        }
        boolean isSettled = response.partitionCount() > 0;
        table.ensureCapacity(Math.min(response.partitionCount(), MAX_PARTITIONS));
        while (response.nextPartition())
        {
            isSettled &= onPartition(response.partition());
        }
        return isSettled & hasAllAssigned();
    }

    /**
     * The offsets that are known belong to records that are gone, and leader epochs begin again.
     */
    private void onTopicAnew()
    {
        environment.error("Topic " + topic.name() + " was deleted and created anew: its offsets stand for other " +
            "records now, so all its partitions stop; seek to go on.");
        for (int p = 0; p < table.capacity(); p++)
        {
            table.leader(p, PartitionTable.NULL_LEADER, PartitionTable.NULL_EPOCH);
            if (table.hasFetchOffset(p))
            {
                errors.stop(p, ErrorCode.INCONSISTENT_TOPIC_ID, null);
            }
        }
    }

    /**
     * A partition that the user named may be yet to come.
     */
    private boolean hasAllAssigned()
    {
        for (int p = partitionCount; p < table.capacity(); p++)
        {
            if (table.isAssigned(p))
            {
                if (reportedMissing != p)
                {
                    reportedMissing = p;
                    environment.error("Partition " + p + " of topic " + topic.name() +
                        " does not exist: the topic has " + partitionCount + "; will ask again.");
                }
                return false;
            }
        }
        return true;
    }

    private boolean onPartition(final int partition)
    {
        if (partition < 0 || partition >= MAX_PARTITIONS)
        {
            throw new WireFormatException("partition id " + partition + " where 0 to " + (MAX_PARTITIONS - 1) +
                " was expected");
        }
        table.ensureCapacity(partition + 1);
        partitionCount = Math.max(partitionCount, partition + 1);
        final int knownId = table.leaderId(partition);
        final int knownEpoch = table.leaderEpoch(partition);
        final int leaderId = response.leaderId();
        final int epoch = builtVersion >= FIRST_VERSION_WITH_SOUND_EPOCHS ?
            response.leaderEpoch() : PartitionTable.NULL_EPOCH;
        // An answer from a broker that lags behind another that has been heard already.
        if (epoch < knownEpoch && epoch != PartitionTable.NULL_EPOCH)
        {
            return false;
        }
        if (table.leader(partition, leaderId, epoch) && knownId != PartitionTable.NULL_LEADER)
        {
            environment.counters().add(ConsumerCounters.LEADER_CHANGES, 1);
            environment.listener().onLeaderChanged(partition, leaderId, epoch);
        }
        return leaderId != PartitionTable.NULL_LEADER && cluster.address(leaderId) != null;
    }

    /**
     * Partitions of the topic, 0 until it has been found.
     */
    int partitionCount()
    {
        return partitionCount;
    }

    long nextDeadlineNs(final long otherwiseNs)
    {
        long nextNs = connection.nextDeadlineNs(otherwiseNs);
        if (isWanted && backoff.failures() > 0 && connection.isReady())
        {
            nextNs = earlierToCome(backoff.deadlineNs(), nextNs);
        }
        return isAgeing() ? earlierToCome(lastAnswerNs + maxAgeNs, nextNs) : nextNs;
    }

    /**
     * What is past has been acted on in this duty cycle, or waits for the connection, which has deadlines of its own.
     */
    private long earlierToCome(final long deadlineNs, final long otherwiseNs)
    {
        return deadlineNs - environment.clock().nowNs() > 0 && deadlineNs - otherwiseNs < 0 ? deadlineNs : otherwiseNs;
    }

    void free()
    {
        connection.free();
        requestFrame.free();
    }

    @Override
    public String toString()
    {
        return "metadata from " + connection + (isRequestSent ? ", asked" : "") + (isWanted ? ", wanted" : "");
    }
}
