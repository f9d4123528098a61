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
 * Reads the part about one topic from the responses to {@link Metadata}, and determines when the topic must be
 * requested again.
 */
public final class TopicMetadata
{
    /** Leader epochs in earlier versions of Metadata may be old, as in Kafka's {@code hasReliableLeaderEpochs()}. */
    private static final int FIRST_VERSION_WITH_SOUND_EPOCHS = 9;
    private static final int FIRST_VERSION_WITH_TOPIC_ID = 10;
    /** The limit of partition ids is twice the number of partitions in the response plus this number. */
    private static final int MISSING_PARTITIONS = 1_000;
    private static final long NS_PER_MS = 1_000_000;

    private static final int OLDER_EPOCH_ROUNDS = 2;

    final TopicIdentity topic;
    final PartitionLeaders leaders;
    private final PartitionLeaders.Listener listener;
    private final Brokers brokers;
    private final ClientEnvironment environment;

    private final Backoff backoff;

    boolean isWanted = true;
    /** This flag is true if an error or an incomplete answer is a reason for the next request. */
    private boolean isInDoubt;
    private boolean isRequested;
    private boolean isRequestedInDoubt;
    private long lastAnswerNs;
    private boolean isNamed;
    private boolean isComplete;
    private boolean isChanged;
    private int partitionCount;
    private int namedCount;
    private int responseCount;
    /** Holds for each partition the number of the last response that contained it. */
    private int[] seenIn = {};
    private int reportedMissing = -1;
    private short reportedError;
    /**
     * Holds the time at which brokers began to answer with the last reported error; before the first error, the time at
     * which the topic was added.
     */
    private long errorSinceNs;
    private boolean isTopicRecreated;
    /**
     * This flag is true if an answer contained the replaced id of the topic, and no later answer contained another id.
     */
    private boolean isReplacedNamed;
    /** This flag is true if the last answer contained a lower leader epoch than an earlier answer. */
    private boolean isOlderEpochNamed;
    /** The number of brokers of this round that still name a lower leader epoch. */
    private int olderEpochBrokers;
    /** The number of rounds in which all brokers did so. */
    private int olderEpochRounds;

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

    /**
     * Notes that metadata is wanted if a partition needs it, or if the last complete answer is older than {@code
     * maxAgeNs}.
     */
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

    boolean isInDoubt()
    {
        return isInDoubt;
    }

    boolean isDue()
    {
        return isWanted && backoff.hasExpired(environment.clock().nowNs());
    }

    private boolean isAgeing()
    {
        return partitionCount > 0 && !isRequested && !isWanted;
    }

    /**
     * Returns the time at which the backoff ends or the last answer is too old, or {@code otherwiseNs} if that is
     * earlier.
     */
    long nextDeadlineNs(final long maxAgeNs, final long otherwiseNs)
    {
        if (isWanted && !isDue())
        {
            return DutyClock.earlier(backoff.deadlineNs(), otherwiseNs);
        }
        final long dueNs = lastAnswerNs + maxAgeNs;
        // This duty cycle has already handled a deadline in the past.
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

    void check(final MetadataResponseFlyweight response)
    {
        if (isNamed)
        {
            throw new WireFormatException("topic " + topic.name() + " twice where once was expected");
        }
        isNamed = true;
        namedCount = 0;
        // Without this limit one large id would take as much memory as all partitions that a topic may have.
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

    private void reportOnce(final short errorCode)
    {
        final boolean isNew = errorCode != reportedError;
        reportedError = errorCode;
        if (isNew && errorCode != ErrorCode.NONE)
        {
            errorSinceNs = environment.clock().nowNs();
            environment.error("Topic " + topic.name() + ": " + ErrorCode.name(errorCode) +
                (errorCode == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION ? ", because it does not exist, its name is " +
                "misspelt, or the client has no right to describe it" : "") + "; the metadata is requested again.");
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
            // The known offsets belong to deleted records, and leader epochs begin again.
            isTopicRecreated = true;
            forgetLeaders();
            partitionCount = 0;
        }
        topic.confirm();
        isReplacedNamed = false;
        isOlderEpochNamed = false;
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

    void onRoundBegin()
    {
        olderEpochBrokers = 0;
        olderEpochRounds = 0;
    }

    /** Follows the last answer of a broker in a round. */
    void onBrokerLeft()
    {
        olderEpochBrokers += isOlderEpochNamed ? 1 : 0;
    }

    /**
     * Accepts the replaced id of the topic again if the brokers still answer with it: the current id then came from a
     * broker with old metadata. Accepts lower leader epochs of a topic without an id if the brokers still answer with
     * them, and of a topic with an id if all brokers do so in {@link #OLDER_EPOCH_ROUNDS} rounds.
     *
     * @param brokerCount the number of all brokers.
     */
    void onRoundEnd(final int brokerCount)
    {
        if (isReplacedNamed)
        {
            topic.forgetReplaced();
        }
        if (isOlderEpochNamed && !topic.hasId())
        {
            // Brokers before 2.8 do not tell otherwise that the topic was deleted and created again.
            isTopicRecreated = true;
            forgetLeaders();
        }
        olderEpochRounds = olderEpochBrokers > 0 && olderEpochBrokers >= brokerCount ? olderEpochRounds + 1 : 0;
        if (olderEpochRounds == OLDER_EPOCH_ROUNDS)
        {
            olderEpochRounds = 0;
            environment.error("Topic " + topic.name() + ": all brokers name older leader epochs than before, as if " +
                "the metadata of the cluster had been restored from a backup; the client accepts them.");
            forgetLeaders();
        }
        olderEpochBrokers = 0;
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
        // This broker has older metadata than another broker has sent. But if the id has changed, the topic may have
        // been created again, and epochs begin again.
        if (!isOtherId && epoch < leaders.leaderEpoch(partition) && epoch != PartitionLeaders.NULL_EPOCH)
        {
            isOlderEpochNamed = true;
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
     * The next request waits for the backoff if the answer is incomplete, or changes nothing although there was an
     * error.
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

    boolean isChanged()
    {
        return isChanged;
    }

    public boolean takeTopicRecreated()
    {
        final boolean isRecreated = isTopicRecreated;
        isTopicRecreated = false;
        return isRecreated;
    }

    /**
     * Returns the topic's error code in the last response that contained the topic; {@link ErrorCode#NONE} before that.
     */
    public short errorCode()
    {
        return reportedError;
    }

    /** Returns the number of partitions of the topic, or 0 if no response has contained them yet. */
    public int partitionCount()
    {
        return partitionCount;
    }

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
        // Without a request there is no reason of a request.
        return (isRequested || !isRequestedInDoubt) &&
            // Only a response that contains the topic can change leaders or be complete.
            (isNamed || !isChanged && !isComplete) &&
            // There is room for each known partition.
            partitionCount >= 0 && partitionCount <= seenIn.length && partitionCount <= leaders.capacity();
    }
}
