// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.tls;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.odradek.client.security.TlsProviderType;
import org.odradek.client.security.TlsSettings;

import java.security.NoSuchAlgorithmException;
import javax.net.ssl.SSLContext;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Checks which provider is chosen, and the reason that the transport gives.
 */
class TlsEnginesTest
{
    private static final String SUITE = "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384";

    private static TlsSettings settings()
    {
        return TlsSettings.trustOfJvm();
    }

    @Test
    void shouldPreferBoringSsl()
    {
        assertEquals("TLS by BoringSSL", TlsEngines.describe(settings()));
        assertEquals("TLS by BoringSSL", TlsEngines.describe(settings().cipherSuites(SUITE)));
    }

    @ParameterizedTest
    @CsvSource({"JDK", "AUTO"})
    void shouldRefuseACipherSuiteThatNoProviderHas(final TlsProviderType provider)
    {
        final TlsSettings misspelt =
            settings().provider(provider).cipherSuites("TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA348");

        final String message =
            assertThrows(IllegalArgumentException.class, () -> TlsEngines.describe(misspelt)).getMessage();

        assertTrue(message.startsWith("The JDK's TLS cannot be used with these settings: ") &&
            message.endsWith("TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA348"), message);
    }

    /** A broker's JDK ends a handshake with any other name. */
    @ParameterizedTest
    @CsvSource({"broker.example, broker.example", "broker.example., broker.example", "Broker-1, Broker-1",
        "kafka_1,", "-broker,", "10.0.0.1,", "::1,", ".,"})
    void shouldSendOnlyANameThatTheHandshakeMayContain(final String host, final String name)
    {
        assertEquals(name, BoringSsl.serverName(host));
    }

    @Test
    void shouldTakeTheJdkWhereBoringSslCannotHonourTheSettings() throws NoSuchAlgorithmException
    {
        assertEquals("TLS by the JDK because the setting says so",
            TlsEngines.describe(settings().provider(TlsProviderType.JDK)));
        assertEquals("TLS by the JDK because BoringSSL cannot choose among the cipher suites of TLS 1.3",
            TlsEngines.describe(settings().cipherSuites("TLS_AES_256_GCM_SHA384", SUITE)));
        assertEquals("TLS by the JDK because cipherSuites names some without forward secrecy, and only the JDK knows " +
            "which of them are disabled",
            TlsEngines.describe(settings().cipherSuites(SUITE, "TLS_RSA_WITH_AES_128_GCM_SHA256")));
        assertEquals("TLS by the JDK because BoringSSL refuses the settings (it does not have the cipher suite " +
            "TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA384)",
            TlsEngines.describe(settings().cipherSuites(SUITE, "TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA384")));
        assertEquals("TLS by the JDK because the security provider SunJSSE is set",
            TlsEngines.describe(settings().jdkProvider("SunJSSE")));
        assertEquals("TLS by the JDK because an SSLContext is given",
            TlsEngines.describe(settings().sslContext(SSLContext.getDefault())));
    }

    @Test
    void shouldRefuseBoringSslThatCannotBeUsed()
    {
        final TlsSettings settings = settings().provider(TlsProviderType.BORINGSSL)
            .cipherSuites("TLS_AES_256_GCM_SHA384");

        assertEquals("The TLS provider BORINGSSL cannot be used because BoringSSL cannot choose among the cipher " +
            "suites of TLS 1.3.",
            assertThrows(IllegalStateException.class, () -> TlsEngines.describe(settings)).getMessage());
    }

    /** The defaults of JDK 17 and 25 are among these. */
    @ParameterizedTest
    @ValueSource(strings = {
        "",
        "SSLv3, TLSv1, TLSv1.1, RC4, DES, MD5withRSA, DH keySize < 1024, EC keySize < 224, 3DES_EDE_CBC, anon, NULL",
        "DTLSv1.0, ECDH, TLS_RSA_*, rsa_pkcs1_sha1 usage HandshakeSignature, dsa_sha1 usage HandshakeSignature",
        "include jdk.disabled.namedCurves"
    })
    void shouldAcceptWhatIsFollowedWithBoringSsl(final String algorithms)
    {
        assertNull(TlsEngines.disabled(algorithms, "secp256k1, sect163k1"));
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "TLSv1.2", "AES", "TLS_AES_128_GCM_SHA256", "RSA keySize < 2048", "EC keySize < 384", "x25519", "ECDHE"
    })
    void shouldNoticeWhatBoringSslOffers(final String algorithm)
    {
        assertEquals("jdk.tls.disabledAlgorithms contains '" + algorithm + "', which only the JDK follows",
            TlsEngines.disabled("SSLv3, " + algorithm + ", NULL", null));
    }

    @ParameterizedTest
    @CsvSource({"x25519, x25519", "secp256r1, secp256r1", "X25519, x25519", "SECP256R1, secp256r1"})
    void shouldNoticeACurveThatBoringSslOffers(final String disabled, final String curve)
    {
        assertEquals("jdk.disabled.namedCurves contains " + curve + ", which only the JDK follows",
            TlsEngines.disabled("SSLv3", "secp256k1, " + disabled));
    }

    @Test
    void shouldNeedLinux()
    {
        assertEquals("this system is Mac OS X, not Linux", TlsEngines.unavailable("Mac OS X"));
        assertNull(TlsEngines.unavailable("Linux"));
    }
}
