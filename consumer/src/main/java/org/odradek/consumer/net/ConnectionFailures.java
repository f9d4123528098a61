// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.net;

import org.odradek.consumer.status.ConsumerCounters;

/**
 * What goes wrong with one connection: how often, when to try again, and who is told. A connection that was ready and
 * broke is an event; one that cannot be made is an error, once for each address until it is reached, however many
 * connections lead there.
 */
final class ConnectionFailures
{
    private final Backoff backoff;
    private final ConsumerEnvironment environment;
    private int count;
    private boolean wasLost;
    private String last = "";

    ConnectionFailures(final ConnectionSettings settings, final ConsumerEnvironment environment)
    {
        this.environment = environment;
        backoff = new Backoff(settings.reconnectBackoffNs(), settings.reconnectBackoffMaxNs());
    }

    void onFailed(final boolean wasReady, final String reason, final int nodeId, final BrokerAddress address)
    {
        last = reason == null ? "connection broken" : reason;
        count++;
        backOff();
        if (wasReady)
        {
            address.forget();
            wasLost = true;
            environment.counters().add(ConsumerCounters.CONNECTIONS_LOST, 1);
            environment.listener().onConnectionLost(nodeId, address.toString(), last);
        }
        else if (address.isFirstFailure())
        {
            environment.error(cannotConnect(nodeId, address));
        }
    }

    /**
     * Wait before the next try, without having failed.
     */
    void backOff()
    {
        backoff.failed(environment.clock().nowNs());
    }

    private String cannotConnect(final int nodeId, final BrokerAddress address)
    {
        if (nodeId == BrokerConnection.NULL_NODE_ID)
        {
            return "Cannot connect to bootstrap server " + address + ": " + last + "; will try again.";
        }
        return "Cannot connect to broker " + nodeId + " at " + address + ": " + last + "; this is the address that " +
            "the broker gives out (its advertised.listeners): if it cannot be reached from here, correct it there; " +
            "will try again.";
    }

    void onReady(final int nodeId, final BrokerAddress address)
    {
        backoff.succeeded();
        address.onReady();
        if (wasLost)
        {
            wasLost = false;
            environment.listener().onConnectionRestored(nodeId, address.toString());
        }
    }

    boolean isBackoffOver(final long nowNs)
    {
        return backoff.isOver(nowNs);
    }

    long backoffDeadlineNs()
    {
        return backoff.deadlineNs();
    }

    /**
     * Since the connection stood last.
     */
    int inARow()
    {
        return backoff.failures();
    }

    int count()
    {
        return count;
    }

    @Override
    public String toString()
    {
        return count == 0 ? "" : ", " + count + " failures, last: " + last;
    }
}
