// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.tls;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.odradek.client.ClientCounters;
import org.odradek.client.ClientListener;
import org.odradek.client.core.CounterWriter;
import org.odradek.client.core.MemoryBudget;
import org.odradek.client.security.CertificateStore;
import org.odradek.client.security.TlsProviderType;
import org.odradek.client.security.TlsSettings;
import org.odradek.client.support.UnlimitedMemory;
import org.odradek.harness.SizedThread;
import org.odradek.harness.tls.NestedCertificate;
import org.odradek.testkit.internal.CertificateAuthority;
import org.odradek.testkit.internal.Identity;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Replaces the files of certificates by bad ones. Connections are made with what was read before, the listener knows
 * why, and the next good file is used.
 */
class CertificateReloadTest
{
    private static final String HOST = "broker.example";
    private static final String PASSWORD = "changeit";

    @TempDir
    private Path folder;

    private final CertificateAuthority authority = new CertificateAuthority("test CA");
    private final Identity server = authority.issue("broker", HOST);
    private final Identity client = authority.issue("client");
    private final CounterWriter counters = new CounterWriter();
    private final MemoryBudget budget = UnlimitedMemory.budget(Long.MAX_VALUE);
    private final List<String> events = new ArrayList<>();
    private Path trust;
    private Path key;
    private TlsEngines engines;
    private long changes;

    @BeforeEach
    void write()
    {
        trust = authority.writePem(folder.resolve("ca.pem"));
        key = client.writePkcs12(folder.resolve("client.p12"), PASSWORD);
    }

    @AfterEach
    void close()
    {
        engines.close();
        assertEquals(0, budget.heldBytes());
    }

    private void open(final TlsProviderType type)
    {
        engines = new TlsEngines(
            TlsSettings.trust(trust).key(CertificateStore.file(key).password(PASSWORD.toCharArray())).provider(type),
            counters, new ClientListener()
            {
                @Override
                public void onCertificatesNotReloaded(final String reason)
                {
                    events.add(reason);
                }
            });
        connect();
    }

    /** A file system may keep no more of the time than the second. */
    private void touch(final Path file) throws IOException
    {
        changes++;
        Files.setLastModifiedTime(file, FileTime.fromMillis(System.currentTimeMillis() + changes * 10_000));
    }

    private void connect()
    {
        final TlsPeer peer = new TlsPeer(server.serverContext(), "TLSv1.3");
        final TlsSocket socket = new TlsSocket(peer, engines, budget, counters);
        try
        {
            boolean isConnected = socket.connect(
                new InetSocketAddress(InetAddress.getByAddress(HOST, new byte[] {127, 0, 0, 1}), 9093));
            for (int i = 0; i < 100 && !isConnected; i++)
            {
                isConnected = socket.finishConnect();
            }
            assertTrue(isConnected);
        }
        catch (final IOException ex)
        {
            throw new AssertionError("the last good certificates are not used", ex);
        }
        finally
        {
            socket.close();
        }
    }

    private void assertKept(final Path changed, final String reason) throws IOException
    {
        final long reloads = counters.get(ClientCounters.TLS_RELOADS);
        final long failures = counters.get(ClientCounters.TLS_RELOADS_FAILED);
        events.clear();
        touch(changed);

        connect();
        connect();

        assertEquals(1, events.size(), events::toString);
        assertTrue(events.get(0).contains(reason), events::toString);
        assertEquals(failures + 1, counters.get(ClientCounters.TLS_RELOADS_FAILED));
        assertEquals(reloads, counters.get(ClientCounters.TLS_RELOADS));
        write();
        touch(changed);

        connect();

        assertEquals(reloads + 1, counters.get(ClientCounters.TLS_RELOADS));
        assertEquals(failures + 1, counters.get(ClientCounters.TLS_RELOADS_FAILED));
    }

    @ParameterizedTest
    @EnumSource(value = TlsProviderType.class, names = {"JDK", "BORINGSSL"})
    void shouldKeepTheLastKeyIfTheNewOneHasNoCertificate(final TlsProviderType type) throws IOException
    {
        open(type);
        client.writePkcs12WithoutCertificate(key, PASSWORD);

        assertKept(key, key + " is not usable: its key key has no certificate");
    }

    @ParameterizedTest
    @EnumSource(value = TlsProviderType.class, names = {"JDK", "BORINGSSL"})
    void shouldKeepTheLastKeyIfTheNewOneBelongsToAnotherCertificate(final TlsProviderType type) throws IOException
    {
        open(type);
        new Identity(authority.issue("client").key(), client.chain()).writePkcs12(key, PASSWORD);

        assertKept(key, key + " is not usable: its key does not belong to its first certificate");
    }

    /** As if the file could not be opened for a moment: neither its time nor its size changes. */
    @ParameterizedTest
    @EnumSource(value = TlsProviderType.class, names = {"JDK", "BORINGSSL"})
    void shouldReadAFileAgainAfterAMinuteAlthoughItHasNotChanged(final TlsProviderType type) throws IOException
    {
        open(type);
        final byte[] whole = Files.readAllBytes(key);
        final byte[] changed = whole.clone();
        changed[whole.length / 2] ^= 1;
        Files.write(key, changed);
        touch(key);
        final FileTime time = Files.getLastModifiedTime(key);
        connect();
        engines.retryNs = System.nanoTime();
        connect();
        assertEquals(1, events.size(), events::toString);
        assertEquals(1, counters.get(ClientCounters.TLS_RELOADS_FAILED));

        Files.write(key, whole);
        Files.setLastModifiedTime(key, time);
        connect();
        assertEquals(0, counters.get(ClientCounters.TLS_RELOADS));
        engines.retryNs = System.nanoTime();
        connect();

        assertEquals(1, counters.get(ClientCounters.TLS_RELOADS));
        assertEquals(1, events.size(), events::toString);
    }

    @ParameterizedTest
    @EnumSource(value = TlsProviderType.class, names = {"JDK", "BORINGSSL"})
    void shouldKeepTheLastKeyWhateverIsWrongWithTheNewOne(final TlsProviderType type) throws IOException
    {
        open(type);
        final byte[] whole = Files.readAllBytes(key);
        final byte[] changed = whole.clone();
        changed[whole.length / 2] ^= 1;
        final List<byte[]> contents = List.of(new byte[0], new byte[100], Arrays.copyOf(whole, whole.length / 2),
            changed, client.chainPem().getBytes(StandardCharsets.US_ASCII),
            client.keyPem().getBytes(StandardCharsets.US_ASCII), Files.readAllBytes(trust));
        for (final byte[] content : contents)
        {
            Files.write(key, content);
            assertKept(key, key + " is not usable");
        }
        client.writePkcs12(key, "other");
        assertKept(key, key + " is not usable: its password is wrong");
    }

    @ParameterizedTest
    @EnumSource(value = TlsProviderType.class, names = {"JDK", "BORINGSSL"})
    void shouldKeepTheLastTrustWhateverIsWrongWithTheNewOne(final TlsProviderType type) throws IOException
    {
        open(type);
        for (final String content : List.of("", "-----BEGIN CERTIFICATE-----\n", client.keyPem(), "\0\0\0",
            authority.pem() + "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"))
        {
            Files.writeString(trust, content);
            assertKept(trust, trust + " is not usable");
        }
    }

    /** A file that overflows the stack is as bad as any other one. */
    @ParameterizedTest
    @EnumSource(value = TlsProviderType.class, names = {"JDK", "BORINGSSL"})
    void shouldKeepTheLastTrustIfTheNewOneOverflowsTheStack(final TlsProviderType type) throws Throwable
    {
        open(type);
        Files.writeString(trust, "-----BEGIN CERTIFICATE-----\n" + Base64.getMimeEncoder().encodeToString(
            NestedCertificate.ofIndefiniteLengths(NestedCertificate.GREATEST_DEPTH)) +
            "\n-----END CERTIFICATE-----\n");

        SizedThread.run(SizedThread.SMALL_STACK, () -> assertKept(trust, "is not usable"));
    }
}
