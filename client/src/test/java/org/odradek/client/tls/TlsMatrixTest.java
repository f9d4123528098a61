// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.tls;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.odradek.client.ClientListener;
import org.odradek.client.PolledSocket;
import org.odradek.client.Poller;
import org.odradek.client.TransportType;
import org.odradek.client.core.CounterWriter;
import org.odradek.client.core.MemoryBudget;
import org.odradek.client.net.Pollers;
import org.odradek.client.security.CertificateStore;
import org.odradek.client.security.TlsProviderType;
import org.odradek.client.security.TlsSettings;
import org.odradek.client.support.UnlimitedMemory;

import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.Security;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * Connects both providers to {@code openssl s_server} with all kinds of certificates and settings. Whatever is refused,
 * the server has not received a byte of the application. The outcomes are recorded in docs/results/tls-matrix.md, which
 * {@code -Dodradek.tls.matrix.write=true} writes again for the JDK that runs the test.
 */
@Tag("smoke")
class TlsMatrixTest
{
    private static final Path SCRIPT = Path.of("src/test/resources/org/odradek/client/tls/tls-matrix.sh");
    private static final boolean IS_WRITING = Boolean.getBoolean("odradek.tls.matrix.write");
    private static final boolean IS_RECORDED_JDK = TlsMatrixTable.JDKS.contains(Runtime.version().feature());
    /** Other versions may send other alerts. */
    private static final String RECORDED_OPENSSL = "3.0";
    private static final String SECRET = "a secret of the application\n";
    private static final String ANSWER = "an answer of the server\n";
    private static final String ACCEPTED = "accepted";
    private static final long WAIT_NS = 1_000_000_000L;
    private static final byte[] LOOPBACK = {127, 0, 0, 1};

    @TempDir
    private static Path folder;
    private static String version;
    private static TlsMatrixTable table;

    private final Poller poller = Pollers.open(TransportType.NIO);
    private final CounterWriter counters = new CounterWriter();
    private final MemoryBudget budget = UnlimitedMemory.budget(Long.MAX_VALUE);

    @BeforeAll
    static void issue() throws IOException, InterruptedException
    {
        version = OpenSslServer.version(folder);
        assumeTrue(version != null && version.startsWith("3."), "left out, because openssl 3 is not installed");
        final Path log = folder.resolve("script.log");
        final Process script = new ProcessBuilder("sh", SCRIPT.toAbsolutePath().toString()).directory(folder.toFile())
            .redirectErrorStream(true).redirectOutput(log.toFile()).start();
        assertTrue(script.waitFor(60, TimeUnit.SECONDS), "the script takes too long");
        final String output = Files.readString(log);
        // Some systems forbid weak signatures, which some of the certificates must have.
        assumeTrue(script.exitValue() == 0,
            () -> "left out, because this openssl does not issue the certificates: " + output);
        table = TlsMatrixTable.read();
    }

    @AfterAll
    static void write() throws IOException
    {
        if (IS_WRITING)
        {
            table.write(TlsCases.all());
        }
    }

    @AfterEach
    void close()
    {
        poller.close();
    }

    private static TlsSettings settings(final TlsCase row, final TlsProviderType provider) throws IOException
    {
        final TlsSettings tls = TlsSettings.trust(file(row.trust, ".pem")).provider(provider);
        if (row.key != null)
        {
            tls.key(CertificateStore.pem(
                Files.readString(file(row.key, ".key")).toCharArray(), Files.readString(file(row.key, ".pem"))));
        }
        return row.settings.apply(tls);
    }

    private static Path file(final String name, final String type)
    {
        return folder.resolve(name + type);
    }

    /**
     * Connects as often as is said, each time after the server has refused or served the last connection.
     *
     * @return {@link #ACCEPTED} or the sentence of the failure, of each connection.
     */
    private String[] connect(final TlsCase row, final TlsProviderType provider, final int count) throws IOException
    {
        final String[] outcomes = new String[count];
        try (OpenSslServer server = new OpenSslServer(folder, count, row.certificate, row.options);
            TlsEngines engines = new TlsEngines(settings(row, provider), counters, ClientListener.NONE))
        {
            final int port = server.awaitPort();
            assumeTrue(port != 0, () -> "left out, because this openssl refuses the options " + row.options);
            for (int i = 0; i < count; i++)
            {
                outcomes[i] = connect(row, engines, server, port);
            }
            assertEquals(outcomes[count - 1].equals(ACCEPTED), server.hasReceived(SECRET), server::output);
        }
        return outcomes;
    }

    private String connect(final TlsCase row, final TlsEngines engines, final OpenSslServer server, final int port)
        throws IOException
    {
        final InetSocketAddress address = new InetSocketAddress(InetAddress.getByAddress(row.host, LOOPBACK), port);
        final ByteBuffer secret = ByteBuffer.allocateDirect(SECRET.length()).put(SECRET.getBytes(US_ASCII)).flip();
        try (PolledSocket socket = new TlsSocket(poller.openSocket(0, 0), engines, budget, counters))
        {
            try
            {
                exchange(socket, address, secret, server);
                return ACCEPTED;
            }
            catch (final IOException ex)
            {
                assertThrows(IOException.class, () -> socket.send(secret.rewind()));
                return ex.getMessage();
            }
        }
    }

    private void exchange(
        final PolledSocket socket, final InetSocketAddress address, final ByteBuffer secret, final OpenSslServer server)
        throws IOException
    {
        boolean isConnected = socket.connect(address);
        while (!isConnected)
        {
            poller.await(WAIT_NS);
            isConnected = socket.finishConnect();
        }
        socket.send(secret);
        if (server.awaitReceived(SECRET))
        {
            server.send(ANSWER);
        }
        final ByteBuffer answer = ByteBuffer.allocateDirect(ANSWER.length());
        while (answer.hasRemaining())
        {
            poller.await(WAIT_NS);
            if (socket.receive(answer) == PolledSocket.END_OF_STREAM)
            {
                throw new EOFException("the server has ended the connection");
            }
        }
        assertEquals(ANSWER, US_ASCII.decode(answer.flip()).toString());
    }

    /** The outcome of the second connection if that is made by the JDK, else of the first. */
    private String connectAgain(final TlsCase row, final String byBoringSsl) throws IOException
    {
        if (!byBoringSsl.contains("then set the provider JDK"))
        {
            return byBoringSsl;
        }
        final String[] outcomes = connect(row, TlsProviderType.AUTO, 2);
        assertOutcome("the JDK's TLS makes the next connection to it", outcomes[0]);
        return outcomes[1];
    }

    private static void assertOutcome(final String words, final String outcome)
    {
        assertTrue(words == null ? outcome.equals(ACCEPTED) : outcome.contains(words),
            () -> "expected was " + (words == null ? ACCEPTED : "a sentence with '" + words + "'") + ": " + outcome);
    }

    /** Without the advice that follows an alert or a refusal, and without the time of the run. */
    private static String shortened(final String outcome)
    {
        return outcome.replaceFirst("(alert \\w+).*", "$1").replaceFirst(", and the clock here shows .*", "")
            .replaceFirst(": (add that CA|connect by) .*", "").replace("|", "\\|").replace("*", "\\*");
    }

    private static String theSameAs(final String first, final String outcome)
    {
        final String shortened = shortened(outcome);
        return shortened.equals(first) && !shortened.equals(ACCEPTED) ? "the same" : shortened;
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("org.odradek.client.tls.TlsCases#all")
    void shouldConnectOnlyWhereItIsRight(final TlsCase row) throws IOException
    {
        assumeTrue(IS_RECORDED_JDK || !row.isDifferentByJdk, "left out, because the rules of this JDK are not known");

        final String byBoringSsl = connect(row, TlsProviderType.BORINGSSL, 1)[0];
        final String byAuto = connectAgain(row, byBoringSsl);
        final String byJdk = connect(row, TlsProviderType.JDK, 1)[0];

        assertOutcome(row.byBoringSsl, byBoringSsl);
        assertOutcome(row.byAuto, byAuto);
        assertOutcome(row.byJdk, byJdk);
        final String recorded = table.get(row);
        final String first = shortened(byBoringSsl);
        table.put(row, first, theSameAs(first, byAuto), theSameAs(first, byJdk));
        if (!IS_WRITING && IS_RECORDED_JDK && version.equals(RECORDED_OPENSSL))
        {
            assertEquals(recorded, table.get(row));
        }
    }

    @Test
    void shouldRecordTheseCasesOnly() throws IOException
    {
        assumeTrue(!IS_WRITING);
        assertTrue(TlsMatrixTable.isPageOf(TlsCases.all()));
    }

    /** Older JDKs disable SHA-1 in handshakes only if they are set to. */
    @Test
    void shouldRefuseSha1WhereTheJdkIsSetTo() throws IOException
    {
        final String disabled = Security.getProperty(TlsProvider.DISABLED_ALGORITHMS);
        final TlsCase row = new TlsCase("", "SHA-1", "rsa", "-tls1_2 -cipher DEFAULT:@SECLEVEL=0 -sigalgs RSA+SHA1");
        try
        {
            Security.setProperty(
                TlsProvider.DISABLED_ALGORITHMS, disabled + ", rsa_pkcs1_sha1 usage HandshakeSignature");
            assertOutcome("the broker signed the handshake with rsa_pkcs1_sha1",
                connect(row, TlsProviderType.BORINGSSL, 1)[0]);
        }
        finally
        {
            Security.setProperty(TlsProvider.DISABLED_ALGORITHMS, disabled);
        }
    }

    /** RC4, 3DES, NULL, export suites, and those without authentication, by their numbers. */
    @ParameterizedTest
    @EnumSource(value = TlsProviderType.class, names = {"BORINGSSL", "JDK"})
    void shouldOfferNoBrokenSuite(final TlsProviderType provider) throws IOException
    {
        final Set<Integer> broken = Set.of(0x0001, 0x0002, 0x0003, 0x0004, 0x0005, 0x0006, 0x0008, 0x0009, 0x000A,
            0x0013, 0x0014, 0x0016, 0x0018, 0x001B, 0x0034, 0x003A, 0x003B, 0x006C, 0x006D, 0x00A6, 0x00A7, 0xC001,
            0xC002, 0xC003, 0xC006, 0xC007, 0xC008, 0xC00B, 0xC00C, 0xC00D, 0xC010, 0xC011, 0xC012, 0xC015, 0xC016,
            0xC017, 0xC018, 0xC019);
        final TlsCase row = new TlsCase("", "suites", "good", "");

        final Set<Integer> offered = offeredSuites(row, provider);

        assertTrue(offered.contains(0x1301) && offered.contains(0xC02B), offered::toString);
        offered.retainAll(broken);
        assertEquals(Set.of(), offered);
    }

    private Set<Integer> offeredSuites(final TlsCase row, final TlsProviderType provider) throws IOException
    {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
            TlsEngines engines = new TlsEngines(settings(row, provider), counters, ClientListener.NONE);
            PolledSocket socket = new TlsSocket(poller.openSocket(0, 0), engines, budget, counters))
        {
            boolean isSent = socket.connect((InetSocketAddress)server.getLocalSocketAddress());
            try (Socket peer = server.accept();
                DataInputStream hello = new DataInputStream(peer.getInputStream()))
            {
                while (!isSent)
                {
                    isSent = socket.finishConnect() || hello.available() > 0;
                }
                // The headers of record and message, the version and the random number.
                hello.readNBytes(5 + 4 + 2 + 32);
                hello.readNBytes(hello.readUnsignedByte());
                final Set<Integer> suites = new HashSet<>();
                for (int length = hello.readUnsignedShort(); length > 0; length -= Short.BYTES)
                {
                    suites.add(hello.readUnsignedShort());
                }
                return suites;
            }
        }
    }
}
