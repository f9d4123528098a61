/*
 * Licensed under the Apache License, Version 2.0; see the file LICENSE.
 */
package org.odradek.consumer.fetch;

import org.odradek.consumer.net.BrokerAddress;
import org.odradek.consumer.net.BrokerConnection;
import org.odradek.consumer.net.ConnectionSettings;
import org.odradek.consumer.net.ConsumerEnvironment;
import org.odradek.consumer.net.RequestFrame;
import org.odradek.consumer.status.ConsumerCounters;
import org.odradek.protocol.ApiKey;
import org.odradek.protocol.ErrorCode;
import org.odradek.protocol.WireFormatException;
import org.odradek.protocol.fetch.FetchRequestEncoder;
import org.odradek.protocol.fetch.FetchResponseFlyweight;
import org.odradek.protocol.record.LegacyMessageFlyweight;
import org.odradek.protocol.record.RecordBatchFlyweight;

import java.util.Arrays;

/**
 * Fetches the partitions that one broker leads, over one connection, one request at a time. It has two states that do
 * not depend on each other: a request is on its way or not, and a frame is being delivered or not. When a response is
 * in, the headers of its batches are walked to learn the next offsets, and the next request goes out before a single
 * record is delivered: the broker works while the handler does.
 */
public final class BrokerFetcher
{
    private static final int FIRST_VERSION_CLIENT_THROTTLES = 8;
    private static final int NULL_SLOT = -1;
    private static final int BULK_LENGTH = 1 << 16;

    private final int nodeId;
    private final FetchSettings settings;
    private final FetchTopic topic;
    private final PartitionTable table;
    private final PartitionErrors errors;
    private final ConsumerEnvironment environment;
    private final FetchLatency latency;
    private final BrokerConnection connection;
    private final FetchRequestEncoder request;
    private final RequestFrame requestFrame;
    private final FetchResponseFlyweight response = new FetchResponseFlyweight();
    private final RecordBatchFlyweight batch = new RecordBatchFlyweight();
    private final LegacyMessageFlyweight message = new LegacyMessageFlyweight();
    private final FetchFrame frame = new FetchFrame();

    private int orderCount;
    private int rotation;
    private int slotCount;
    private int builtCount = -1;
    private int builtVersion;
    private int requestVersion;
    private int lastResponseLength;
    private int seenFailures;
    private boolean isRequestSent;
    private boolean isDelivering;
    private int builtTopicChanges;
    private long retryAtNs;
    private boolean isBackingOff;
    private int[] order = {};
    private int[] slotPartitions = {};
    private int[] slotGenerations = {};
    private long[] slotOffsets = {};
    private int[] slotOfPartition = {};

    /**
     * @param nodeId              of the broker.
     * @param receiveBufferLength in bytes, at the start.
     * @param connectionSettings  shared.
     * @param settings            of fetching.
     * @param topic               that is fetched.
     * @param errors              what to do with a partition in error.
     * @param table               of the partitions.
     */
    public BrokerFetcher(
        final int nodeId,
        final int receiveBufferLength,
        final ConnectionSettings connectionSettings,
        final FetchSettings settings,
        final FetchTopic topic,
        final PartitionErrors errors,
        final PartitionTable table)
    {
        this.nodeId = nodeId;
        this.settings = settings;
        this.topic = topic;
        this.errors = errors;
        this.table = table;
        environment = errors.environment();
        latency = new FetchLatency(environment);
        connection = new BrokerConnection(connectionSettings, environment, receiveBufferLength, ApiKey.FETCH);
        request = new FetchRequestEncoder(connectionSettings.clientId(), topic.name(), settings.rackId())
            .maxWaitMs(settings.maxWaitMs())
            .minBytes(settings.minBytes())
            .maxBytes(settings.maxBytes())
            .isolationLevel(settings.isReadCommitted() ?
                FetchRequestEncoder.READ_COMMITTED : FetchRequestEncoder.READ_UNCOMMITTED);
        requestFrame = new RequestFrame(environment.budget(), request.maxFrameLength(1, 0));
    }

    /**
     * Advance the connection, take in a response that has arrived, and send the next request if one is due.
     *
     * @param isLooking true: read the socket even if the poller has not marked it.
     * @return amount of work done; 0 means idle.
     */
    public int doWork(final boolean isLooking)
    {
        int work = connection.doWork(isLooking);
        if (connection.failures() != seenFailures)
        {
            onConnectionFailed();
        }
        if (connection.hasResponse() && !isDelivering)
        {
            onResponse();
            work++;
        }
        if (!isRequestSent && connection.canSend())
        {
            work += sendFetch();
        }
        else if (connection.isIdle() && fillSlots(environment.clock().nowNs()) > 0)
        {
            connection.wake();
            work++;
        }
        return work;
    }

    private void onResponse()
    {
        isRequestSent = false;
        lastResponseLength = connection.responseLimit();
        frame.begin(connection.responseMemory(), requestVersion);
        environment.counters().add(ConsumerCounters.FETCHES, 1);
        latency.onResponse();
        try
        {
            response.wrap(
                frame.memory().buffer(), BrokerConnection.BODY_INDEX, connection.responseLimit(), requestVersion);
            if (requestVersion >= FIRST_VERSION_CLIENT_THROTTLES)
            {
                connection.throttle(response.throttleTimeMs());
            }
            if (response.errorCode() != ErrorCode.NONE)
            {
                onResponseError(response.errorCode());
            }
            while (response.nextPartition())
            {
                onPartition();
            }
        }
        catch (final WireFormatException ex)
        {
            onMalformed(ex);
            return;
        }
        if (frame.count() > 0)
        {
            isDelivering = true;
        }
        else
        {
            environment.counters().add(ConsumerCounters.EMPTY_FETCHES, 1);
            connection.release();
        }
    }

    private void onPartition()
    {
        final int partition = response.partition();
        final int length = response.recordsLength();
        final int slot = takeSlot(partition);
        if (slot == NULL_SLOT || slotGenerations[slot] != table.generation(partition))
        {
            environment.counters().add(ConsumerCounters.BYTES_DISCARDED, length);
            return;
        }
        if (response.partitionErrorCode() != ErrorCode.NONE)
        {
            errors.onBrokerError(nodeId, partition, response.partitionErrorCode());
            return;
        }
        table.progress(
            partition, response.highWatermark(), response.lastStableOffset(), response.logStartOffset());
        if (length > 0)
        {
            frame.add(partition, slotGenerations[slot], response.recordsIndex(), length);
            frame.aborted(response.abortedTransactionsIndex(), response.abortedTransactionCount());
            table.requestOffset(partition, offsetAfter(slotOffsets[slot]));
        }
        else if (table.logs().takeCaughtUp(
            partition, table.nextOffset(partition), settings.isReadCommitted()))
        {
            environment.listener().onCaughtUp(partition, table.nextOffset(partition));
        }
    }

    /**
     * Find what was asked for, once: what was not asked for, or is there a second time, has no slot.
     */
    private int takeSlot(final int partition)
    {
        if (partition < 0 || partition >= slotOfPartition.length || !topic.isNamedIn(response, requestVersion))
        {
            return NULL_SLOT;
        }
        final int slot = slotOfPartition[partition];
        slotOfPartition[partition] = NULL_SLOT;
        return slot;
    }

    /**
     * Walk the batches of a record set to the offset to ask for next. What is wrong with them is found again, and
     * told, when they are delivered.
     */
    private long offsetAfter(final long fromOffset)
    {
        final int limit = response.recordsIndex() + response.recordsLength();
        int index = response.recordsIndex();
        long next = fromOffset;
        int status = batch.wrap(frame.memory(), index, limit);
        while (status > RecordBatchFlyweight.CUT_OFF)
        {
            if (status == RecordBatchFlyweight.COMPLETE)
            {
                next = Math.max(next, batch.lastOffset() + 1);
                index = batch.limit();
            }
            else if (message.wrap(frame.memory(), index, limit) == LegacyMessageFlyweight.COMPLETE)
            {
                next = Math.max(next, message.offset() + 1);
                index = message.limit();
            }
            else
            {
                return next;
            }
            status = batch.wrap(frame.memory(), index, limit);
        }
        return next;
    }

    private int sendFetch()
    {
        final long nowNs = environment.clock().nowNs();
        if (isBackingOff)
        {
            isBackingOff = retryAtNs - nowNs > 0;
            if (isBackingOff)
            {
                return 0;
            }
        }
        final int count = fillSlots(nowNs);
        if (count == 0)
        {
            return 0;
        }
        requestVersion = topic.fetchVersion(connection.version(ApiKey.FETCH));
        if (count != builtCount || requestVersion != builtVersion || topic.changes() != builtTopicChanges)
        {
            build(count);
        }
        for (int slot = 0; slot < count; slot++)
        {
            final int partition = slotPartitions[slot];
            request.entry(
                slot, partition, table.leaderEpoch(partition), slotOffsets[slot], settings.partitionMaxBytes());
        }
        request.correlationId(connection.nextCorrelationId());
        latency.onRequest();
        connection.send(requestFrame, request.frameLength());
        isRequestSent = true;
        // A batch larger than the limits comes back only for the first partition that has data.
        rotation = rotation + 1 < orderCount ? rotation + 1 : 0;
        return 1;
    }

    private int fillSlots(final long nowNs)
    {
        for (int slot = 0; slot < slotCount; slot++)
        {
            slotOfPartition[slotPartitions[slot]] = NULL_SLOT;
        }
        int count = 0;
        int at = rotation;
        for (int i = 0; i < orderCount; i++)
        {
            final int partition = order[at];
            at = at + 1 < orderCount ? at + 1 : 0;
            if (table.isFetchable(partition, nowNs))
            {
                slotPartitions[count] = partition;
                slotGenerations[count] = table.generation(partition);
                slotOffsets[count] = table.requestOffset(partition);
                slotOfPartition[partition] = count++;
            }
        }
        slotCount = count;
        return count;
    }

    private void build(final int count)
    {
        requestFrame.ensureCapacity(request.maxFrameLength(Math.max(count, orderCount), 0));
        request.topicId(topic.idMostSignificantBits(), topic.idLeastSignificantBits())
            .build(requestFrame.buffer(), requestVersion, count, 0);
        builtCount = count;
        builtVersion = requestVersion;
        builtTopicChanges = topic.changes();
    }

    private void onResponseError(final short errorCode)
    {
        environment.error("Fetch from broker " + nodeId + " answered with " + ErrorCode.name(errorCode) +
            "; will ask again.");
        isBackingOff = true;
        retryAtNs = environment.clock().nowNs() + settings.retryBackoffNs();
        table.wantMetadata();
    }

    private void onMalformed(final WireFormatException ex)
    {
        final int partition = response.partition();
        if (connection.isResponseOversized() && response.isRecordSetCutOff() && table.isAssigned(partition))
        {
            errors.onCorrupt(nodeId, partition, "its record set of " + response.recordsLength() +
                " bytes does not fit into the receive buffer; raise receiveBufferMaxLength above that");
        }
        else
        {
            environment.error("Fetch response from broker " + nodeId + " at " + connection.address() + ": " +
                ex.getMessage() + "; will reconnect and ask again.");
        }
        connection.fail("a response that cannot be read");
        onConnectionFailed();
    }

    private void onConnectionFailed()
    {
        seenFailures = connection.failures();
        isRequestSent = false;
        if (isDelivering)
        {
            isDelivering = false;
            environment.counters().add(ConsumerCounters.BYTES_DISCARDED, frame.undelivered());
        }
        frame.clear();
        for (int i = 0; i < orderCount; i++)
        {
            table.invalidate(order[i]);
        }
        table.wantMetadata();
    }

    /**
     * Whether a response waits to be delivered.
     */
    public boolean isDelivering()
    {
        return isDelivering;
    }

    FetchFrame frame()
    {
        return frame;
    }

    /**
     * The response has been delivered to its end.
     */
    void endFrame()
    {
        frame.clear();
        isDelivering = false;
        connection.release();
    }

    /**
     * A response is held beyond the poll.
     */
    public void park()
    {
        connection.park();
    }

    /**
     * Begin to list the partitions that this broker leads.
     *
     * @param capacity of the table.
     */
    public void clearPartitions(final int capacity)
    {
        orderCount = 0;
        rotation = 0;
        if (capacity > slotOfPartition.length)
        {
            final int from = slotOfPartition.length;
            slotOfPartition = Arrays.copyOf(slotOfPartition, capacity);
            Arrays.fill(slotOfPartition, from, capacity, NULL_SLOT);
            order = Arrays.copyOf(order, capacity);
            slotPartitions = Arrays.copyOf(slotPartitions, capacity);
            slotGenerations = Arrays.copyOf(slotGenerations, capacity);
            slotOffsets = Arrays.copyOf(slotOffsets, capacity);
            frame.ensureCapacity(capacity);
        }
    }

    /**
     * Add a partition that this broker leads.
     *
     * @param partition its id, below the capacity.
     */
    public void addPartition(final int partition)
    {
        order[orderCount++] = partition;
    }

    public int partitionCount()
    {
        return orderCount;
    }

    /**
     * Connect to where the broker is; does nothing if that is where it is connected to.
     *
     * @param address of the broker.
     */
    public void address(final BrokerAddress address)
    {
        if (connection.state() == BrokerConnection.CLOSED || !connection.address().isSame(address))
        {
            connection.open(nodeId, address);
            onConnectionFailed();
        }
    }

    /**
     * Whether the last response was a large one.
     */
    public boolean isBulk()
    {
        return lastResponseLength >= BULK_LENGTH;
    }

    public int nodeId()
    {
        return nodeId;
    }

    /**
     * Whether the connection stands, or has been closed only because there was nothing to fetch.
     */
    public boolean isReady()
    {
        return connection.isReady() || connection.isIdle();
    }

    /**
     * When there is something to do without a byte arriving.
     *
     * @param otherwiseNs what to return if this knows of no nearer time.
     * @return the time, as the duty cycle tells it.
     */
    public long nextDeadlineNs(final long otherwiseNs)
    {
        final long nextNs = connection.nextDeadlineNs(otherwiseNs);
        final boolean isToCome = isBackingOff && retryAtNs - environment.clock().nowNs() > 0;
        return isToCome && retryAtNs - nextNs < 0 ? retryAtNs : nextNs;
    }

    /**
     * Close the connection and give all memory back.
     */
    public void free()
    {
        onConnectionFailed();
        connection.free();
        requestFrame.free();
    }

    @Override
    public String toString()
    {
        return connection + ", " + orderCount + " partitions" + (isRequestSent ? ", fetch outstanding" : "") +
            (isDelivering ? ", delivering" : "") + ", fetch version " + requestVersion;
    }
}
