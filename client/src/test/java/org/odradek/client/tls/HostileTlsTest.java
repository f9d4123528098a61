// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.tls;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.odradek.client.ClientCounters;
import org.odradek.client.ClientListener;
import org.odradek.client.core.CounterWriter;
import org.odradek.client.core.MemoryBudget;
import org.odradek.client.security.CertificateStore;
import org.odradek.client.security.TlsProviderType;
import org.odradek.client.security.TlsSettings;
import org.odradek.client.support.UnlimitedMemory;
import org.odradek.harness.SizedThread;
import org.odradek.harness.tls.ChangedTls;
import org.odradek.harness.tls.EngineTls;
import org.odradek.harness.tls.HandmadeTls;
import org.odradek.harness.tls.NestedCertificate;
import org.odradek.harness.tls.ServerTls;
import org.odradek.harness.tls.Step;
import org.odradek.testkit.internal.CertificateAuthority;
import org.odradek.testkit.internal.Identity;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.security.PublicKey;
import java.security.cert.CertificateEncodingException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Lets servers that no broker resembles answer a TLS socket, in memory. Whatever happens, the socket must fail with an
 * IOException, refuse every later call, and never send what it was given.
 */
class HostileTlsTest
{
    private static final String HOST = "broker.example";
    private static final int FURTHER_CALLS = 50;
    /** Enough for a handshake in records of one byte. */
    private static final int MAX_CALLS = 200;
    /** How a server cuts its messages into records. */
    private static final int[] RECORD_LENGTHS = {1 << 14, 1 << 14, 100};

    /** The encrypted messages need several of these. */
    private static final int SHORT_RECORD_LENGTH = 300;
    private static final String CONNECTED = "the socket is connected";

    private static Identity identity;
    private static TlsSettings settings;
    private static byte[] certificate;

    private final CounterWriter counters = new CounterWriter();
    private final MemoryBudget budget = UnlimitedMemory.budget(Long.MAX_VALUE);
    private TlsEngines engines;

    @BeforeAll
    static void issue() throws CertificateEncodingException
    {
        final CertificateAuthority authority = new CertificateAuthority("test CA");
        identity = authority.issue("broker", HOST);
        certificate = identity.chain().get(0).getEncoded();
        settings = TlsSettings.trust(CertificateStore.pem(authority.pem()));
    }

    @AfterEach
    void close()
    {
        if (engines != null)
        {
            engines.close();
        }
        assertEquals(0, budget.heldBytes());
    }

    private TlsEngines engines(final TlsProviderType type)
    {
        if (engines == null)
        {
            engines = new TlsEngines(settings.provider(type), counters, ClientListener.NONE);
        }
        return engines;
    }

    private static boolean connect(final TlsSocket socket, final ServerPeer peer) throws IOException
    {
        boolean isConnected = socket.connect(
            new InetSocketAddress(InetAddress.getByAddress(HOST, new byte[] {127, 0, 0, 1}), 9093));
        for (int i = 0; i < MAX_CALLS && !isConnected; i++)
        {
            // A server that sends nothing more closes the connection.
            peer.isFinished = peer.sent.length == 0;
            isConnected = socket.finishConnect();
        }
        return isConnected;
    }

    /** Connects to a server that must not be believed, and goes on as if nothing had happened. */
    private void attack(final TlsProvider provider, final ServerTls server)
    {
        final ServerPeer peer = new ServerPeer(server);
        final TlsSocket socket = new TlsSocket(peer, provider, budget, counters);
        Throwable failure = null;
        try
        {
            if (connect(socket, peer))
            {
                socket.close();
                throw new AssertionError(CONNECTED);
            }
        }
        catch (final IOException | RuntimeException | StackOverflowError ex)
        {
            failure = ex;
        }
        goOn(socket, peer);
        assertInstanceOf(IOException.class, failure);
        assertEquals(0, counters.get(ClientCounters.TLS_HANDSHAKES));
        assertEquals(1, counters.get(ClientCounters.TLS_FAILURES));
        counters.add(ClientCounters.TLS_FAILURES, -1);
    }

    private static void goOn(final TlsSocket socket, final ServerPeer peer)
    {
        peer.isFinished = false;
        final ByteBuffer buffer = ByteBuffer.allocateDirect(1_000);
        int allowed = 0;
        for (int i = 0; i < FURTHER_CALLS; i++)
        {
            allowed += isAllowed(socket::finishConnect) + isAllowed(() -> socket.send(ServerPeer.secret())) +
                isAllowed(() -> socket.receive(buffer.clear()));
        }
        final int calls = peer.calls;
        socket.close();
        assertTrue(peer.isClosed);
        assertFalse(peer.hasSecret(), "the secret was sent");
        assertEquals(0, allowed, "calls were allowed after the failure");
        assertEquals(calls, peer.calls, "the socket was used after its failure");
    }

    private static int isAllowed(final SizedThread.Task call)
    {
        try
        {
            call.run();
            return 1;
        }
        catch (final IOException ex)
        {
            return 0;
        }
        catch (final Throwable ex)
        {
            return 1;
        }
    }

    private static Stream<Arguments> overflows()
    {
        final List<Arguments> all = new ArrayList<>();
        for (final TlsProviderType type : List.of(TlsProviderType.JDK, TlsProviderType.BORINGSSL))
        {
            for (final long stack : new long[] {SizedThread.SMALL_STACK, SizedThread.LARGE_STACK})
            {
                all.add(Arguments.of(type, stack, NestedCertificate.DEPTH));
                all.add(Arguments.of(type, stack, NestedCertificate.GREATEST_DEPTH));
            }
        }
        return all.stream();
    }

    /** The certificate overflows the stack, so it is not checked, and the key exchange is not signed. */
    @ParameterizedTest
    @MethodSource("overflows")
    void shouldNotAcceptAKeyExchangeAfterTheCertificateCheckOverflowedTheStack(
        final TlsProviderType type, final long stack, final int depth) throws Throwable
    {
        final PublicKey key = identity.chain().get(0).getPublicKey();
        for (final byte[] hostile : List.of(
            NestedCertificate.ofOctetStrings(key, depth), NestedCertificate.ofIndefiniteLengths(depth)))
        {
            SizedThread.run(stack, () -> attack(engines(type), unsigned(hostile)));
            SizedThread.run(stack, () -> attack(engines(type), unsigned(hostile).merged()));
            SizedThread.run(stack, () -> attack(engines(type), unsigned(hostile, certificate)));
        }
    }

    private static HandmadeTls unsigned(final byte[]... chain)
    {
        return new HandmadeTls(List.of(Step.SERVER_HELLO, Step.certificate(chain), Step.UNSIGNED_KEY_EXCHANGE,
            Step.HELLO_DONE), HandmadeTls.END);
    }

    @ParameterizedTest
    @MethodSource("overflows")
    void shouldFailTheSocketForACertificateThatOverflowsTheStack(
        final TlsProviderType type, final long stack, final int depth) throws Throwable
    {
        final byte[] hostile = NestedCertificate.ofOctetStrings(identity.chain().get(0).getPublicKey(), depth);
        for (final String protocol : List.of("TLSv1.3", "TLSv1.2"))
        {
            SizedThread.run(stack, () -> attack(
                engines(type), new EngineTls(EngineTls.context(identity, hostile), protocol)));
        }
    }

    @ParameterizedTest
    @EnumSource(value = TlsProviderType.class, names = {"JDK", "BORINGSSL"})
    void shouldConnectHoweverMessagesAreCutIntoRecords(final TlsProviderType type) throws IOException
    {
        for (int form = 0; form < RECORD_LENGTHS.length; form++)
        {
            final ServerPeer peer = new ServerPeer(handmade(form, right()));
            final TlsSocket socket = new TlsSocket(peer, engines(type), budget, counters);

            assertTrue(connect(socket, peer));
            socket.send(ServerPeer.secret());
            assertTrue(peer.hasSecret());
            socket.close();
        }
    }

    private static List<Step> right()
    {
        return new ArrayList<>(List.of(Step.SERVER_HELLO, Step.certificate(certificate),
            Step.keyExchange(identity.key()), Step.HELLO_DONE, Step.CHANGE_CIPHER_SPEC, Step.FINISHED));
    }

    /** Whatever follows the client's Finished begins with the last ChangeCipherSpec. */
    private static HandmadeTls handmade(final int form, final List<Step> steps)
    {
        final int last = steps.lastIndexOf(Step.CHANGE_CIPHER_SPEC);
        final int index = last < 0 ? steps.size() : last;
        final HandmadeTls tls = new HandmadeTls(
            List.copyOf(steps.subList(0, index)), List.copyOf(steps.subList(index, steps.size())))
            .recordLength(RECORD_LENGTHS[form]);
        return form == 1 ? tls.merged() : tls;
    }

    @ParameterizedTest
    @EnumSource(value = TlsProviderType.class, names = {"JDK", "BORINGSSL"})
    void shouldNotBelieveAServerWhoseMessagesAreMissingRepeatedOrInAnotherOrder(final TlsProviderType type)
        throws Throwable
    {
        final List<List<Step>> scripts = new ArrayList<>();
        for (int i = 0; i < right().size(); i++)
        {
            scripts.add(right());
            scripts.get(scripts.size() - 1).remove(i);
            if (i < right().size() - 1)
            {
                scripts.add(right());
                scripts.get(scripts.size() - 1).add(i, right().get(i));
            }
            for (int k = i + 1; k < right().size(); k++)
            {
                scripts.add(right());
                Collections.swap(scripts.get(scripts.size() - 1), i, k);
            }
        }
        attack(type, scripts);
    }

    private void attack(final TlsProviderType type, final List<List<Step>> scripts) throws Throwable
    {
        for (int i = 0; i < scripts.size() * RECORD_LENGTHS.length; i++)
        {
            final int form = i % RECORD_LENGTHS.length;
            final List<Step> steps = scripts.get(i / RECORD_LENGTHS.length);
            try
            {
                SizedThread.run(SizedThread.LARGE_STACK, () -> attack(engines(type), handmade(form, steps)));
            }
            catch (final AssertionError ex)
            {
                throw new AssertionError("script " + i / RECORD_LENGTHS.length + ", form " + form, ex);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(value = TlsProviderType.class, names = {"JDK", "BORINGSSL"})
    void shouldNotBelieveAServerWhoseMessagesAreWrong(final TlsProviderType type) throws Throwable
    {
        final byte[] cut = new byte[100];
        System.arraycopy(certificate, 0, cut, 0, cut.length);
        final List<List<Step>> scripts = new ArrayList<>();
        for (final Step step : List.of(Step.UNSIGNED_KEY_EXCHANGE, Step.keyExchange(), Step.keyExchange(new byte[70]),
            Step.keyExchange(new CertificateAuthority("other").issue("other", HOST).key()),
            Step.handshake(12, (tls) -> new byte[0]), Step.handshake(12, (tls) -> new byte[] {3, 0, 23, 65, 4})))
        {
            scripts.add(right());
            scripts.get(scripts.size() - 1).set(2, step);
        }
        for (final Step step : List.of(Step.certificate(), Step.certificate(new byte[0]), Step.certificate(cut),
            Step.certificate(new byte[1_000]), Step.handshake(11, (tls) -> new byte[0]),
            Step.handshake(11, (tls) -> new byte[] {0, 1, 0}), Step.CERTIFICATE_REQUEST,
            new Step(Step.HANDSHAKE_TYPE, (tls) -> new byte[] {11, -1, -1, -1}),
            new Step(Step.ALERT_TYPE, (tls) -> new byte[] {2, 40}), new Step(Step.ALERT_TYPE, (tls) -> new byte[] {1}),
            new Step(Step.DATA_TYPE, (tls) -> new byte[10]), new Step(99, (tls) -> new byte[10])))
        {
            scripts.add(right());
            scripts.get(scripts.size() - 1).set(1, step);
        }
        scripts.add(right());
        scripts.get(scripts.size() - 1).set(5, Step.handshake(20, (tls) -> new byte[12]));
        attack(type, scripts);
    }

    private EngineTls tls13(final Identity served)
    {
        return new EngineTls(EngineTls.context(served, null), "TLSv1.3").recordLength(SHORT_RECORD_LENGTH);
    }

    /** Most changes end the connection. After the others the client has what the server has sent, which has the key. */
    @ParameterizedTest
    @EnumSource(value = TlsProviderType.class, names = {"JDK", "BORINGSSL"})
    void shouldNotBelieveAServerOfTls13WhoseRecordsAreChanged(final TlsProviderType type) throws Throwable
    {
        final List<byte[]> sent = new ArrayList<>();
        final ServerPeer right = new ServerPeer(new ChangedTls(tls13(identity), (records) ->
        {
            sent.addAll(records);
            return records;
        }));
        final TlsSocket first = new TlsSocket(right, engines(type), budget, counters);
        assertTrue(connect(first, right));
        first.close();
        assertTrue(sent.size() > 4, () -> sent.size() + " records");
        counters.add(ClientCounters.TLS_HANDSHAKES, -1);
        int refused = 0;
        for (final RecordChanges.Change change : RecordChanges.of(sent.size()))
        {
            refused += isRefused(type, change) ? 1 : 0;
        }
        assertTrue(refused > sent.size() * sent.size(), refused + " of " + sent.size() + " records");
    }

    /** Returns whether the client was attacked, and has failed. */
    private boolean isRefused(final TlsProviderType type, final RecordChanges.Change change) throws Throwable
    {
        final boolean[] isHarmless = new boolean[1];
        final ChangedTls server = new ChangedTls(tls13(identity), (records) ->
        {
            final List<byte[]> changed = change.apply(records);
            isHarmless[0] = RecordChanges.isHarmless(records, changed);
            return changed;
        });
        try
        {
            SizedThread.run(SizedThread.LARGE_STACK, () -> attack(engines(type), server));
            return true;
        }
        catch (final AssertionError ex)
        {
            if (isHarmless[0] && CONNECTED.equals(ex.getMessage()))
            {
                counters.add(ClientCounters.TLS_HANDSHAKES, -counters.get(ClientCounters.TLS_HANDSHAKES));
                counters.add(ClientCounters.TLS_FAILURES, -counters.get(ClientCounters.TLS_FAILURES));
                return false;
            }
            throw new AssertionError(change.toString(), ex);
        }
    }

    @ParameterizedTest
    @EnumSource(value = TlsProviderType.class, names = {"JDK", "BORINGSSL"})
    void shouldNotBelieveAServerOfTls13WithoutTheKeyOfItsCertificate(final TlsProviderType type) throws Throwable
    {
        final Identity other = new CertificateAuthority("other").issue("other", HOST);
        for (final Identity served : List.of(new Identity(other.key(), identity.chain()), other))
        {
            SizedThread.run(SizedThread.LARGE_STACK, () -> attack(engines(type), tls13(served)));
        }
        final SSLContext withoutCertificate = SSLContext.getInstance("TLS");
        withoutCertificate.init(new KeyManager[0], null, null);
        SizedThread.run(SizedThread.LARGE_STACK,
            () -> attack(engines(type), new EngineTls(withoutCertificate, "TLSv1.3")));
    }
}
