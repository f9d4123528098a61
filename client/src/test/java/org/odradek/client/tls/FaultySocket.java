// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.tls;

import org.odradek.client.PolledSocket;
import org.odradek.client.support.ForwardingPoller;
import org.odradek.harness.tls.Fault;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;

/** A socket that throws before or after all that it does but close, at the steps of a {@link Fault}. */
final class FaultySocket extends ForwardingPoller.Socket
{
    static final String SEND = "before the socket sends";

    private final Fault fault;

    FaultySocket(final PolledSocket socket, final Fault fault)
    {
        super(socket);
        this.fault = fault;
    }

    @Override
    public boolean connect(final InetSocketAddress address) throws IOException
    {
        fault.step("before the socket connects");
        return super.connect(address);
    }

    @Override
    public boolean finishConnect() throws IOException
    {
        fault.step("before the socket is connected");
        return super.finishConnect();
    }

    @Override
    public int receive(final ByteBuffer buffer) throws IOException
    {
        fault.step("before the socket receives");
        final int bytes = super.receive(buffer);
        fault.step("after the socket received");
        return bytes;
    }

    @Override
    public int send(final ByteBuffer buffer) throws IOException
    {
        fault.step(SEND);
        final int bytes = super.send(buffer);
        fault.step("after the socket sent");
        return bytes;
    }

    @Override
    public void readInterest(final boolean on)
    {
        fault.step("readInterest");
        super.readInterest(on);
    }

    @Override
    public void writeInterest(final boolean on)
    {
        fault.step("writeInterest");
        super.writeInterest(on);
    }

    @Override
    public void clearReady()
    {
        fault.step("clearReady");
        super.clearReady();
    }
}
