// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.cluster;

import org.agrona.DirectBuffer;
import org.agrona.collections.ArrayUtil;
import org.odradek.consumer.core.Environment;
import org.odradek.consumer.core.Settings;
import org.odradek.consumer.core.TopicIdentity;
import org.odradek.consumer.handler.ConsumerCounters;
import org.odradek.consumer.net.BrokerAddress;
import org.odradek.consumer.net.BrokerConnection;
import org.odradek.consumer.net.RequestFrame;
import org.odradek.protocol.ApiKey;
import org.odradek.protocol.ErrorCode;
import org.odradek.protocol.control.MetadataRequestEncoder;
import org.odradek.protocol.control.MetadataResponseFlyweight;

/**
 * Requests the metadata of topics from any broker: at the start, when leaders are in doubt, and when it is old. One
 * request names all topics that want it. It stores the addresses in {@link Brokers}, and each {@link TopicMetadata}
 * takes what the response says of its topic.
 * <p>
 * It rebootstraps when a broker asks for it (REBOOTSTRAP_REQUIRED, KIP-1102 and KIP-1242) or when there has been no
 * response for long (KIP-899): it forgets the cluster and connects to the bootstrap servers, whose names are looked up
 * again. It does so at most once in the longest retry backoff, because a cluster may keep asking. The offsets of the
 * partitions are kept.
 */
public final class Metadata extends ControlRequest
{
    private final Settings settings;
    private final Brokers brokers;
    private final Environment environment;
    private final ControlConnection connection;
    private final MetadataRequestEncoder request;
    private final MetadataResponseFlyweight response = new MetadataResponseFlyweight();

    private TopicMetadata[] topics = {};
    /** The names in the request that is encoded. */
    private byte[][] names = {};
    private int candidate = -1;
    private boolean isUnanswered;
    private long unansweredSinceNs;
    private boolean isRebootstrapRequired;

    public Metadata(final Brokers brokers, final ControlConnection connection, final Environment environment)
    {
        super(ApiKey.METADATA, environment.settings().retryBackoff());
        settings = environment.settings();
        this.brokers = brokers;
        this.connection = connection;
        this.environment = environment;
        request = new MetadataRequestEncoder(settings.clientId);
    }

    /** Requests the metadata of another topic from now on. */
    public TopicMetadata add(final TopicIdentity topic, final PartitionLeaders leaders)
    {
        final TopicMetadata added = new TopicMetadata(topic, leaders, brokers, environment);
        topics = ArrayUtil.add(topics, added);
        names = new byte[topics.length][];
        return added;
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
        for (final TopicMetadata topic : topics)
        {
            topic.updateWanted(Settings.ns(settings.metadataMaxAgeMs));
        }
        if (isWanted())
        {
            if (!isUnanswered)
            {
                isUnanswered = true;
                unansweredSinceNs = environment.clock().pollingNs();
            }
            if (connection.prepare(this))
            {
                connection.send(this);
                work++;
            }
        }
        return work;
    }

    private boolean isWanted()
    {
        boolean isWanted = false;
        for (int i = 0; i < topics.length && !isWanted; i++)
        {
            isWanted = topics[i].isWanted;
        }
        return isWanted;
    }

    /** Connect to the next of the known brokers and the bootstrap servers. */
    private void connectToNext()
    {
        for (final TopicMetadata topic : topics)
        {
            topic.isWanted = true;
        }
        final BrokerAddress[] bootstrap = brokers.bootstrap;
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
            brokers.mayBeForgotten(environment.clock().nowNs() - Settings.ns(settings.retryBackoffMaxMs));
    }

    /**
     * Only time in which the consumer is polled counts, because only then are the brokers tried. As long as no broker
     * is known, there is nothing to forget.
     */
    private boolean isUnansweredForLong()
    {
        final long sinceNs = environment.clock().pollingNs() - Settings.ns(settings.rebootstrapTriggerMs);
        return isUnanswered && brokers.count() > 0 && sinceNs - unansweredSinceNs > 0 && brokers.isUnanswered(sinceNs);
    }

    private void rebootstrap()
    {
        final String asked = environment.identity().rebootstrapReason();
        final String reason = asked != null ? asked :
            "no broker has answered for metadata for " + settings.rebootstrapTriggerMs + " ms";
        isUnanswered = false;
        candidate = -1;
        connection.close();
        environment.identity().forget();
        brokers.forget();
        for (final BrokerAddress address : brokers.bootstrap)
        {
            address.forget();
        }
        for (final TopicMetadata topic : topics)
        {
            // Without leaders no broker has a partition, which closes the connections to all of them.
            topic.forgetLeaders();
        }
        environment.counters().add(ConsumerCounters.REBOOTSTRAPS, 1);
        environment.listener().onRebootstrap(reason);
    }

    @Override
    public int encode(final RequestFrame frame, final int version)
    {
        int count = 0;
        for (final TopicMetadata topic : topics)
        {
            if (topic.isWanted)
            {
                topic.onRequested();
                names[count++] = topic.topic.encodedName();
            }
        }
        return request.build(frame.ofLength(request.maxFrameLength(names, count)), version, names, count);
    }

    @Override
    public void onLost()
    {
        for (final TopicMetadata topic : topics)
        {
            topic.onLost();
        }
    }

    @Override
    public boolean onResponse(final DirectBuffer buffer, final int index, final int limit, final int version)
    {
        environment.counters().add(ConsumerCounters.METADATA_REFRESHES, 1);
        response.wrap(buffer, index, limit, version);
        throttleTimeMs = response.throttleTimeMs();
        check();
        apply(version);
        boolean isComplete = true;
        for (final TopicMetadata topic : topics)
        {
            isComplete &= topic.onApplied();
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
        for (final TopicMetadata topic : topics)
        {
            topic.onResponse();
        }
        for (TopicMetadata topic = nextTopic(); topic != null; topic = nextTopic())
        {
            topic.check(response);
        }
        response.resetTopics();
    }

    /** Move to the next topic of the response that is one of these, and return it; null at the end. */
    private TopicMetadata nextTopic()
    {
        while (response.nextTopic())
        {
            for (final TopicMetadata topic : topics)
            {
                if (topic.topic.isName(response.buffer(), response.topicIndex(), response.topicLength()))
                {
                    return topic;
                }
            }
        }
        return null;
    }

    private void apply(final int version)
    {
        if (response.errorCode() == ErrorCode.REBOOTSTRAP_REQUIRED)
        {
            isRebootstrapRequired = true;
            environment.identity().requestRebootstrap(
                "broker " + connection.nodeId() + " at " + connection.address() + " answered REBOOTSTRAP_REQUIRED");
            return;
        }
        if (takeError(response.errorCode()) && response.errorCode() != ErrorCode.NONE)
        {
            environment.error("Metadata from " + connection.address() + ": " + ErrorCode.name(response.errorCode()) +
                "; will retry.");
        }
        // A broker that is starting may name none.
        if (response.errorCode() != ErrorCode.NONE || response.brokerCount() == 0)
        {
            return;
        }
        isUnanswered = false;
        brokers.onAnswer();
        updateClusterId();
        if (brokers.update(response))
        {
            // The known leader of a partition may have another address.
            for (final TopicMetadata topic : topics)
            {
                topic.leaders.changeAssignment();
            }
        }
        for (TopicMetadata topic = nextTopic(); topic != null; topic = nextTopic())
        {
            topic.apply(response, version, connection.address());
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

    public long nextDeadlineNs(final long otherwiseNs)
    {
        long nextNs = connection.nextDeadlineNs(isWanted() ? this : null, otherwiseNs);
        for (final TopicMetadata topic : topics)
        {
            nextNs = topic.nextDeadlineNs(Settings.ns(settings.metadataMaxAgeMs), nextNs);
        }
        return nextNs;
    }

    public void free()
    {
        connection.free();
    }

    @Override
    public String toString()
    {
        return "metadata from " + connection + (isWanted() ? ", wanted" : "");
    }
}
