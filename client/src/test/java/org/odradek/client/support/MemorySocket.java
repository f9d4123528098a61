// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.support;

import org.odradek.client.PolledSocket;

import java.net.InetSocketAddress;

/** A socket that is connected at once, to a peer in memory. */
public abstract class MemorySocket implements PolledSocket
{
    @Override
    public boolean connect(final InetSocketAddress address)
    {
        return true;
    }

    @Override
    public boolean finishConnect()
    {
        return true;
    }

    @Override
    public void readInterest(final boolean on)
    {
    }

    @Override
    public void writeInterest(final boolean on)
    {
    }

    @Override
    public void clearReady()
    {
    }

    @Override
    public int receiveBufferLength()
    {
        return 0;
    }

    @Override
    public void close()
    {
    }
}
