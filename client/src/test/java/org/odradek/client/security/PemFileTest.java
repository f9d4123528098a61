// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.security;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.odradek.testkit.internal.CertificateAuthority;
import org.odradek.testkit.internal.Identity;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** What is overwritten and refused when certificates are read, and stores without a file or a password. */
class PemFileTest
{
    private static final Identity CLIENT = new CertificateAuthority("test CA").issue("client");

    private static byte[] bytes(final String text)
    {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    @Test
    void shouldOverwriteTheContentOfTheFile() throws Exception
    {
        final byte[] content = bytes(CLIENT.chainPem() + CLIENT.keyPem());
        final PemFile pem = PemFile.of(content);
        assertArrayEquals(new byte[content.length], content);
        assertEquals(CLIENT.key(), pem.privateKey(null));
        // What it was read from is overwritten, too.
        assertThrows(Exception.class, () -> pem.privateKey(null));
    }

    @Test
    void shouldOverwriteTheContentOfAFileThatItRefuses()
    {
        final byte[] content = bytes("-----BEGIN PRIVATE KEY-----\nAAAA");
        assertThrows(IOException.class, () -> PemFile.of(content));
        assertArrayEquals(new byte[content.length], content);
    }

    @ParameterizedTest
    @ValueSource(strings = {"-----BEGIN ", "-----BEGIN CERTIFICATE", "-----BEGIN CERTIFICATE-----\nAAAA",
        "-----BEGIN CERTIFICATE-----\nAAAA\n-----END"})
    void shouldRefuseABlockThatDoesNotEnd(final String text)
    {
        assertEquals("a PEM block has no END line",
            assertThrows(IOException.class, () -> PemFile.of(bytes(text))).getMessage());
    }

    @Test
    void shouldRecognizePemByAnyBlock()
    {
        assertTrue(PemFile.isPem(bytes("-----BEGIN ")));
        assertFalse(PemFile.isPem(bytes("-----BEGIN")));
        assertFalse(PemFile.isPem(new byte[0]));
        assertFalse(PemFile.isPem(null));
    }

    @Test
    void shouldTakeStoresWithoutAFileOrAPassword()
    {
        assertEquals(0, CertificateStore.pem(CLIENT.chainPem()).stamp());
        assertThrows(IllegalArgumentException.class, () -> CertificateStore.file(null));
        final CertificateStore store = CertificateStore.pem(CLIENT.keyPem().toCharArray(), CLIENT.chainPem())
            .password(null).keyPassword(null);
        assertEquals(CLIENT.key(), TlsSettings.trustOfJvm().key(store).load().privateKey());
        assertEquals(0, store.secret().length);
        assertArrayEquals(new char[] {'a'}, store.password(new char[] {'a'}).secret());
        assertArrayEquals(new char[] {'b'}, store.keyPassword(new char[] {'b'}).secret());
    }

    /** The JDK would trust no certificate, and would report that only when it connects. */
    @Test
    void shouldRefuseAStoreThatTrustsNobody(@TempDir final Path folder) throws Exception
    {
        final KeyStore empty = KeyStore.getInstance("PKCS12");
        empty.load(null, null);
        final Path file = folder.resolve("empty.p12");
        try (OutputStream stream = Files.newOutputStream(file))
        {
            empty.store(stream, new char[] {'p'});
        }
        final TlsSettings settings = TlsSettings.trust(file, new char[] {'p'});
        final IllegalArgumentException refusal = assertThrows(IllegalArgumentException.class, settings::load);
        assertTrue(refusal.getMessage().contains("it holds no certificate"), refusal::getMessage);
    }

    /** As of a token: the JDK loads it from nothing. */
    @Test
    void shouldLoadAStoreOfTheJdkWithoutAFile()
    {
        final TlsSettings settings = TlsSettings.trust(CertificateStore.ofType("PKCS12"));
        final IllegalArgumentException refusal = assertThrows(IllegalArgumentException.class, settings::load);
        assertTrue(refusal.getMessage().contains("PKCS12 is not usable: it holds no certificate"),
            refusal::getMessage);
    }
}
