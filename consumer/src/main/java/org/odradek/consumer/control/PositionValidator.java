// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.control;

import org.odradek.consumer.fetch.PartitionErrors;
import org.odradek.consumer.fetch.PartitionTable;
import org.odradek.consumer.net.ConsumerEnvironment;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Asks the new leaders of partitions whether their logs hold what was read from the ones before (KIP-320). A partition
 * is not fetched until the answer is there.
 */
final class PositionValidator
{
    private final PartitionTable table;
    private final PartitionErrors errors;
    private final PositionResets resets;
    private final ConsumerEnvironment environment;
    private final List<PositionCheck> checks = new ArrayList<>();
    /** Of the check that is there for a partition, or was. */
    private int[] generations = {};

    PositionValidator(
        final PartitionTable table,
        final PartitionErrors errors,
        final PositionResets resets,
        final ConsumerEnvironment environment)
    {
        this.table = table;
        this.errors = errors;
        this.resets = resets;
        this.environment = environment;
    }

    /**
     * Look for partitions that are to be asked about now.
     */
    void find()
    {
        if (generations.length < table.capacity())
        {
            generations = Arrays.copyOf(generations, table.capacity());
        }
        for (int p = 0; p < table.capacity(); p++)
        {
            if (table.state(p) == PartitionTable.AWAITING_VALIDATION && generations[p] != table.generation(p) &&
                !table.isBackingOff(p, environment.clock().nowNs()))
            {
                generations[p] = table.generation(p);
                checks.add(new PositionCheck(p, table.offsetEpoch(p), table.generation(p)));
            }
        }
    }

    void dropStale()
    {
        for (int i = checks.size() - 1; i >= 0; i--)
        {
            if (checks.get(i).isStale(table))
            {
                checks.remove(i);
            }
        }
    }

    boolean isIdle()
    {
        return checks.isEmpty();
    }

    /**
     * Put what the leader that a connection leads to is to be asked into its next request.
     */
    void addTo(final OffsetConnection connection)
    {
        for (int i = 0; i < checks.size(); i++)
        {
            final PositionCheck check = checks.get(i);
            if (!check.isStale(table) && table.leaderId(check.partition()) == connection.nodeId())
            {
                if (connection.canAskForEpochs())
                {
                    connection.add(check);
                }
                else
                {
                    // Brokers before 2.3 cannot be asked by a consumer.
                    table.validated(check.partition());
                }
            }
        }
    }

    /**
     * Have a connection opened to each leader that is to be asked.
     */
    int openMissing(final OffsetConnections connections)
    {
        int opened = 0;
        for (int i = 0; i < checks.size(); i++)
        {
            opened += connections.open(table.leaderId(checks.get(i).partition()));
        }
        return opened;
    }

    /**
     * A leader has answered.
     *
     * @param check       it was asked for.
     * @param nodeId      of the leader.
     * @param leaderEpoch the largest in its log up to the one asked for, or -1.
     * @param endOffset   of that epoch, or -1.
     */
    void onAnswer(final PositionCheck check, final int nodeId, final int leaderEpoch, final long endOffset)
    {
        checks.remove(check);
        if (check.isStale(table))
        {
            return;
        }
        if (leaderEpoch < 0 || endOffset < 0)
        {
            resets.onTruncated(nodeId, check, PartitionTable.NULL_OFFSET, PartitionTable.NULL_EPOCH);
        }
        else if (endOffset < table.nextOffset(check.partition()))
        {
            resets.onTruncated(nodeId, check, endOffset, leaderEpoch);
        }
        else
        {
            table.validated(check.partition());
        }
    }

    /**
     * A leader has answered with an error: the partition is asked about again after a while, or stops.
     */
    void onError(final PositionCheck check, final int nodeId, final short errorCode)
    {
        checks.remove(check);
        if (!check.isStale(table))
        {
            generations[check.partition()] = 0;
            errors.onBrokerError(nodeId, check.partition(), errorCode);
        }
    }
}
