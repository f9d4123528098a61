// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.tls;

import org.odradek.harness.tls.Fault;

import java.io.IOException;
import java.nio.ByteBuffer;
import javax.net.ssl.SSLException;

/** A provider of TLS, of which each engine throws before or after what it does, at the steps of a {@link Fault}. */
final class FaultyTls implements TlsProvider
{
    static final String FREE = "free";

    private final TlsProvider provider;
    private final Fault fault;

    FaultyTls(final TlsProvider provider, final Fault fault)
    {
        this.provider = provider;
        this.fault = fault;
    }

    @Override
    public TlsEngine newEngine(final String host, final int port) throws SSLException
    {
        fault.step("before an engine is made");
        return new Engine(provider.newEngine(host, port), fault);
    }

    @Override
    public void close()
    {
        provider.close();
    }

    /** One connection. */
    private static final class Engine implements TlsEngine
    {
        private final TlsEngine engine;
        private final Fault fault;

        Engine(final TlsEngine engine, final Fault fault)
        {
            this.engine = engine;
            this.fault = fault;
        }

        @Override
        public void inspect(final ByteBuffer input, final int from) throws SSLException
        {
            fault.step("before inspect");
            engine.inspect(input, from);
            fault.step("after inspect");
        }

        @Override
        public boolean handshake(final ByteBuffer input, final ByteBuffer output) throws IOException
        {
            fault.step("before handshake");
            final boolean isDone = engine.handshake(input, output);
            fault.step("after handshake");
            return isDone;
        }

        @Override
        public void decrypt(final ByteBuffer input, final ByteBuffer destination) throws SSLException
        {
            fault.step("before decrypt");
            engine.decrypt(input, destination);
            fault.step("after decrypt");
        }

        @Override
        public boolean isTls13()
        {
            fault.step("isTls13");
            return engine.isTls13();
        }

        @Override
        public boolean isClosedByPeer()
        {
            fault.step("isClosedByPeer");
            return engine.isClosedByPeer();
        }

        @Override
        public boolean isCertificateRequested()
        {
            fault.step("isCertificateRequested");
            return engine.isCertificateRequested();
        }

        @Override
        public int encrypt(final ByteBuffer source, final ByteBuffer output) throws SSLException
        {
            fault.step("before encrypt");
            final int bytes = engine.encrypt(source, output);
            fault.step("after encrypt");
            return bytes;
        }

        @Override
        public void takeOutput(final ByteBuffer output, final boolean isClosing)
        {
            fault.step("before takeOutput");
            engine.takeOutput(output, isClosing);
            fault.step("after takeOutput");
        }

        @Override
        public void free()
        {
            fault.step(FREE);
            engine.free();
        }
    }
}
