// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.cluster;

import org.agrona.DirectBuffer;
import org.agrona.collections.ArrayUtil;
import org.odradek.client.ClientCounters;
import org.odradek.client.core.Backoff;
import org.odradek.client.core.ClientSettings;
import org.odradek.client.core.TopicIdentity;
import org.odradek.client.net.BrokerAddress;
import org.odradek.client.net.BrokerConnection;
import org.odradek.client.net.ClientEnvironment;
import org.odradek.client.net.RequestFrame;
import org.odradek.protocol.ApiKey;
import org.odradek.protocol.ErrorCode;
import org.odradek.protocol.control.MetadataRequestEncoder;
import org.odradek.protocol.control.MetadataResponseFlyweight;

import java.util.function.Predicate;

/**
 * Requests the metadata of topics from any broker: at the start, when leaders may have changed, and when the metadata
 * is old. One request contains all topics whose metadata is due.
 * <p>
 * The client begins again from the bootstrap servers if a broker requires it (KIP-1102 and KIP-1242), or if no broker
 * has answered for {@code rebootstrapTriggerMs} (KIP-899), but at most once in {@code retryBackoffMaxMs}.
 */
public final class Metadata extends ControlRequest
{
    /** Another broker is asked after this many answers without a change to requests that an error has caused. */
    private static final int MAX_UNCHANGED = 3;
    private static final long ROUND_BACKOFF_NS = 60_000_000_000L;

    private final ClientSettings settings;
    private final Brokers brokers;
    private final ClientEnvironment environment;
    private final ControlConnection connection;
    private final MetadataRequestEncoder request;
    private final MetadataResponseFlyweight response = new MetadataResponseFlyweight();

    private TopicMetadata[] topics = {};
    private byte[][] names = {};
    private int candidate = -1;
    private boolean isUnanswered;
    private boolean areBrokersChanged;
    private long unansweredSinceNs;
    private boolean isRebootstrapRequired;
    private int unchanged;
    /** Counts the brokers that the client has left in this round, because their answers changed nothing. */
    private int left;
    private final Backoff rounds;

    public Metadata(final Brokers brokers, final ControlConnection connection, final ClientEnvironment environment)
    {
        super(ApiKey.METADATA, environment.settings().retryBackoff());
        settings = environment.settings();
        this.brokers = brokers;
        this.connection = connection;
        this.environment = environment;
        request = new MetadataRequestEncoder(settings.clientId);
        rounds = new Backoff(ROUND_BACKOFF_NS, ClientSettings.ns(settings.metadataMaxAgeMs), settings.random);
    }

    public TopicMetadata add(
        final TopicIdentity topic, final PartitionLeaders leaders, final PartitionLeaders.Listener listener)
    {
        final TopicMetadata added = new TopicMetadata(topic, leaders, listener, brokers, environment);
        topics = ArrayUtil.add(topics, added);
        names = new byte[topics.length][];
        return added;
    }

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
        final boolean hasFailed = connection.takeFailed() || connection.isClosed();
        if (hasFailed)
        {
            final int next = nextCandidate(candidates());
            connect(next >= 0 ? next : candidate + 1 < candidates() ? candidate + 1 : 0);
        }
        for (final TopicMetadata topic : topics)
        {
            topic.updateWanted(ClientSettings.ns(settings.metadataMaxAgeMs));
        }
        // An error must be a reason for the next request, because an idle client asks no other broker.
        if (!hasFailed && !connection.isInFlight() && unchanged >= MAX_UNCHANGED &&
            isAnyTopic(TopicMetadata::isInDoubt) && rounds.hasExpired(environment.clock().nowNs()))
        {
            leaveBroker();
        }
        leaveFailingBroker();
        if (isDue())
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

    private boolean isDue()
    {
        return isAnyTopic(TopicMetadata::isDue);
    }

    private boolean isAnyTopic(final Predicate<TopicMetadata> predicate)
    {
        boolean isAny = false;
        for (int i = 0; i < topics.length && !isAny; i++)
        {
            isAny = predicate.test(topics[i]);
        }
        return isAny;
    }

    /**
     * Connects to the next broker, because this broker may be cut off from the controllers and then answers with old
     * metadata. If no other broker is left in this round, the client keeps the broker until the backoff of rounds has
     * expired.
     */
    private void leaveBroker()
    {
        final int known = connection.nodeId() == BrokerConnection.NULL_NODE_ID ?
            brokers.indexOf(connection.address()) : candidate;
        unchanged = 0;
        if (known >= 0)
        {
            candidate = known;
            left++;
            for (final TopicMetadata topic : topics)
            {
                topic.onBrokerLeft();
            }
        }
        final int next = left < brokers.count() ? nextCandidate(brokers.count()) : -1;
        if (next >= 0 && next != candidate)
        {
            connect(next);
        }
        else
        {
            left = 0;
            rounds.failed(environment.clock().nowNs());
            for (final TopicMetadata topic : topics)
            {
                topic.onRoundEnd(brokers.count());
            }
        }
        assert isConsistent();
    }

    private void leaveFailingBroker()
    {
        if ((connection.isInFlight() || isDue()) && brokers.isFailing(connection.address()))
        {
            final int next = nextCandidate(candidates());
            if (next >= 0)
            {
                connect(next);
            }
        }
    }

    private int candidates()
    {
        return brokers.count() + brokers.bootstrap.length;
    }

    private BrokerAddress address(final int index)
    {
        return index < brokers.count() ? brokers.addressAt(index) : brokers.bootstrap[index - brokers.count()];
    }

    /**
     * Returns the index of the next candidate without a recent failure, or -1 if there is none. Candidates are the
     * known brokers, then the bootstrap servers.
     */
    private int nextCandidate(final int count)
    {
        int next = candidate;
        for (int i = 0; i < count; i++)
        {
            next = next + 1 < count ? next + 1 : 0;
            if (!brokers.isFailing(address(next)))
            {
                return next;
            }
        }
        return -1;
    }

    private void connect(final int index)
    {
        for (final TopicMetadata topic : topics)
        {
            topic.isWanted = true;
        }
        candidate = index;
        connection.open(
            index < brokers.count() ? brokers.nodeId(index) : BrokerConnection.NULL_NODE_ID, address(index));
    }

    private boolean isRebootstrapDue()
    {
        return (environment.identity().rebootstrapReason() != null || isUnansweredForLong()) &&
            brokers.mayBeForgotten(environment.clock().nowNs() - ClientSettings.ns(settings.retryBackoffMaxMs));
    }

    /**
     * Returns true if no broker has answered a due request for {@code rebootstrapTriggerMs} of polling time; false
     * while no broker is known.
     */
    private boolean isUnansweredForLong()
    {
        final long sinceNs = environment.clock().pollingNs() - ClientSettings.ns(settings.rebootstrapTriggerMs);
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
            // Without leaders no broker has a partition, so the connections to all brokers are closed.
            topic.forgetLeaders();
        }
        environment.counters().add(ClientCounters.REBOOTSTRAPS, 1);
        environment.listener().onRebootstrap(reason);
    }

    @Override
    public int encode(final RequestFrame frame, final int version)
    {
        int count = 0;
        for (final TopicMetadata topic : topics)
        {
            if (topic.isDue())
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
        environment.counters().add(ClientCounters.METADATA_REFRESHES, 1);
        response.wrap(buffer, index, limit, version);
        throttleTimeMs = response.throttleTimeMs();
        check();
        areBrokersChanged = false;
        final boolean isApplied = apply(version);
        boolean isInDoubt = false;
        boolean isChanged = areBrokersChanged;
        for (final TopicMetadata topic : topics)
        {
            isInDoubt |= topic.onApplied();
            isChanged |= topic.isChanged();
        }
        if (isChanged)
        {
            unchanged = 0;
            left = 0;
            rounds.succeeded();
            for (final TopicMetadata topic : topics)
            {
                topic.onRoundBegin();
            }
        }
        else if (isInDoubt)
        {
            unchanged++;
        }
        assert isConsistent();
        return isApplied;
    }

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

    /** Moves to the next topic of the response that this client uses, and returns it; null at the end. */
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

    /** Returns false if nothing of the response can be applied. */
    private boolean apply(final int version)
    {
        if (response.errorCode() == ErrorCode.REBOOTSTRAP_REQUIRED)
        {
            isRebootstrapRequired = true;
            environment.identity().requestRebootstrap(
                "broker " + connection.nodeId() + " at " + connection.address() + " answered REBOOTSTRAP_REQUIRED");
            return false;
        }
        if (takeError(response.errorCode()) && response.errorCode() != ErrorCode.NONE)
        {
            environment.error("Metadata from " + connection.address() + ": " + ErrorCode.name(response.errorCode()) +
                "; the metadata is requested again.");
        }
        // A broker that is starting may send a response without brokers.
        if (response.errorCode() != ErrorCode.NONE || response.brokerCount() == 0)
        {
            return false;
        }
        isUnanswered = false;
        brokers.onAnswer();
        updateClusterId();
        areBrokersChanged = brokers.update(response);
        if (areBrokersChanged)
        {
            // The known leader of a partition may have another address now.
            for (final TopicMetadata topic : topics)
            {
                topic.leaders.changeAssignment();
            }
        }
        for (TopicMetadata topic = nextTopic(); topic != null; topic = nextTopic())
        {
            topic.apply(response, version, connection.address());
        }
        return true;
    }

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
        long nextNs = connection.nextDeadlineNs(isDue() ? this : null, otherwiseNs);
        for (final TopicMetadata topic : topics)
        {
            nextNs = topic.nextDeadlineNs(ClientSettings.ns(settings.metadataMaxAgeMs), nextNs);
        }
        return nextNs;
    }

    public boolean isInFlight()
    {
        return connection.isInFlight();
    }

    public void close()
    {
        connection.close();
    }

    public void free()
    {
        connection.free();
    }

    private boolean isConsistent()
    {
        // A request may contain all topics.
        return names.length == topics.length &&
            // Answers without a change are counted until they are a reason to leave the broker.
            unchanged >= 0 && left >= 0 &&
            // The candidate is -1 before the first connection.
            candidate >= -1;
    }

    @Override
    public String toString()
    {
        return "metadata from " + connection + (isDue() ? ", wanted" : "");
    }
}
