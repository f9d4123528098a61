// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

import org.odradek.client.net.ConnectionState;
import org.odradek.consumer.engine.Conductor;
import org.odradek.consumer.fetch.BrokerFetcher;
import org.odradek.consumer.fetch.PartitionTable;

import java.util.HashSet;
import java.util.Set;

/**
 * What the oracles read of a consumer. It is in the consumer's package because a user only has sentences that describe
 * this.
 */
public final class ConsumerState
{
    private final ConsumerResources resources;
    private final PartitionTable table;
    private final Conductor conductor;

    public ConsumerState(final TopicConsumer consumer)
    {
        resources = consumer.resources;
        table = resources.table;
        conductor = resources.conductor;
    }

    /** A connection for fetches beside the first one to a broker. */
    public record Further(int nodeId, int number)
    {
    }

    public Set<Further> further()
    {
        final Set<Further> further = new HashSet<>();
        for (int i = 0; i < conductor.fetcherCount(); i++)
        {
            final BrokerFetcher fetcher = conductor.fetcher(i);
            if (!fetcher.isFirst())
            {
                further.add(new Further(fetcher.nodeId(), fetcher.number()));
            }
        }
        return further;
    }

    /** Returns true while metadata is requested, or a connection for fetches is neither ready nor idle. */
    public boolean isBusy()
    {
        boolean isBusy = conductor.isRequestingMetadata();
        for (int i = 0; i < conductor.fetcherCount(); i++)
        {
            final ConnectionState state = conductor.fetcher(i).state();
            isBusy |= state != ConnectionState.READY && state != ConnectionState.IDLE;
        }
        return isBusy;
    }

    public int partitionCount()
    {
        return table.capacity();
    }

    public boolean isAssigned(final int partition)
    {
        return table.isAssigned(partition);
    }

    /** Returns true if a partition is fetched, and its leader has answered. */
    public boolean isFetched(final int partition)
    {
        return table.state(partition) == PartitionTable.FETCHING && !table.isPaused(partition) &&
            table.partition(partition).highWatermark() != PartitionTable.NULL_OFFSET;
    }

    public int leaderId(final int partition)
    {
        return table.leaderId(partition);
    }

    /** Returns true if the epoch of the leader is known. */
    public boolean hasLeaderEpoch(final int partition)
    {
        return table.leaderEpoch(partition) != PartitionTable.NULL_EPOCH;
    }

    public long heldBytes()
    {
        return resources.budget.heldBytes();
    }

    public long reservedBytes()
    {
        return resources.budget.reservedBytes();
    }

    public long budgetBytes()
    {
        return resources.budget.budgetBytes();
    }
}
