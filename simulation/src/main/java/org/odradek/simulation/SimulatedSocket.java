// SPDX-License-Identifier: Apache-2.0
package org.odradek.simulation;

import org.odradek.client.PolledSocket;
import org.odradek.client.PollerUser;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;

/** A socket of the consumer: interest, readiness and the low-water mark over a {@link Link}. */
final class SimulatedSocket implements PolledSocket
{
    private final SimulatedNetwork network;
    private final SimulatedPoller poller;
    /** Null if all sockets of the poller are of one user. */
    private final PollerUser user;
    private Link link;
    private boolean isConnected;
    private boolean isReading;
    private boolean isWriting;
    private boolean isReady;
    private int lowWaterMark = 1;

    SimulatedSocket(final SimulatedNetwork network, final SimulatedPoller poller, final PollerUser user)
    {
        this.user = user;
        this.network = network;
        this.poller = poller;
    }

    @Override
    public boolean connect(final InetSocketAddress address)
    {
        link = network.connect(address);
        return false;
    }

    @Override
    public boolean finishConnect() throws IOException
    {
        switch (link.state())
        {
            case Link.CONNECTING:
                isReady = false;
                return false;
            case Link.REFUSED:
                throw new ConnectException("Connection refused");
            case Link.TIMED_OUT:
                throw new ConnectException("Connection timed out");
            default:
                isConnected = true;
                return true;
        }
    }

    @Override
    public int receive(final ByteBuffer buffer) throws IOException
    {
        if (!buffer.hasRemaining())
        {
            return NOTHING;
        }
        final int received = link.receive(buffer);
        isReady &= received > 0;
        return received;
    }

    @Override
    public int send(final ByteBuffer buffer) throws IOException
    {
        final int sent = link.send(buffer);
        isReady &= sent > 0;
        return sent;
    }

    @Override
    public void shutdownOutput() throws IOException
    {
        link.shutdownOutput();
    }

    /** Sets the ready flag if the socket is ready at this moment, and returns whether it is. */
    boolean checkReady()
    {
        final boolean isReadyNow = link != null && isReadyNow();
        isReady |= isReadyNow;
        return isReadyNow;
    }

    private boolean isReadyNow()
    {
        return isConnected ?
            isReading && link.isReadable(lowWaterMark) || isWriting && link.isWritable() :
            link.state() != Link.CONNECTING;
    }

    PollerUser user()
    {
        return user;
    }

    void lose()
    {
        if (link != null)
        {
            link.lose(false);
        }
    }

    /** Returns whether a whole response waits to be read, and the low-water mark keeps the poller from reporting it. */
    boolean isOverlooked()
    {
        return isConnected && isReading && link.isResponseWhole() && !link.isReadable(lowWaterMark);
    }

    @Override
    public void readInterest(final boolean on)
    {
        if (on != isReading && link != null)
        {
            link.progress.held(!on, network.clock.nowNs());
        }
        isReading = on;
    }

    @Override
    public void writeInterest(final boolean on)
    {
        isWriting = on;
    }

    @Override
    public void receiveLowWaterMark(final int length)
    {
        lowWaterMark = length;
        link.receiveLowWaterMark(length);
    }

    @Override
    public boolean isReady()
    {
        return isReady;
    }

    @Override
    public void clearReady()
    {
        isReady = false;
    }

    @Override
    public int receiveBufferLength()
    {
        return link == null ? 0 : link.windowLength();
    }

    @Override
    public void close()
    {
        if (link != null)
        {
            link.closeByClient();
            link = null;
        }
        isReady = false;
        poller.remove(this);
    }
}
