// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

import org.agrona.concurrent.SystemNanoClock;
import org.odradek.consumer.control.ControlSettings;
import org.odradek.consumer.fetch.FetchSettings;
import org.odradek.consumer.net.ConnectionSettings;
import org.odradek.consumer.net.CounterWriter;

import java.util.HashSet;
import java.util.Set;

/**
 * What the parts of a consumer are given of its context.
 */
final class DerivedSettings
{
    private static final long NS_PER_MS = 1_000_000L;
    private static final long NS_PER_US = 1_000L;
    /**
     * The largest batch a broker takes unless told otherwise.
     */
    static final int BROKER_MAX_BATCH_LENGTH = 1_048_588;
    /**
     * What a fetch response holds beside its record sets.
     */
    private static final int FRAMING_LENGTH = 64 * 1024;
    private static final int PARTITION_FRAMING_LENGTH = 96;
    private static final int CONTROL_BUFFER_LENGTH = 64 * 1024;
    /**
     * In a metadata response, with up to five replicas each in sync.
     */
    private static final int PARTITION_METADATA_LENGTH = 64;
    /**
     * In a fetch request: an entry, and one to forget.
     */
    private static final int PARTITION_REQUEST_LENGTH = 33 + 4;
    /**
     * In requests of a group's coordinator: an entry to store, and one to ask for.
     */
    private static final int PARTITION_GROUP_LENGTH = 32 + 4;
    /**
     * What a batch of the usual size comes to, many times over.
     */
    static final int DECOMPRESSION_BUFFER_LENGTH = 1024 * 1024;
    private static final int REQUEST_LENGTH = 4 * 1024;
    private static final int MAX_BUFFER_LENGTH = Integer.MAX_VALUE - 8;

    private DerivedSettings()
    {
    }

    static ConnectionSettings connection(final ConsumerContext context)
    {
        return new ConnectionSettings(
            context.clientId,
            context.connectTimeoutMs * NS_PER_MS,
            context.requestTimeoutMs * NS_PER_MS,
            context.reconnectBackoffMs * NS_PER_MS,
            context.reconnectBackoffMaxMs * NS_PER_MS,
            context.socketReceiveBufferLength,
            context.receiveBufferMaxLength);
    }

    static ControlSettings control(final ConsumerContext context, final CounterWriter counters)
    {
        return new ControlSettings(
            BootstrapServers.resolve(context.bootstrapServers, context.nameResolver, counters),
            context.nameResolver,
            connection(context),
            context.metadataMaxAgeMs * NS_PER_MS,
            context.rebootstrapTriggerMs * NS_PER_MS,
            context.retryBackoffMs * NS_PER_MS,
            context.retryBackoffMaxMs * NS_PER_MS,
            controlBufferLength(context));
    }

    static FetchSettings fetch(final ConsumerContext context)
    {
        return new FetchSettings(
            context.fetchMaxBytes,
            context.partitionMaxBytes,
            context.fetchMinBytes,
            context.fetchMaxWaitMs,
            context.fetchMinIntervalUs * NS_PER_US,
            context.isReadCommitted(),
            context.clientRack,
            context.retryBackoffMs * NS_PER_MS,
            context.metadataMaxAgeMs * NS_PER_MS,
            context.fetchSession.minPartitions());
    }

    /**
     * Of a fetching connection at the start: a full response, or the largest batch that is usual.
     */
    static int receiveBufferLength(final ConsumerContext context)
    {
        return (int)Math.min(MAX_BUFFER_LENGTH, Math.max(context.fetchMaxBytes, BROKER_MAX_BATCH_LENGTH) +
            FRAMING_LENGTH + partitionCount(context) * PARTITION_FRAMING_LENGTH);
    }

    private static int controlBufferLength(final ConsumerContext context)
    {
        return (int)Math.min(
            MAX_BUFFER_LENGTH, CONTROL_BUFFER_LENGTH + partitionCount(context) * PARTITION_METADATA_LENGTH);
    }

    /**
     * As far as it is known before the cluster has been asked.
     */
    private static long partitionCount(final ConsumerContext context)
    {
        return context.partitions == null ? 0 : context.partitions.length;
    }

    static long memoryBudget(final ConsumerContext context)
    {
        final int controlLength = controlBufferLength(context);
        final long requestLength = REQUEST_LENGTH + partitionCount(context) * PARTITION_REQUEST_LENGTH;
        return controlLength + REQUEST_LENGTH + DECOMPRESSION_BUFFER_LENGTH + (long)context.expectedLeaders *
            (receiveBufferLength(context) + controlLength + 2 * requestLength) +
            groupCount(context) * (controlLength + groupRequestsLength(context));
    }

    /**
     * Of the request for the coordinator, that to store, that to ask, and the connection's own.
     */
    private static long groupRequestsLength(final ConsumerContext context)
    {
        return 4 * REQUEST_LENGTH + partitionCount(context) * PARTITION_GROUP_LENGTH;
    }

    /**
     * Of the groups that partitions begin with, each of which has a connection of its own.
     */
    private static long groupCount(final ConsumerContext context)
    {
        final Set<String> groupIds = new HashSet<>();
        context.startPosition.addGroupsTo(groupIds);
        context.startPositions.values().forEach((position) -> position.addGroupsTo(groupIds));
        return groupIds.size();
    }

    /**
     * What was left open.
     */
    static void fillIn(final ConsumerContext context)
    {
        if (context.transport == null && context.poller == null)
        {
            context.transport = ConsumerConfiguration.transport();
        }
        if (context.partitionMaxBytes == 0)
        {
            context.partitionMaxBytes = context.fetchMaxBytes;
        }
        if (context.nanoClock == null)
        {
            context.nanoClock = SystemNanoClock.INSTANCE;
        }
        if (context.errorHandler == null)
        {
            context.errorHandler = (error) -> System.err.println("odradek: " + error.getMessage());
        }
    }
}
