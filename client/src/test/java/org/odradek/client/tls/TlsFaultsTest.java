// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.tls;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.CsvSource;
import org.odradek.client.ClientListener;
import org.odradek.client.core.CounterWriter;
import org.odradek.client.core.MemoryBudget;
import org.odradek.client.security.CertificateStore;
import org.odradek.client.security.TlsProviderType;
import org.odradek.client.security.TlsSettings;
import org.odradek.client.support.UnlimitedMemory;
import org.odradek.harness.SizedThread;
import org.odradek.harness.tls.EngineTls;
import org.odradek.harness.tls.Fault;
import org.odradek.harness.tls.FaultyManagers;
import org.odradek.testkit.internal.CertificateAuthority;
import org.odradek.testkit.internal.Identity;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.SSLException;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Runs one connection again and again. Each time another step of it throws: the trust manager, the key manager, the
 * engine or the socket below, before or after what they do. Whatever is thrown, the socket has failed: it sends no
 * secret, calls nothing but the engine's free method, and refuses every later call.
 */
@ParameterizedClass
@CsvSource({"BORINGSSL, TLSv1.3", "BORINGSSL, TLSv1.2", "JDK, TLSv1.3", "JDK, TLSv1.2"})
class TlsFaultsTest
{
    private static final String HOST = "broker.example";
    private static final int FURTHER_CALLS = 50;
    private static final int MAX_CALLS = 100;
    /** Far more than a whole connection takes. */
    private static final int MAX_STEPS = 1_000;
    private static final byte[] RESPONSE = new byte[1_000];
    /** As our asserts throw it, without a message. */
    private static final AssertionError OF_AN_ASSERT = new AssertionError();

    @Parameter(0)
    private TlsProviderType provider;
    @Parameter(1)
    private String protocol;

    private final Fault fault = new Fault();
    private final FaultyManagers managers = new FaultyManagers(fault);
    private final MemoryBudget budget = UnlimitedMemory.budget(Long.MAX_VALUE);
    private final CertificateAuthority authority = new CertificateAuthority("test CA");
    private final Identity broker = authority.issue("broker", HOST);
    private TlsEngines engines;
    private TlsProvider tls;
    private EngineTls server;
    private ServerPeer peer;
    private TlsSocket socket;

    @AfterEach
    void close()
    {
        engines.close();
        managers.close();
    }

    private static List<Throwable> throwables(final String step)
    {
        final List<Throwable> all = List.of(new IOException("canary"), new IllegalStateException("canary"),
            new OutOfMemoryError("canary"), new SSLException("canary"), new StackOverflowError(),
            new AssertionError("canary"), new NoClassDefFoundError("canary"), new Exception("canary"), OF_AN_ASSERT);
        return isOfTls(step) ? all : all.subList(0, 3);
    }

    private void connect() throws IOException
    {
        boolean isConnected = socket.connect(
            new InetSocketAddress(InetAddress.getByAddress(HOST, new byte[] {127, 0, 0, 1}), 9093));
        for (int i = 0; i < MAX_CALLS && !isConnected; i++)
        {
            isConnected = socket.finishConnect();
        }
        assertTrue(isConnected);
    }

    private void request() throws IOException
    {
        socket.send(ByteBuffer.allocateDirect(100).put("a request".getBytes()).flip());
        server.send(RESPONSE);
        if ("TLSv1.3".equals(protocol))
        {
            server.updateKeys();
        }
        peer.take();
        final ByteBuffer destination = ByteBuffer.allocateDirect(2 * RESPONSE.length);
        for (int i = 0; i < MAX_CALLS && destination.position() < RESPONSE.length; i++)
        {
            socket.receive(destination);
        }
        assertEquals(RESPONSE.length, destination.position());
    }

    /** Returns what was thrown, or null. */
    private Throwable connection()
    {
        // With a context of its own, no connection resumes the session of another one.
        server = new EngineTls(EngineTls.context(broker, null), protocol).requestingCertificate();
        peer = new ServerPeer(server);
        socket = new TlsSocket(new FaultySocket(peer, fault), tls, budget, new CounterWriter());
        try
        {
            connect();
            request();
            socket.send(ByteBuffer.allocateDirect(100));
            socket.receive(ByteBuffer.allocateDirect(10));
            return null;
        }
        catch (final Throwable ex)
        {
            return ex;
        }
    }

    private void open()
    {
        final Identity client = authority.issue("client");
        engines = new TlsEngines(TlsSettings.trust(CertificateStore.pem(authority.pem()))
            .key(CertificateStore.pem(client.keyPem().toCharArray(), client.chainPem())).provider(provider),
            new CounterWriter(), ClientListener.NONE);
        tls = new FaultyTls(engines, fault);
    }

    @Test
    void shouldFailForGoodWhateverIsThrownAtWhicheverStep() throws Throwable
    {
        open();
        SizedThread.run(SizedThread.LARGE_STACK, this::failAtEachStep);
    }

    private void failAtEachStep()
    {
        fault.reset();
        final Throwable ex = connection();
        if (ex != null)
        {
            throw new AssertionError("a connection without a fault has failed", ex);
        }
        final int closing = fault.steps().size();
        socket.close();
        final List<String> steps = new ArrayList<>(fault.steps());
        assertTrue(steps.containsAll(List.of("after the check of the certificate", "after handshake", "after decrypt",
            "after encrypt", "after takeOutput")), steps::toString);
        assertTrue(provider == TlsProviderType.BORINGSSL || steps.contains("after the key is taken"), steps::toString);
        for (int i = 0; i < steps.size(); i++)
        {
            for (final Throwable throwable : throwables(steps.get(i)))
            {
                // Whatever may not throw comes last: memory is freed, and the socket is closed.
                if (!FaultyTls.FREE.equals(steps.get(i)))
                {
                    check(i, i < closing, throwable);
                }
            }
        }
    }

    private void check(final int index, final boolean isBeforeClose, final Throwable throwable)
    {
        fault.arm(index, throwable);
        final Throwable thrown = connection();
        final String what = "step " + index + " of " + fault.steps() + " throws " + throwable;
        assertEquals(isBeforeClose ? 1 : 0, fault.thrown(), what);
        if (isBeforeClose)
        {
            assertRefused(index, throwable, thrown, what);
        }
        try
        {
            socket.close();
        }
        catch (final OutOfMemoryError | AssertionError ex)
        {
            assertSame(throwable, ex, what);
        }
        assertEquals(1, fault.thrown(), what);
        assertTrue(fault.steps().size() < MAX_STEPS, what);
        assertTrue(peer.isClosed, what);
        assertFalse(peer.hasSecret(), what);
        assertEquals(0, budget.heldBytes(), what);
    }

    private void assertRefused(final int index, final Throwable throwable, final Throwable thrown, final String what)
    {
        if (isOfTls(fault.steps().get(index)) && !(throwable instanceof OutOfMemoryError) && throwable != OF_AN_ASSERT)
        {
            assertInstanceOf(IOException.class, thrown, what);
        }
        else if (!(thrown instanceof IOException))
        {
            assertSame(throwable, thrown, what);
        }
        final List<String> after = List.copyOf(fault.steps().subList(index + 1, fault.steps().size()));
        // What the engine had written before, and the alert.
        assertTrue(after.stream().filter(FaultySocket.SEND::equals).count() <= 2, what);
        assertTrue(throwable instanceof SSLException || !isOfEngine(fault.steps().get(index)) ||
            !after.contains(FaultySocket.SEND), what);
        final int steps = fault.steps().size();
        final ByteBuffer destination = ByteBuffer.allocateDirect(2 * RESPONSE.length);
        for (int i = 0; i < FURTHER_CALLS; i += 3)
        {
            assertRefused(socket::finishConnect, what);
            assertRefused(() -> socket.send(ServerPeer.secret()), what);
            assertRefused(() -> socket.receive(destination), what);
        }
        assertEquals(0, destination.position(), what);
        assertEquals(steps, fault.steps().size(), what);
    }

    /** What the socket below throws, is of our own code or of the user's. */
    private static boolean isOfTls(final String step)
    {
        return !step.contains("socket") && !step.contains("Interest") && !step.equals("clearReady") &&
            !step.equals("before an engine is made");
    }

    /** What a manager throws, the engine may turn into an SSLException. */
    private static boolean isOfEngine(final String step)
    {
        return isOfTls(step) && !step.contains("certificate") && !step.contains("key");
    }

    private static void assertRefused(final SizedThread.Task call, final String what)
    {
        try
        {
            call.run();
        }
        catch (final IOException ex)
        {
            return;
        }
        catch (final Throwable ex)
        {
            throw new AssertionError(what, ex);
        }
        throw new AssertionError("a call was allowed: " + what);
    }
}
