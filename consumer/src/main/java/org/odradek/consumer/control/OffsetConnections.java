// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.control;

import org.odradek.consumer.net.BrokerAddress;
import org.odradek.consumer.net.ConsumerEnvironment;

import java.util.ArrayList;
import java.util.List;

/**
 * The connections over which leaders are asked for offsets, one to each, opened when there is a question.
 */
final class OffsetConnections
{
    private final ControlSettings settings;
    private final String topic;
    private final byte isolationLevel;
    private final ClusterView cluster;
    private final ConsumerEnvironment environment;
    private final List<OffsetConnection> connections = new ArrayList<>();

    OffsetConnections(
        final ControlSettings settings,
        final String topic,
        final byte isolationLevel,
        final ClusterView cluster,
        final ConsumerEnvironment environment)
    {
        this.settings = settings;
        this.topic = topic;
        this.isolationLevel = isolationLevel;
        this.cluster = cluster;
        this.environment = environment;
    }

    int count()
    {
        return connections.size();
    }

    OffsetConnection get(final int index)
    {
        return connections.get(index);
    }

    void close(final int index)
    {
        connections.remove(index).free();
    }

    /**
     * Have a connection to a broker where it is now, if that is known.
     *
     * @return how many were opened.
     */
    int open(final int nodeId)
    {
        final BrokerAddress address = cluster.address(nodeId);
        if (address == null || isOpen(nodeId, address))
        {
            return 0;
        }
        connections.add(new OffsetConnection(nodeId, address, settings, topic, isolationLevel, environment));
        return 1;
    }

    private boolean isOpen(final int nodeId, final BrokerAddress address)
    {
        for (int i = 0; i < connections.size(); i++)
        {
            if (connections.get(i).nodeId() == nodeId)
            {
                if (connections.get(i).address().isSame(address))
                {
                    return true;
                }
                close(i);
                return false;
            }
        }
        return false;
    }

    long nextDeadlineNs(final long otherwiseNs)
    {
        long nextNs = otherwiseNs;
        for (int i = 0; i < connections.size(); i++)
        {
            nextNs = connections.get(i).nextDeadlineNs(nextNs);
        }
        return nextNs;
    }

    void free()
    {
        connections.forEach(OffsetConnection::free);
        connections.clear();
    }

    void describe(final StringBuilder text)
    {
        connections.forEach((connection) -> text.append(connection).append('\n'));
    }
}
