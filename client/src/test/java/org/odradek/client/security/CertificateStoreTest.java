// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.security;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.odradek.client.core.TlsMaterial;
import org.odradek.testkit.internal.CertificateAuthority;
import org.odradek.testkit.internal.Identity;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.security.KeyPairGenerator;
import java.security.KeyStore;
import java.security.Security;
import java.security.cert.Certificate;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/**
 * Reads stores of each kind, and asks for one sentence about each that cannot be read.
 */
class CertificateStoreTest
{
    private static final String CANARY = "canary-9f3a";
    private static final String SUITE = "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384";
    private static final String TRUST_ALGORITHM = "ssl.TrustManagerFactory.algorithm";
    private static final CertificateAuthority AUTHORITY = new CertificateAuthority("test CA");
    private static final Identity CLIENT = AUTHORITY.issue("client");

    @TempDir
    private static Path folder;

    private static char[] secret()
    {
        return CANARY.toCharArray();
    }

    private static Path write(final String name, final String text)
    {
        try
        {
            return Files.writeString(folder.resolve(name), text);
        }
        catch (final IOException ex)
        {
            throw new IllegalStateException(ex);
        }
    }

    static Stream<Arguments> keys()
    {
        return Stream.of(
            arguments("PKCS12", CertificateStore.file(CLIENT.writePkcs12(folder.resolve("c.p12"), CANARY))
                .password(secret())),
            arguments("JKS", CertificateStore.file(CLIENT.writeStore(folder.resolve("c.jks"), "JKS", CANARY))
                .password(secret())),
            arguments("JKS by name", CertificateStore.file(folder.resolve("c.jks")).type("JKS").password(secret())),
            arguments("PEM file", CertificateStore.file(CLIENT.writePem(folder.resolve("c.pem")))),
            arguments("PEM file by name", CertificateStore.file(folder.resolve("c.pem")).type("PEM")),
            arguments("PEM text", CertificateStore.pem(CLIENT.keyPem().toCharArray(), CLIENT.chainPem())),
            arguments("encrypted with PBES2", CertificateStore.file(write("e2.pem",
                CLIENT.keyPem(false, CANARY) + CLIENT.chainPem())).keyPassword(secret())),
            arguments("encrypted with PBES1", CertificateStore.pem(
                CLIENT.keyPem(true, CANARY).toCharArray(), CLIENT.chainPem())
                .keyPassword(secret())),
            arguments("with comments", CertificateStore.file(write("comments.pem",
                "# the client\r\n" + (CLIENT.chainPem() + "Bag Attributes: none\n" + CLIENT.keyPem())
                    .replace("\n", "\r\n")))));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("keys")
    void shouldReadAKeyAndItsChain(final String kind, final CertificateStore store)
    {
        final TlsMaterial material = TlsSettings.trustOfJvm().key(store).load();

        assertEquals(CLIENT.key(), material.privateKey());
        assertArrayEquals(CLIENT.chain().toArray(), material.chain());
        assertEquals(CLIENT.key(), material.keyManager().getPrivateKey(
            material.keyManager().chooseClientAlias(new String[]{"EC"}, null, null)));
        assertTrue(material.trustManager().getAcceptedIssuers().length > 10, "the JVM's own are trusted");
    }

    @ParameterizedTest
    @CsvSource({"RSA, 2048", "EdDSA, 255", "EC, 384"})
    void shouldReadKeysOfEachAlgorithm(final String algorithm, final int bits) throws Exception
    {
        final KeyPairGenerator generator = KeyPairGenerator.getInstance(algorithm);
        generator.initialize(bits);
        final Identity identity = AUTHORITY.issue(
            "client", generator.generateKeyPair(), Instant.now(), Instant.now().plusSeconds(60));

        assertEquals(identity.key(), TlsSettings.trustOfJvm()
            .key(CertificateStore.pem(identity.keyPem().toCharArray(), identity.chainPem())).load().privateKey());
    }

    static Stream<Arguments> trusts()
    {
        return Stream.of(
            arguments("PEM", TlsSettings.trust(AUTHORITY.writePem(folder.resolve("ca.pem")))),
            arguments("PEM text",
                TlsSettings.trust(CertificateStore.pem(CLIENT.chainPem().substring(CLIENT.chainPem().lastIndexOf(
                "-----BEGIN"))))),
            arguments("PKCS12", TlsSettings.trust(AUTHORITY.writePkcs12(folder.resolve("ca.p12"), CANARY), secret())));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("trusts")
    void shouldTrustWhatTheStoreHoldsOnly(final String kind, final TlsSettings settings)
    {
        final TlsMaterial material = settings.load();

        assertEquals(List.of(AUTHORITY.certificate()), List.of(material.trustManager().getAcceptedIssuers()));
        assertNull(material.privateKey());
        assertNull(material.keyManager());
        assertNull(material.chain());
    }

    @Test
    void shouldLeaveTheChoiceOfSeveralKeysToTheJdk() throws Exception
    {
        final KeyStore two = KeyStore.getInstance("PKCS12");
        two.load(null, null);
        for (final String alias : List.of("a", "b"))
        {
            two.setKeyEntry(
                alias, CLIENT.key(), secret(), CLIENT.chain().toArray(new Certificate[0]));
        }
        try (OutputStream out = Files.newOutputStream(folder.resolve("two.p12")))
        {
            two.store(out, secret());
        }

        final TlsMaterial material = TlsSettings.trustOfJvm()
            .key(CertificateStore.file(folder.resolve("two.p12")).password(secret())).load();

        assertNull(material.privateKey());
        assertNull(material.chain());
        assertEquals(2, material.keyManager().getClientAliases("EC", null).length);
    }

    static Stream<Arguments> wrongStores()
    {
        final String key = CLIENT.keyPem();
        final String chain = CLIENT.chainPem();
        return Stream.of(
            arguments(CertificateStore.file(folder.resolve("missing.p12")), "it cannot be read: NoSuchFileException"),
            arguments(CertificateStore.file(write("empty", "")), "it cannot be read"),
            arguments(CertificateStore.file(write("garbage", "\1\2garbage")), "it cannot be read"),
            arguments(CertificateStore.file(CLIENT.writePkcs12(folder.resolve("p.p12"), "right")).password(secret()),
                "its password is wrong"),
            arguments(CertificateStore.file(CLIENT.writePem(folder.resolve("p.pem"))).password(secret()),
                "a PEM store has no password"),
            arguments(CertificateStore.pem(chain), "it holds no private key"),
            arguments(CertificateStore.file(AUTHORITY.writePkcs12(folder.resolve("t.p12"), CANARY)).password(secret()),
                "it holds no private key"),
            arguments(CertificateStore.file(
                CLIENT.writePkcs12WithoutCertificate(folder.resolve("k.p12"), CANARY)).password(secret()),
                "its key key has no certificate"),
            arguments(CertificateStore.file(CLIENT.writePkcs12(folder.resolve("none.p12"), "right")),
                "its key key has no certificate, or it needs a password, and none is set"),
            arguments(CertificateStore.pem(AUTHORITY.issue("client").keyPem().toCharArray(), chain),
                "its key does not belong to its first certificate"),
            arguments(CertificateStore.pem(new Identity(CertificateAuthority.keyPair("Ed25519").getPrivate(),
                CLIENT.chain()).keyPem().toCharArray(), chain), "its key does not belong to its first certificate"),
            arguments(CertificateStore.pem(key.toCharArray(), ""), "it holds no certificate"),
            arguments(CertificateStore.file(write("two.pem", key + key + chain)), "more than one private key"),
            arguments(CertificateStore.pem(key.replace("PRIVATE", "EC PRIVATE").toCharArray(), chain),
                "convert it with openssl pkcs8 -topk8"),
            arguments(CertificateStore.pem(key.replace("PRIVATE", "EC PRIVATE").replaceFirst("\n",
                "\nProc-Type: 4,ENCRYPTED\n=\n").toCharArray(), chain), "convert it with openssl pkcs8 -topk8"),
            arguments(CertificateStore.pem(key.substring(0, key.length() / 2).toCharArray(), chain),
                "a PEM block has no END line"),
            arguments(CertificateStore.pem(key.replace("\n", "\n=====").toCharArray(), chain),
                "a PEM block is not Base64"),
            arguments(CertificateStore.pem(key.replaceFirst("\nM", "\nA").toCharArray(), chain), "its key is none of"),
            arguments(CertificateStore.pem(
                CLIENT.keyPem(false, "right").toCharArray(), chain),
                "its key is encrypted and no key password is set"),
            arguments(CertificateStore.pem(
                CLIENT.keyPem(false, "right").toCharArray(), chain).keyPassword(secret()),
                "the password of its key is wrong"));
    }

    @ParameterizedTest
    @MethodSource("wrongStores")
    void shouldSayInOneSentenceWhatIsWrong(final CertificateStore store, final String what)
    {
        final IllegalArgumentException error = assertThrows(IllegalArgumentException.class,
            () -> TlsSettings.trustOfJvm().key(store).load());

        assertTrue(error.getMessage().startsWith("certificate store " + store + " is not usable: "),
            error.getMessage());
        assertTrue(error.getMessage().contains(what), error.getMessage());
        assertEquals(-1, error.getMessage().indexOf('\n'), error.getMessage());
        for (Throwable cause = error; cause != null; cause = cause.getCause())
        {
            assertFalse(cause.toString().contains(CANARY), cause.toString());
            assertFalse(cause.toString().contains(CLIENT.keyPem().substring(40, 60)), cause.toString());
        }
    }

    @Test
    void shouldAskForThePasswordOfATrustStore()
    {
        final CertificateStore store = CertificateStore.file(AUTHORITY.writePkcs12(folder.resolve("tp.p12"), CANARY));

        final IllegalArgumentException error =
            assertThrows(IllegalArgumentException.class, TlsSettings.trust(store)::load);

        assertEquals("certificate store " + store + " is not usable: it holds no certificate, or it needs a " +
            "password, and none is set", error.getMessage());
    }

    /** As if the JDK's configuration named an algorithm that no provider has. */
    @Test
    void shouldNameTheTrustStoreThatTheJdkCannotUse()
    {
        final CertificateStore own = CertificateStore.pem(CLIENT.chainPem());
        final String algorithm = Security.getProperty(TRUST_ALGORITHM);
        Security.setProperty(TRUST_ALGORITHM, "none");
        try
        {
            assertUnusable("the JVM's own trust store", TlsSettings.trustOfJvm());
            assertUnusable("certificate store " + own, TlsSettings.trust(own));
        }
        finally
        {
            Security.setProperty(TRUST_ALGORITHM, algorithm);
        }
    }

    private static void assertUnusable(final String store, final TlsSettings settings)
    {
        assertEquals(store + " is not usable: none TrustManagerFactory not available",
            assertThrows(IllegalArgumentException.class, settings::load).getMessage());
    }

    @ParameterizedTest
    @ValueSource(strings = {"c.pem", "ca.pem"})
    void shouldNoticeAFileThatChanged(final String name) throws IOException
    {
        final Path file = write("changing-" + name, "1");
        final TlsSettings settings = TlsSettings.trust(file);
        final long first = settings.stamp();

        assertEquals(first, settings.stamp());
        Files.write(file, "22".getBytes(StandardCharsets.US_ASCII));
        final long longer = settings.stamp();
        Files.setLastModifiedTime(file, FileTime.fromMillis(1));
        final long older = settings.stamp();
        Files.delete(file);

        assertNotEquals(first, longer);
        assertNotEquals(longer, older);
        assertNotEquals(older, settings.stamp());
    }

    @Test
    void shouldForgetItsSecrets()
    {
        final CertificateStore store = CertificateStore.file(CLIENT.writePkcs12(folder.resolve("f.p12"), CANARY))
            .password(secret());
        TlsSettings.trustOfJvm().key(store).load();

        store.clear();

        assertThrows(IllegalArgumentException.class, () -> TlsSettings.trustOfJvm().key(store).load());
        assertFalse(store.toString().contains(CANARY));
    }

    @Test
    void shouldRefuseSettingsThatCannotWork()
    {
        assertRefused("security has SASL and does not say whether with TLS", SecuritySettings.sasl(new Named()));
        assertRefused("protocols is [SSLv3]: each must be one of [TLSv1.3, TLSv1.2]",
            SecuritySettings.tlsOnly(TlsSettings.trustOfJvm().protocols("SSLv3")));
        assertRefused("provider is BORINGSSL and jdkProvider is SunJSSE",
            SecuritySettings.tlsOnly(TlsSettings.trustOfJvm().provider(TlsProviderType.BORINGSSL)
                .jdkProvider("SunJSSE")));
        assertRefused(
            "cipherSuites is [" + SUITE + "] and protocols is [TLSv1.3]: one of the suites must be of TLS 1.3",
            SecuritySettings.tlsOnly(TlsSettings.trustOfJvm().protocols("TLSv1.3").cipherSuites(SUITE)));
        assertRefused(
            "cipherSuites is [TLS_AES_256_GCM_SHA384] and protocols is [TLSv1.2]: one of the suites must be of TLS 1.2",
            SecuritySettings.tlsOnly(
                TlsSettings.trustOfJvm().protocols("TLSv1.2").cipherSuites("TLS_AES_256_GCM_SHA384")));
        assertThrows(IllegalArgumentException.class, () -> TlsSettings.trustOfJvm().allowedHosts("("));
        SecuritySettings.plaintext().check();
        SecuritySettings.tlsOnly(TlsSettings.trustOfJvm().cipherSuites(SUITE)).check();
        SecuritySettings.tlsOnly(TlsSettings.trustOfJvm().protocols("TLSv1.2").cipherSuites(SUITE)).check();
        SecuritySettings.tlsOnly(TlsSettings.trustOfJvm().protocols("TLSv1.3").cipherSuites(SUITE)
            .jdkProvider("SunJSSE")).check();
        SecuritySettings.sasl(new Named()).withoutTls().check();
        SecuritySettings.sasl(new Named()).tls(TlsSettings.trustOfJvm()).check();
    }

    private static void assertRefused(final String start, final SecuritySettings settings)
    {
        final String message = assertThrows(IllegalArgumentException.class, settings::check).getMessage();
        assertTrue(message.startsWith(start), message);
    }

    @Test
    void shouldAllowTheHostsOfThePatternOnly()
    {
        final TlsSettings settings = TlsSettings.trustOfJvm().allowedHosts(".*\\.example\\.com");

        assertTrue(settings.isAllowed("B1.Example.com"));
        assertFalse(settings.isAllowed("b1.example.com.evil.net"));
        assertTrue(TlsSettings.trustOfJvm().isAllowed("anything"));
    }

    /** A mechanism that is only named. */
    private static final class Named implements SaslMechanism
    {
        @Override
        public String name()
        {
            return "NAMED";
        }

        @Override
        public Session begin(final String host)
        {
            throw new UnsupportedOperationException();
        }
    }
}
