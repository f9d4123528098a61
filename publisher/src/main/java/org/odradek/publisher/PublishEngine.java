// SPDX-License-Identifier: Apache-2.0
package org.odradek.publisher;

import org.agrona.collections.ArrayUtil;
import org.odradek.client.Acknowledgements;
import org.odradek.client.cluster.Brokers;
import org.odradek.client.cluster.ControlConnection;
import org.odradek.client.cluster.Metadata;
import org.odradek.client.cluster.PartitionLeaders;
import org.odradek.client.cluster.ReconnectBackoffs;
import org.odradek.client.core.JvmMemory;
import org.odradek.client.engine.Leaders;
import org.odradek.client.net.BrokerAddress;
import org.odradek.client.net.ClientEnvironment;
import org.odradek.protocol.ApiKey;
import org.odradek.protocol.ErrorCode;

import java.util.Arrays;
import java.util.concurrent.TimeUnit;

import static org.odradek.client.core.DutyClock.earlier;

/**
 * Does the work of a publisher: it requests metadata and the producer id over one connection, distributes the
 * partitions over the connections to their leaders, does the work of these connections, and gives up batches that have
 * waited for too long.
 */
final class PublishEngine
{
    private static final long CHECK_INTERVAL_NS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long FAR_NS = TimeUnit.HOURS.toNanos(1);

    private final ClientEnvironment environment;
    private final PublishScope scope;
    private final BatchPool pool;
    private final PublisherEvents events;
    private final Brokers brokers;
    private final Topics topics = new Topics();
    private final ProducerIds producerIds;
    private final ControlConnection control;
    private final Metadata metadata;
    private final ReconnectBackoffs reconnectBackoffs;
    private InputBarrier[] barriers = {};
    /** The connections to brokers, sorted by the ids of the brokers. */
    private BrokerSender[] senders = {};
    /**
     * The index of the sender that works first. The senders take turns, because the first sender may use up the bytes
     * that can be compressed in a duty cycle.
     */
    private int firstSender;
    /** True if a partition has no connection because there was no memory for it. */
    private boolean isAnyWithoutSender;
    private boolean isShortageReported;
    private long nextCheckNs;

    PublishEngine(
        final PublisherSettings settings,
        final BatchPool pool,
        final PublisherEvents events,
        final BrokerAddress[] bootstrap,
        final ClientEnvironment environment)
    {
        this.environment = environment;
        this.pool = pool;
        this.events = events;
        brokers = new Brokers(bootstrap, environment);
        control = new ControlConnection(environment, ApiKey.METADATA, environment.settings().reconnectBackoff());
        metadata = new Metadata(brokers, control, environment);
        reconnectBackoffs = new ReconnectBackoffs(environment.settings());
        producerIds = new ProducerIds(environment);
        if (settings.isIdempotent())
        {
            producerIds.want();
        }
        scope = new PublishScope(settings, pool, topics, producerIds, brokers, events.counters(), environment);
        nextCheckNs = environment.clock().nowNs();
    }

    TopicQueues topic(final String name)
    {
        TopicQueues found = topics.named(name);
        if (found == null)
        {
            found = new TopicQueues(new PublishedTopic(name, topics.count()), pool, events, metadata, environment);
            topics.add(found);
        }
        return found;
    }

    InputBarrier addBarrier(final Acknowledgements acknowledgements, final int intervalMs, final UseGuard guard)
    {
        final InputBarrier barrier = new InputBarrier(acknowledgements, intervalMs, topics, events, guard);
        barrier.endInterval(environment.clock().nowNs());
        barriers = ArrayUtil.add(barriers, barrier);
        return barrier;
    }

    int doWork(final boolean isPollingSocket)
    {
        pool.beginWork();
        int work = topics.count() > 0 ? metadata.doWork(isPollingSocket) : 0;
        boolean isAssignmentChanged = false;
        for (int i = 0; i < topics.count(); i++)
        {
            final TopicQueues queues = topics.get(i);
            queues.giveUpIfRecreated(environment);
            isAssignmentChanged |= queues.topic().isAssignmentChanged;
        }
        topics.update();
        if (scope.settings().isIdempotent() && producerIds.takeOtherCluster())
        {
            for (int i = 0; i < topics.count(); i++)
            {
                topics.get(i).onOtherCluster();
            }
        }
        applyRefusal();
        if (isAssignmentChanged)
        {
            assign();
            work++;
        }
        if (nextCheckNs - environment.clock().nowNs() <= 0)
        {
            nextCheckNs = environment.clock().nowNs() + CHECK_INTERVAL_NS;
            check();
        }
        firstSender = firstSender + 1 < senders.length ? firstSender + 1 : 0;
        for (int i = 0; i < senders.length; i++)
        {
            final int index = firstSender + i;
            work += senders[index < senders.length ? index : index - senders.length].doWork(isPollingSocket);
        }
        work += requestProducerId();
        for (final InputBarrier barrier : barriers)
        {
            work += barrier.doWork(environment.clock().nowNs());
        }
        return work;
    }

    /** After an {@link Error} of the listener, the next call handles the remaining partitions. */
    private void applyRefusal()
    {
        final short refusal = producerIds.refusal();
        for (int i = 0; i < topics.count() && refusal != ErrorCode.NONE; i++)
        {
            topics.get(i).onIdRefused(refusal);
        }
        producerIds.endRefusal();
    }

    private int requestProducerId()
    {
        if (producerIds.takeTemporaryError() && topics.count() > 0)
        {
            // A broker that is cut off from the controllers has no ids, and no new metadata: another one is asked then.
            topics.get(0).topic().wantMetadata(PartitionLeaders.Need.ERROR);
        }
        if (!producerIds.isWanted() || !control.prepare(producerIds))
        {
            return 0;
        }
        if (control.isSupported(ApiKey.INIT_PRODUCER_ID))
        {
            control.send(producerIds);
        }
        else
        {
            producerIds.onUnsupported();
        }
        return 1;
    }

    private void check()
    {
        final long nowNs = environment.clock().nowNs();
        if (events.outstanding() > 0)
        {
            for (int i = 0; i < topics.count(); i++)
            {
                topics.get(i).expire(nowNs, scope.settings().deliveryTimeoutNs());
            }
        }
        boolean isAnyUnused = false;
        for (final BrokerSender sender : senders)
        {
            isAnyUnused |= sender.isUnused();
        }
        if (isAnyUnused || isAnyWithoutSender && findRoomForSender())
        {
            assign();
        }
    }

    private boolean findRoomForSender()
    {
        return environment.budget().findRoom(senderLength());
    }

    private int senderLength()
    {
        return senderLength(scope.settings().requestMaxLength(), environment.settings().controlBufferLength());
    }

    static int senderLength(final int requestMaxLength, final int controlBufferLength)
    {
        return (int)Math.min(Integer.MAX_VALUE, (long)requestMaxLength + controlBufferLength);
    }

    /** Distributes the partitions over the senders; after an exception the next duty cycle does so again. */
    private void assign()
    {
        try
        {
            distribute();
        }
        catch (final RuntimeException | Error ex)
        {
            topics.changeAssignment();
            throw ex;
        }
    }

    private void distribute()
    {
        isAnyWithoutSender = false;
        for (final BrokerSender sender : senders)
        {
            sender.clear();
        }
        for (int i = 0; i < topics.count(); i++)
        {
            topics.get(i).unlist();
        }
        for (int i = 0; i < topics.count(); i++)
        {
            final TopicQueues queues = topics.get(i);
            queues.topic().isAssignmentChanged = false;
            for (int p = 0; p < queues.capacity(); p++)
            {
                final BrokerSender sender = senderOf(queues.get(p));
                queues.get(p).ready(sender == null ? null : sender.ready());
            }
        }
        int kept = 0;
        for (final BrokerSender sender : senders)
        {
            if (sender.isUnused())
            {
                sender.free();
            }
            else
            {
                senders[kept++] = sender;
            }
        }
        senders = kept == senders.length ? senders : Arrays.copyOf(senders, kept);
        for (final BrokerSender sender : senders)
        {
            final BrokerAddress address = brokers.address(sender.nodeId());
            if (address != null)
            {
                sender.address(address);
            }
        }
        assert isConsistent();
    }

    private BrokerSender senderOf(final PartitionQueue queue)
    {
        final int leaderId = queue.leaderId();
        if (leaderId < 0)
        {
            return null;
        }
        if (brokers.address(leaderId) == null)
        {
            queue.topic().wantMetadata(PartitionLeaders.Need.ERROR);
            return null;
        }
        int index = Leaders.indexOf(senders, leaderId, 0);
        if (index < 0)
        {
            index = ~index;
            if (isAnyWithoutSender || !findRoomForSender() || !addSender(index, leaderId))
            {
                isAnyWithoutSender = true;
                return null;
            }
        }
        senders[index].use();
        return senders[index];
    }

    /** @return false if there is no memory for the connection. */
    private boolean addSender(final int index, final int nodeId)
    {
        final BrokerSender sender;
        try
        {
            sender = new BrokerSender(nodeId, reconnectBackoffs.of(nodeId, 0), scope);
        }
        catch (final OutOfMemoryError ex)
        {
            if (!isShortageReported)
            {
                isShortageReported = true;
                environment.error(JvmMemory.shortage(senderLength()));
            }
            return false;
        }
        isShortageReported = false;
        senders = Leaders.insert(senders, index, sender);
        return true;
    }

    void endSendInterval()
    {
        for (final BrokerSender sender : senders)
        {
            sender.endSendInterval();
        }
        for (final InputBarrier barrier : barriers)
        {
            barrier.endInterval(environment.clock().nowNs());
        }
    }

    void wake()
    {
        if (isIdMissing())
        {
            producerIds.want();
            control.prepare(producerIds);
        }
        for (final BrokerSender sender : senders)
        {
            sender.wake();
        }
    }

    private boolean isIdMissing()
    {
        return scope.settings().isIdempotent() && producerIds.producerId() == ProducerIds.NULL_ID;
    }

    /** @param isComplete true to require that each partition has a leader that is connected or could not be reached. */
    boolean isReady(final boolean isComplete)
    {
        boolean isReady = topics.count() == 0 || !isIdMissing();
        boolean isAnyConnected = topics.count() == 0;
        for (int i = 0; i < topics.count() && isReady; i++)
        {
            final TopicQueues queues = topics.get(i);
            final int count = queues.metadata().partitionCount();
            isReady = count > 0;
            for (int p = 0; p < count && isReady; p++)
            {
                final int index = Leaders.indexOf(senders, queues.leaderId(p), 0);
                isAnyConnected |= index >= 0 && senders[index].isReady();
                isReady = !isComplete || index >= 0 && (senders[index].isReady() || senders[index].isFailing());
            }
        }
        return isReady && isAnyConnected;
    }

    boolean isAcknowledged()
    {
        return events.outstanding() == 0 && !hasStopped();
    }

    boolean isWaiting()
    {
        boolean isWaiting = false;
        for (int i = 0; i < topics.count() && !isWaiting; i++)
        {
            isWaiting = topics.get(i).isWaiting();
        }
        return isWaiting;
    }

    boolean hasStopped()
    {
        boolean hasStopped = false;
        for (int i = 0; i < topics.count() && !hasStopped; i++)
        {
            hasStopped = topics.get(i).hasStopped();
        }
        return hasStopped;
    }

    long outstanding()
    {
        return events.outstanding();
    }

    int senderCount()
    {
        return senders.length;
    }

    /** Returns the time, by the clock of the duty cycle, at which there is work even if no byte arrives. */
    long nextDeadlineNs()
    {
        final long nowNs = environment.clock().nowNs();
        long nextNs = nowNs + FAR_NS;
        for (int i = 0; i < topics.count(); i++)
        {
            final TopicQueues queues = topics.get(i);
            if (queues.topic().metadataNeed != PartitionLeaders.Need.NONE || queues.topic().isAssignmentChanged)
            {
                return nowNs;
            }
        }
        nextNs = topics.count() > 0 ? metadata.nextDeadlineNs(nextNs) : nextNs;
        nextNs = producerIds.isWanted() ? control.nextDeadlineNs(producerIds, nextNs) : nextNs;
        for (final BrokerSender sender : senders)
        {
            nextNs = sender.nextDeadlineNs(nextNs);
        }
        for (final InputBarrier barrier : barriers)
        {
            nextNs = barrier.nextDeadlineNs(nowNs, nextNs);
        }
        return events.outstanding() > 0 || isAnyWithoutSender ? earlier(nextCheckNs, nextNs) : nextNs;
    }

    void failAll()
    {
        for (int i = 0; i < topics.count(); i++)
        {
            topics.get(i).failAll(FailureReason.CLOSED);
        }
    }

    void free()
    {
        for (final BrokerSender sender : senders)
        {
            sender.free();
        }
        senders = new BrokerSender[0];
        control.free();
    }

    private boolean isConsistent()
    {
        // Only accepted records are acknowledged or given up.
        boolean isConsistent = events.outstanding() >= 0;
        for (int i = 1; i < senders.length && isConsistent; i++)
        {
            // The binary search needs this order.
            isConsistent = senders[i - 1].nodeId() < senders[i].nodeId();
        }
        return isConsistent;
    }

    void describe(final StringBuilder text)
    {
        text.append(brokers).append('\n').append(control).append('\n');
        if (scope.settings().isIdempotent())
        {
            text.append(producerIds).append('\n');
        }
        for (final BrokerSender sender : senders)
        {
            text.append(sender).append('\n');
        }
        for (final InputBarrier barrier : barriers)
        {
            text.append(barrier).append('\n');
        }
        for (int i = 0; i < topics.count(); i++)
        {
            text.append(topics.get(i).metadata()).append('\n');
            for (int p = 0; p < topics.get(i).capacity(); p++)
            {
                text.append(topics.get(i).get(p)).append('\n');
            }
        }
    }
}
