// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.replay;

import org.odradek.consumer.handler.PolledSocket;
import org.odradek.consumer.handler.Poller;

/**
 * Stands where the sockets of the system would: every socket is connected at once to a {@link ReplayBroker}.
 */
final class ReplayPoller implements Poller
{
    private final ReplayBroker broker;

    ReplayPoller(final ReplayBroker broker)
    {
        this.broker = broker;
    }

    @Override
    public PolledSocket openSocket(final int receiveBufferLength, final int sendBufferLength)
    {
        return new ReplaySocket(broker);
    }

    /** There is always an answer to be read. */
    @Override
    public int await(final long timeoutNs)
    {
        return 1;
    }

    @Override
    public void wakeup()
    {
    }

    @Override
    public String description()
    {
        return "replay";
    }

    @Override
    public void close()
    {
    }
}
