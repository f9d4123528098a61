// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.tls;

import org.junit.jupiter.api.Test;
import org.odradek.client.security.CertificateStore;
import org.odradek.client.security.TlsSettings;
import org.odradek.protocol.PrintableText;
import org.odradek.testkit.internal.CertificateAuthority;

import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.cert.CertPathBuilderException;
import java.security.cert.CertificateException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import javax.net.ssl.SSLException;

import static org.junit.jupiter.api.Assertions.assertTrue;

class TlsErrorsTest
{
    /** Clears a terminal, forges a line, and turns the direction of writing. */
    private static final String HOSTILE = "evil\u001b[2J\nforged\u0085\u009b31m\u202e\u2028\u200bend";

    private static void assertPrintable(final Throwable ex)
    {
        assertTrue(PrintableText.isPrintable(ex.getMessage()) && ex.getMessage().contains("evil"), ex::getMessage);
    }

    @Test
    void shouldCleanTheNamesInACertificate()
    {
        final CertificateAuthority authority = new CertificateAuthority("CA " + HOSTILE);
        final Instant now = Instant.now();
        final X509Certificate[] chain = {authority.issue("broker " + HOSTILE).chain().get(0)};
        final X509Certificate[] expired = {authority.issue("broker " + HOSTILE,
            now.minus(Duration.ofDays(2)), now.minus(Duration.ofDays(1))).chain().get(0)};

        assertPrintable(TlsErrors.refused(
            new CertificateException(new CertPathBuilderException("no path")), chain, "host"));
        assertPrintable(TlsErrors.refused(new CertificateException("No name matching host"), chain, "host"));
        assertPrintable(TlsErrors.refused(new CertificateException("flaw " + HOSTILE), chain, "host"));
        assertPrintable(TlsErrors.refused(new CertificateException(
            new CertificateExpiredException("expired")), expired, "host"));
    }

    /** The JDK's exception has this cause, which says nothing about a host. */
    @Test
    void shouldNameAHostThatTlsCannotCheck()
    {
        final X509Certificate[] chain = {new CertificateAuthority("CA").issue("broker").chain().get(0)};
        final String text = TlsErrors.refused(new CertificateException("Illegal given domain name: kafka_1",
            new IllegalArgumentException("Contains non-LDH ASCII characters")), chain, "kafka_1").getMessage();

        assertTrue(text.contains("host kafka_1") && text.contains("not a valid name"), text);
    }

    @Test
    void shouldAdviseAgainstBoringSslIfATicketIsTooLong()
    {
        assertTrue(TlsErrors.failed("error:1:SSL routines::EXCESSIVE_MESSAGE_SIZE", 1).getMessage()
            .endsWith("set the provider JDK, or TLSv1.2"));
    }

    @Test
    void shouldNameTheFilesWhateverIsWrongWithThem()
    {
        final TlsSettings settings =
            TlsSettings.trust(Path.of("ca.pem")).key(CertificateStore.file(Path.of("key.p12")));
        for (final Throwable ex : List.of(new IllegalStateException("strange"), new GeneralSecurityException("strange"),
            new NumberFormatException("strange"), new NullPointerException("strange"),
            new NoClassDefFoundError("strange")))
        {
            final String text = TlsErrors.notReloaded(ex, settings.trust(), settings.key());
            assertTrue(text.contains("ca.pem") && text.contains("key.p12") && text.contains("strange"), text);
        }
        assertTrue(TlsErrors.notReloaded(new IllegalStateException(), null, null)
            .startsWith("they cannot be read from the JVM's own trust store: "));
    }

    @Test
    void shouldCleanWhatTheJdkQuotes()
    {
        assertPrintable(TlsErrors.translated(new SSLException(HOSTILE)));
        assertPrintable(TlsErrors.notTrusted(new IllegalStateException(HOSTILE)));
        assertPrintable(TlsErrors.failed(HOSTILE, 1));
        assertPrintable(TlsErrors.certificateRefused(new IOException(HOSTILE)));
        assertPrintable(TlsErrors.brokenInHandshake(true, new IOException(HOSTILE)));
    }
}
