// SPDX-License-Identifier: Apache-2.0
package org.odradek.publisher;

import org.odradek.client.cluster.Metadata;
import org.odradek.client.cluster.PartitionLeaders;
import org.odradek.client.cluster.TopicMetadata;
import org.odradek.client.core.ClientSettings;
import org.odradek.client.core.DutyClock;
import org.odradek.client.core.PerPartition;
import org.odradek.client.net.ClientEnvironment;
import org.odradek.protocol.ErrorCode;
import org.odradek.protocol.record.RecordBatchFlyweight;

/** The queues of all partitions of one topic. */
final class TopicQueues implements PartitionLeaders
{
    private final PublishedTopic topic;
    private final DutyClock clock;
    private final ClientSettings settings;
    private final BatchPool pool;
    private final PublisherEvents events;
    private final TopicMetadata metadata;
    private final PerPartition<PartitionQueue> queues = new PerPartition<>(this::newQueue);
    private int createdCount;
    private boolean isRecreated;

    TopicQueues(
        final PublishedTopic topic,
        final BatchPool pool,
        final PublisherEvents events,
        final Metadata metadata,
        final ClientEnvironment environment)
    {
        this.topic = topic;
        this.pool = pool;
        this.events = events;
        settings = environment.settings();
        clock = environment.clock();
        this.metadata = metadata.add(topic.identity, this, PartitionLeaders.Listener.NONE);
    }

    private PartitionQueue newQueue()
    {
        return new PartitionQueue(topic, createdCount++, settings.retryBackoff(), pool, events, clock);
    }

    int anyPartition(final int count)
    {
        return settings.random.nextInt(count);
    }

    boolean isAvailable(final int partition)
    {
        final PartitionQueue queue = queues.get(partition);
        return !queue.isStopped() && queue.leaderId() >= 0;
    }

    int batchRoom()
    {
        return pool.batchLength() - RecordBatchFlyweight.HEADER_LENGTH;
    }

    PublishedTopic topic()
    {
        return topic;
    }

    TopicMetadata metadata()
    {
        return metadata;
    }

    boolean exists(final int partition)
    {
        return partition >= 0 && partition < metadata.partitionCount();
    }

    /** Returns true if there is a queue for a partition, which a topic that was created again may not have any more. */
    boolean has(final int partition)
    {
        return queues.has(partition);
    }

    PartitionQueue get(final int partition)
    {
        return queues.get(partition);
    }

    /** After an {@link Error} of the listener, the next call handles the remaining partitions. */
    void giveUpIfRecreated(final ClientEnvironment environment)
    {
        if (metadata.takeTopicRecreated())
        {
            isRecreated = true;
            for (int p = 0; p < queues.size(); p++)
            {
                queues.get(p).onRecreated();
            }
            environment.error("Topic " + topic.name() + " was deleted and created again: what was not acknowledged " +
                "is given up, and the partitions with such records stop; skipFailed goes on.");
        }
        if (isRecreated)
        {
            failAll(FailureReason.TOPIC_RECREATED);
            isRecreated = false;
        }
    }

    boolean isLedBy(final int nodeId)
    {
        boolean isLed = false;
        for (int p = 0; p < queues.size() && !isLed; p++)
        {
            isLed = queues.get(p).leaderId() == nodeId;
        }
        return isLed;
    }

    void unlist()
    {
        for (int p = 0; p < queues.size(); p++)
        {
            queues.get(p).ready(null);
        }
    }

    void onOtherCluster()
    {
        for (int p = 0; p < queues.size(); p++)
        {
            queues.get(p).onOtherCluster();
        }
    }

    void failAll(final FailureReason reason)
    {
        for (int p = 0; p < queues.size(); p++)
        {
            queues.get(p).failAll(reason, ErrorCode.NONE);
        }
    }

    void onIdRefused(final short errorCode)
    {
        for (int p = 0; p < queues.size(); p++)
        {
            queues.get(p).onIdRefused(errorCode);
        }
    }

    void expire(final long nowNs, final long timeoutNs)
    {
        for (int p = 0; p < queues.size(); p++)
        {
            queues.get(p).expire(nowNs, timeoutNs);
        }
    }

    boolean hasStopped()
    {
        boolean hasStopped = false;
        for (int p = 0; p < queues.size() && !hasStopped; p++)
        {
            hasStopped = queues.get(p).isStopped();
        }
        return hasStopped;
    }

    boolean isWaiting()
    {
        boolean isWaiting = false;
        for (int p = 0; p < queues.size() && !isWaiting; p++)
        {
            final PartitionQueue queue = queues.get(p);
            isWaiting = !queue.isStopped() && queue.acknowledgedPosition() < queue.acceptedPosition();
        }
        return isWaiting;
    }

    @Override
    public void ensureCapacity(final int count)
    {
        queues.ensureSize(count);
    }

    @Override
    public int capacity()
    {
        return queues.size();
    }

    @Override
    public boolean isAssigned(final int partition)
    {
        return false;
    }

    @Override
    public int leaderId(final int partition)
    {
        return queues.get(partition).leaderId();
    }

    @Override
    public int leaderEpoch(final int partition)
    {
        return queues.get(partition).leaderEpoch();
    }

    @Override
    public boolean leader(final int partition, final int leaderId, final int leaderEpoch)
    {
        return queues.get(partition).leader(leaderId, leaderEpoch);
    }

    @Override
    public void changeAssignment()
    {
        topic.isAssignmentChanged = true;
    }

    @Override
    public Need takeMetadataNeed()
    {
        final Need need = topic.metadataNeed;
        topic.metadataNeed = Need.NONE;
        return need;
    }
}
