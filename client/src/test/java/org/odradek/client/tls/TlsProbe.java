// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.tls;

import org.odradek.client.ClientListener;
import org.odradek.client.PolledSocket;
import org.odradek.client.core.CounterWriter;
import org.odradek.client.core.MemoryBudget;
import org.odradek.client.security.TlsProviderType;
import org.odradek.client.security.TlsSettings;
import org.odradek.client.support.UnlimitedMemory;
import org.odradek.testkit.internal.CertificateAuthority;
import org.odradek.testkit.internal.Identity;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Main class of a JVM that connects to servers with a valid and with a revoked certificate, by both providers, and
 * prints what happened, where the native library was loaded from, and what is left of it. The JVM has properties that
 * the JDK reads only once.
 */
public final class TlsProbe
{
    private static final String HOST = "broker.example";

    private TlsProbe()
    {
    }

    /** @param args a folder for certificates. */
    public static void main(final String[] args) throws IOException
    {
        final Path folder = Path.of(args[0]);
        final CertificateAuthority authority = new CertificateAuthority("revoking CA");
        final Path trust = authority.writePem(folder.resolve("ca.pem"));
        final Path list = folder.resolve("revoked.crl");
        authority.writeRevocationList(list);
        final Identity valid = authority.issue("valid", HOST);
        final Identity revoked = authority.issue("revoked", HOST);
        authority.writeRevocationList(list, revoked);
        for (final TlsProviderType provider : new TlsProviderType[]{TlsProviderType.BORINGSSL, TlsProviderType.JDK})
        {
            for (final Identity identity : new Identity[]{valid, revoked})
            {
                System.out.println(provider + ": " + connect(TlsSettings.trust(trust).provider(provider), identity));
            }
        }
        Files.lines(Path.of("/proc/self/maps")).filter((line) -> line.contains("netty_tcnative"))
            .map((line) -> "loaded from " + line.replaceFirst("[^/]*", "")).distinct().forEach(System.out::println);
        final Path temporary = Path.of(System.getProperty("java.io.tmpdir"));
        Files.list(temporary).forEach((file) -> System.out.println("left: " + file));
    }

    private static String connect(final TlsSettings settings, final Identity identity)
    {
        final MemoryBudget budget = UnlimitedMemory.budget(Long.MAX_VALUE);
        final CounterWriter counters = new CounterWriter();
        try (TlsEngines engines = new TlsEngines(settings, counters, ClientListener.NONE);
            PolledSocket socket = new TlsSocket(
                new TlsPeer(identity.serverContext(), "TLSv1.3"), engines, budget, counters))
        {
            boolean isConnected = socket.connect(
                new InetSocketAddress(InetAddress.getByAddress(HOST, new byte[]{127, 0, 0, 1}), 9093));
            for (int i = 0; i < 100 && !isConnected; i++)
            {
                isConnected = socket.finishConnect();
            }
            return isConnected ? "connected" : "not connected";
        }
        catch (final IOException ex)
        {
            return ex.getMessage();
        }
    }
}
