// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.net;

import org.odradek.consumer.status.ConsumerCounters;
import org.odradek.protocol.record.RecordMemory;

import java.io.IOException;
import java.net.InetSocketAddress;

/**
 * The making of a connection: the socket, within a time, then the versions.
 */
final class ConnectionSetup
{
    /**
     * A network that was too slow for one try is given so many times as long, at most.
     */
    private static final int MAX_CONNECT_TIMEOUTS = 3;

    private final ConnectionSettings settings;
    private final ConsumerEnvironment environment;
    private final DutyClock clock;
    private final Connection connection;
    private final Exchange exchange;
    private final Throttle throttle;
    private final VersionNegotiation negotiation;
    private long timeoutNs;
    private long deadlineNs;

    ConnectionSetup(
        final ConnectionSettings settings,
        final ConsumerEnvironment environment,
        final Connection connection,
        final Exchange exchange,
        final Throttle throttle,
        final VersionNegotiation negotiation)
    {
        this.settings = settings;
        this.environment = environment;
        clock = environment.clock();
        this.connection = connection;
        this.exchange = exchange;
        this.throttle = throttle;
        this.negotiation = negotiation;
    }

    /**
     * @param failures in a row, after which more time is given.
     * @return true if connected at once.
     * @throws IOException if it cannot be.
     */
    boolean connect(final BrokerAddress address, final int failures) throws IOException
    {
        timeoutNs = settings.connectTimeoutNs() * Math.min(MAX_CONNECT_TIMEOUTS, 1 + failures);
        deadlineNs = clock.pollingNs() + timeoutNs;
        final InetSocketAddress place = address.next();
        return connection.connect(environment.poller().openSocket(settings.socketReceiveBufferLength(), 0), place);
    }

    /**
     * @return true once it is connected.
     * @throws IOException if it cannot be, or not in time.
     */
    boolean finishConnect() throws IOException
    {
        final boolean isConnected = connection.finishConnect();
        if (!isConnected && deadlineNs - clock.pollingNs() < 0)
        {
            throw new IOException("not connected within " + timeoutNs / 1_000_000 + " ms");
        }
        return isConnected;
    }

    /**
     * Begin to agree on versions.
     */
    void onConnected(final int nodeId, final BrokerAddress address) throws IOException
    {
        environment.counters().add(ConsumerCounters.CONNECTS, 1);
        exchange.begin(nodeId);
        negotiation.begin(nodeId, address);
        askVersions();
    }

    private void askVersions() throws IOException
    {
        exchange.send(negotiation.frame(), negotiation.ask(exchange.nextCorrelationId()));
    }

    /**
     * Read the answer about versions, and ask again in a lower version if need be.
     *
     * @return true if they are agreed.
     * @throws org.odradek.protocol.WireFormatException if the broker cannot be spoken to.
     */
    boolean onVersions(final int nodeId, final RecordMemory memory, final int limit) throws IOException
    {
        connection.receiveBuffer().checkWhole();
        final boolean isAgreed = negotiation.onResponse(memory, BrokerConnection.BODY_INDEX, limit);
        throttle.begin(nodeId, negotiation.throttleTimeMs());
        exchange.release();
        if (!isAgreed)
        {
            askVersions();
        }
        return isAgreed;
    }

    long nextDeadlineNs(final long otherwiseNs)
    {
        final long deadline = clock.nowNs() + deadlineNs - clock.pollingNs();
        return deadline - otherwiseNs < 0 ? deadline : otherwiseNs;
    }
}
