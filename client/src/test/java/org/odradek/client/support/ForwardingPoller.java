// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.support;

import org.odradek.client.PolledSocket;
import org.odradek.client.Poller;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;

/**
 * Passes all calls on to another poller, which it owns. A test overrides the methods that it observes or changes.
 */
public class ForwardingPoller implements Poller
{
    private final Poller poller;

    public ForwardingPoller(final Poller poller)
    {
        this.poller = poller;
    }

    @Override
    public PolledSocket openSocket(final int receiveBufferLength, final int sendBufferLength)
    {
        return poller.openSocket(receiveBufferLength, sendBufferLength);
    }

    @Override
    public int await(final long timeoutNs)
    {
        return poller.await(timeoutNs);
    }

    @Override
    public void wakeup()
    {
        poller.wakeup();
    }

    @Override
    public String description()
    {
        return poller.description();
    }

    @Override
    public void close()
    {
        poller.close();
    }

    /** Passes all calls on to another socket. */
    public static class Socket implements PolledSocket
    {
        private final PolledSocket socket;

        public Socket(final PolledSocket socket)
        {
            this.socket = socket;
        }

        @Override
        public boolean connect(final InetSocketAddress address) throws IOException
        {
            return socket.connect(address);
        }

        @Override
        public boolean finishConnect() throws IOException
        {
            return socket.finishConnect();
        }

        @Override
        public int receive(final ByteBuffer buffer) throws IOException
        {
            return socket.receive(buffer);
        }

        @Override
        public int send(final ByteBuffer buffer) throws IOException
        {
            return socket.send(buffer);
        }

        @Override
        public void readInterest(final boolean isOn)
        {
            socket.readInterest(isOn);
        }

        @Override
        public void writeInterest(final boolean isOn)
        {
            socket.writeInterest(isOn);
        }

        @Override
        public void receiveLowWaterMark(final int length)
        {
            socket.receiveLowWaterMark(length);
        }

        @Override
        public boolean isReady()
        {
            return socket.isReady();
        }

        @Override
        public void clearReady()
        {
            socket.clearReady();
        }

        @Override
        public int receiveBufferLength()
        {
            return socket.receiveBufferLength();
        }

        @Override
        public void close()
        {
            socket.close();
        }
    }
}
