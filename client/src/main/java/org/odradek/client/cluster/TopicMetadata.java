// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.cluster;

import org.odradek.client.ClientCounters;
import org.odradek.client.core.Backoff;
import org.odradek.client.core.DutyClock;
import org.odradek.client.core.TopicIdentity;
import org.odradek.client.net.BrokerAddress;
import org.odradek.client.net.ClientEnvironment;
import org.odradek.protocol.ErrorCode;
import org.odradek.protocol.WireFormatException;
import org.odradek.protocol.WireLimits;
import org.odradek.protocol.control.MetadataResponseFlyweight;

import java.util.Arrays;

/**
 * What the responses to {@link Metadata} say of one topic: it gives the leaders to the {@link PartitionLeaders}, and
 * knows when the topic is to be requested again.
 */
public final class TopicMetadata
{
    /** Brokers before 2.4 may return stale epochs, which would get a consumer fenced. */
    private static final int FIRST_VERSION_WITH_SOUND_EPOCHS = 9;
    private static final int FIRST_VERSION_WITH_TOPIC_ID = 10;
    /** As many partitions as the response names may be missing in it, and these. */
    private static final int MISSING_PARTITIONS = 1_000;
    private static final long NS_PER_MS = 1_000_000;

    final TopicIdentity topic;
    final PartitionLeaders leaders;
    private final PartitionLeaders.Listener listener;
    private final Brokers brokers;
    private final ClientEnvironment environment;

    /** Of requests because of errors, and after answers that left something open. */
    private final Backoff backoff;

    boolean isWanted = true;
    /** Whether an error, or an answer that left something open, is a reason for the next request. */
    private boolean isInDoubt;
    /** Whether the request in flight names the topic. */
    private boolean isRequested;
    private boolean isRequestedInDoubt;
    private long lastAnswerNs;
    /** Whether the response names the topic. */
    private boolean isNamed;
    /** Whether the response leaves nothing open. */
    private boolean isComplete;
    /** Whether the response has changed the leader or the epoch of a partition. */
    private boolean isChanged;
    private int partitionCount;
    /** The greatest partition id of the response, plus 1. */
    private int namedCount;
    private int responseCount;
    /** Of each partition, the response that named it last. */
    private int[] seenIn = {};
    private int reportedMissing = -1;
    private short reportedError;
    /** When brokers began to answer with the error that was reported last, or else when the topic was added. */
    private long errorSinceNs;
    private boolean isTopicRecreated;
    /** Whether answers have named the id of before the topic was created again, and none the present one since. */
    private boolean isReplacedNamed;

    TopicMetadata(
        final TopicIdentity topic,
        final PartitionLeaders leaders,
        final PartitionLeaders.Listener listener,
        final Brokers brokers,
        final ClientEnvironment environment)
    {
        this.topic = topic;
        this.leaders = leaders;
        this.listener = listener;
        this.brokers = brokers;
        this.environment = environment;
        backoff = environment.settings().retryBackoff();
        errorSinceNs = environment.clock().nowNs();
    }

    /** Wants metadata where a partition needs it, or where the last answer is older than this. */
    void updateWanted(final long maxAgeNs)
    {
        final PartitionLeaders.Need need = leaders.takeMetadataNeed();
        if (need == PartitionLeaders.Need.FIRST_ERROR)
        {
            backoff.succeeded();
        }
        isInDoubt |= need.compareTo(PartitionLeaders.Need.ERROR) >= 0;
        isWanted |= need != PartitionLeaders.Need.NONE ||
            isAgeing() && environment.clock().nowNs() - lastAnswerNs > maxAgeNs;
    }

    /** Returns true if an error, or an answer that left something open, is a reason for the next request. */
    boolean isInDoubt()
    {
        return isInDoubt;
    }

    /** Returns true if it is wanted and its backoff has expired. */
    boolean isDue()
    {
        return isWanted && backoff.hasExpired(environment.clock().nowNs());
    }

    /** Whether only the age of the metadata leads to the next request. */
    private boolean isAgeing()
    {
        return partitionCount > 0 && !isRequested && !isWanted;
    }

    /** When the backoff ends or the last answer is too old, or the given time if that is sooner. */
    long nextDeadlineNs(final long maxAgeNs, final long otherwiseNs)
    {
        if (isWanted && !isDue())
        {
            return DutyClock.earlier(backoff.deadlineNs(), otherwiseNs);
        }
        final long dueNs = lastAnswerNs + maxAgeNs;
        // A deadline in the past has been acted on in this duty cycle.
        return isAgeing() && dueNs - environment.clock().nowNs() > 0 && dueNs - otherwiseNs < 0 ? dueNs : otherwiseNs;
    }

    void onRequested()
    {
        assert !isRequested;
        isRequestedInDoubt = isInDoubt;
        isRequested = true;
        isInDoubt = false;
        isWanted = false;
    }

    void onLost()
    {
        isWanted |= isRequested;
        isInDoubt |= isRequestedInDoubt;
        endRequest();
        assert isConsistent();
    }

    private void endRequest()
    {
        isRequested = false;
        isRequestedInDoubt = false;
    }

    void onResponse()
    {
        isNamed = false;
        isComplete = false;
        isChanged = false;
    }

    /** Nothing of the response is stored before all of it has been checked. */
    void check(final MetadataResponseFlyweight response)
    {
        if (isNamed)
        {
            throw new WireFormatException("topic " + topic.name() + " twice where once was expected");
        }
        isNamed = true;
        namedCount = 0;
        // One large id would otherwise take as much memory as all partitions that a topic may have.
        final int limit = Math.min(WireLimits.MAX_PARTITIONS, 2 * response.partitionCount() + MISSING_PARTITIONS);
        while (response.nextPartition())
        {
            final int partition = response.partition();
            if (partition < 0 || partition >= limit || response.leaderId() < PartitionLeaders.NULL_LEADER)
            {
                throw new WireFormatException(partition >= 0 && partition < limit ?
                    "leader " + response.leaderId() + " of partition " + partition + " where -1 or more was expected" :
                    "partition id " + partition + " where 0 to " + (limit - 1) + " was expected");
            }
            namedCount = Math.max(namedCount, partition + 1);
        }
    }

    void apply(final MetadataResponseFlyweight response, final int version, final BrokerAddress source)
    {
        reportOnce(response.topicErrorCode());
        if (ErrorCode.isUnknownPartition(response.topicErrorCode()))
        {
            topic.doubt(environment.clock().nowNs());
        }
        isComplete = response.topicErrorCode() == ErrorCode.NONE && applyPartitions(response, version, source);
    }

    /** An error is reported when it first occurs, and not again while it lasts. */
    private void reportOnce(final short errorCode)
    {
        final boolean isNew = errorCode != reportedError;
        reportedError = errorCode;
        if (isNew && errorCode != ErrorCode.NONE)
        {
            errorSinceNs = environment.clock().nowNs();
            environment.error("Topic " + topic.name() + ": " + ErrorCode.name(errorCode) +
                "; the metadata is requested again.");
        }
    }

    private boolean applyPartitions(
        final MetadataResponseFlyweight response, final int version, final BrokerAddress source)
    {
        if (version >= FIRST_VERSION_WITH_TOPIC_ID &&
            topic.isReplaced(response.topicIdMostSignificantBits(), response.topicIdLeastSignificantBits()))
        {
            isReplacedNamed = true;
            return false;
        }
        final boolean hadId = topic.hasId();
        final boolean isOtherId = version >= FIRST_VERSION_WITH_TOPIC_ID &&
            topic.id(response.topicIdMostSignificantBits(), response.topicIdLeastSignificantBits());
        if (isOtherId && hadId)
        {
            // The known offsets belong to records that are gone, and leader epochs begin again.
            isTopicRecreated = true;
            forgetLeaders();
            partitionCount = 0;
        }
        topic.confirm();
        isReplacedNamed = false;
        boolean areAllLed = response.partitionCount() > 0;
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
            areAllLed &= applyPartition(response.partition(), response.leaderId(), epoch, isOtherId);
        }
        return areAllLed & checkAllAssigned(source);
    }

    /**
     * All brokers have been asked. If they name the id that was taken for the old one, then a broker that did not
     * follow the cluster has named the other.
     */
    void onRoundEnd()
    {
        if (isReplacedNamed)
        {
            topic.forgetReplaced();
        }
    }

    void forgetLeaders()
    {
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
        if (leaders.leader(partition, leaderId, epoch))
        {
            isChanged = true;
            if (knownId != PartitionLeaders.NULL_LEADER)
            {
                environment.counters().add(ClientCounters.LEADER_CHANGES, 1);
                listener.onLeaderChanged(partition, leaderId, epoch);
            }
        }
        return leaderId != PartitionLeaders.NULL_LEADER && brokers.address(leaderId) != null;
    }

    /**
     * Reports the first assigned partition that the response leaves out. A partition that the user has assigned may not
     * have been created yet.
     *
     * @return false if there is one.
     */
    private boolean checkAllAssigned(final BrokerAddress source)
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
                        source) + "; the metadata is requested again.");
                }
                return false;
            }
        }
        return true;
    }

    /**
     * The response has been applied, or nothing of it could be. If it leaves something open, or changes nothing
     * although there was an error, the next request because of that waits for the backoff.
     *
     * @return true if the topic was requested because of an error.
     */
    boolean onApplied()
    {
        final boolean wasInDoubt = isRequestedInDoubt;
        if (isComplete)
        {
            lastAnswerNs = environment.clock().nowNs();
        }
        if (isRequested)
        {
            updateBackoff();
            isInDoubt |= !isComplete;
            isWanted |= !isComplete;
        }
        endRequest();
        assert isConsistent();
        return wasInDoubt;
    }

    private void updateBackoff()
    {
        if (isChanged)
        {
            backoff.succeeded();
        }
        if (!isComplete || isRequestedInDoubt && !isChanged)
        {
            backoff.failed(environment.clock().nowNs());
        }
    }

    /** Returns true if the last response has changed the leader or the epoch of a partition. */
    boolean isChanged()
    {
        return isChanged;
    }

    /** Returns and clears the flag that the topic was deleted and created again. */
    public boolean takeTopicRecreated()
    {
        final boolean isRecreated = isTopicRecreated;
        isTopicRecreated = false;
        return isRecreated;
    }

    /** The error with which brokers have named the topic last, or none. */
    public short errorCode()
    {
        return reportedError;
    }

    /** The number of partitions of the topic; 0 until it has been found. */
    public int partitionCount()
    {
        return partitionCount;
    }

    /** What is known of the topic, and what is missing since when. */
    @Override
    public String toString()
    {
        final String time = " for " + (environment.clock().nowNs() - errorSinceNs) / NS_PER_MS + " ms";
        final boolean isMissing = reportedMissing >= partitionCount ||
            reportedMissing >= 0 && seenIn[reportedMissing] != responseCount;
        return "topic " + topic.name() + ": " +
            (partitionCount == 0 ? "its partitions are not known" :
            partitionCount + (partitionCount == 1 ? " partition" : " partitions")) +
            (reportedError != ErrorCode.NONE ? ", brokers have answered " + ErrorCode.name(reportedError) + time :
            partitionCount == 0 ? ", no broker has described it" + time : "") +
            (isMissing ? ", partition " + reportedMissing + " is missing" : "");
    }

    private boolean isConsistent()
    {
        // The reason of a request ends with it.
        return (isRequested || !isRequestedInDoubt) &&
            // Only a response that names the topic can change leaders, or leave nothing open.
            (isNamed || !isChanged && !isComplete) &&
            // It is noted of each partition in which response it was named last.
            partitionCount >= 0 && partitionCount <= seenIn.length && partitionCount <= leaders.capacity();
    }
}
