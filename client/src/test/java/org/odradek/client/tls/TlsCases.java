// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.tls;

import java.security.Security;
import java.util.ArrayList;
import java.util.List;

/**
 * The rows of the matrix of TLS.
 */
final class TlsCases
{
    private static final String TLS_1_2 = "-tls1_2";
    private static final String TLS_1_3 = "-tls1_3";
    private static final String ANY_STRENGTH = " -cipher DEFAULT:@SECLEVEL=0";
    private static final String HANDSHAKE_FAILURE = "alert handshake_failure";
    private static final String PROTOCOL_VERSION = "alert protocol_version";
    private static final String WRONG_NAME = "the certificate is not for host";
    private static final String OTHER_REASON = "BoringSSL accepts the key of its certificate";
    private static final String NO_CA = "no trusted CA has issued the certificate";
    private static final String NO_SUCH_CONSTRAINT = "basic constraints check failed";
    private static final String NO_SIGNING = "CA key usage check failed: keyCertSign bit is not set";

    private final List<TlsCase> cases = new ArrayList<>();
    private final boolean isNewest = Runtime.version().feature() >= 25;
    private final String disabled = Security.getProperty("jdk.tls.disabledAlgorithms");
    private String section;

    static List<TlsCase> all()
    {
        final TlsCases all = new TlsCases();
        all.names();
        all.wildcards();
        all.addresses();
        all.trust();
        all.chains();
        all.usages();
        all.keys();
        all.signatures();
        all.protocols();
        all.suites();
        all.curves();
        all.clients();
        return all.cases;
    }

    private TlsCase add(final String name, final String certificate, final String options)
    {
        final TlsCase added = new TlsCase(section, name, certificate, options);
        cases.add(added);
        return added;
    }

    private TlsCase add(final String name, final String certificate)
    {
        return add(name, certificate, "");
    }

    private void names()
    {
        section = "Names";
        add("the name of the host", "good").accepted();
        add("the name in upper case", "good").host("BROKER.Example").accepted();
        add("one of several names", "several").accepted();
        add("another name", "good").host("elsewhere.example").refused(WRONG_NAME);
        add("another name, with verifyHost(false)", "good").host("elsewhere.example")
            .settings((tls) -> tls.verifyHost(false)).accepted();
        add("no alternative name, the common name is the host", "cn").accepted();
        add("no alternative name, another common name", "cn").host("elsewhere.example").refused(WRONG_NAME);
        add("another alternative name, the common name is the host", "cn-and-name").refused(WRONG_NAME);
        add("an address as alternative name, the common name is the host", "cn-and-address").accepted();
    }

    private void wildcards()
    {
        final String host = "b1.kafka.example";
        section = "Wildcards of a private CA";
        add("*.kafka.example for b1.kafka.example", "wildcard").host(host).accepted();
        add("*.kafka.example for a.b1.kafka.example", "wildcard").host("a.b1.kafka.example").refused(WRONG_NAME);
        add("*.kafka.example for kafka.example", "wildcard").host("kafka.example").refused(WRONG_NAME);
        add("*.kafka.example as the common name, for b1.kafka.example", "cn-wildcard").host(host).accepted();
        add("b*.kafka.example for b1.kafka.example", "wildcard-part").host(host).accepted();
        add("b*.kafka.example for c1.kafka.example", "wildcard-part").host("c1.kafka.example").refused(WRONG_NAME);
        add("b1.*.example for b1.kafka.example", "wildcard-inside").host(host).differentByJdk()
            .refused(isNewest ? WRONG_NAME : null);
        add("*.*.example for b1.kafka.example", "wildcard-twice").host(host).differentByJdk()
            .refused(isNewest ? WRONG_NAME : null);
        add("*.example for broker.example", "wildcard-top").accepted();
        add("* for broker.example", "wildcard-all").refused(WRONG_NAME);
        add("* for localhost", "wildcard-all").host("localhost").refused(WRONG_NAME);
    }

    private void addresses()
    {
        section = "Addresses";
        add("the IPv4 address", "address").host("10.1.2.3").accepted();
        add("the IPv6 address", "address").host("2001:db8::5").accepted();
        add("another IPv4 address", "address").host("10.1.2.4").refused(WRONG_NAME);
        add("another IPv6 address", "address").host("2001:db8::6").refused(WRONG_NAME);
        add("addresses, for a name", "address").refused(WRONG_NAME);
        add("a name, for an address", "good").host("10.1.2.3").refused(WRONG_NAME);
        add("the address written as a name", "address-as-name").host("10.1.2.3").refused(WRONG_NAME);
        add("the address as the common name", "cn-address").host("10.1.2.3").refused(WRONG_NAME);
    }

    private void trust()
    {
        section = "Trust and dates";
        add("of another CA", "of-other").refused(NO_CA);
        add("of another CA with the name of the trusted one", "of-same-name").refused(NO_CA);
        add("self-signed", "self").refused(NO_CA);
        add("self-signed, and trusted itself", "self").trust("self").accepted();
        add("self-signed, and trusted itself, another name", "self").trust("self").host("elsewhere.example")
            .refused(WRONG_NAME);
        add("trusted itself, not its CA", "good").trust("good").accepted();
        add("expired", "expired").refused("expired at 2021-01-01T00:00:00Z");
        add("not valid yet", "early").refused("valid only from 2098-01-01T00:00:00Z");
        add("of an intermediate CA that has expired", "of-late-ca").refused("expired at 2021-01-01T00:00:00Z");
        add("of a trusted CA that has expired", "of-late-ca").trust("late-ca").accepted();
    }

    private void chains()
    {
        section = "Chains";
        add("the intermediate CA is sent", "of-intermediate").accepted();
        add("the intermediate CA is not sent", "alone").refused(NO_CA);
        add("the intermediate CA is sent last, after others", "unordered").accepted();
        add("only the intermediate CA is trusted", "of-intermediate").trust("intermediate").accepted();
        add("an intermediate with CA:FALSE", "of-no-ca").refused(NO_SIGNING);
        add("an intermediate without basic constraints", "of-no-constraints").refused(NO_SUCH_CONSTRAINT);
        add("an intermediate CA that may not sign", "of-no-signing").refused(NO_SIGNING);
        add("an intermediate CA for clients only", "of-clients-only").accepted();
        add("longer than the path length that a CA allows", "of-too-long").refused("pathLenConstraint violated");
        add("a name that the intermediate CA may certify", "inside").host("b1.inside.example").accepted();
        add("a name outside of what the CA may certify", "of-permitting").refused("name constraints check failed");
        add("a name that the CA must not certify", "of-excluding").refused("name constraints check failed");
    }

    private void usages()
    {
        section = "Usages and extensions";
        add("no extended key usage", "usage-none").accepted();
        add("any extended key usage", "usage-any").accepted();
        add("for clients only", "usage-client").refused("does not permit use for TLS server authentication");
        add("a key for encryption only, TLS 1.2", "usage-encrypt", TLS_1_2).refused(HANDSHAKE_FAILURE);
        add("a key for encryption only, TLS 1.3", "usage-encrypt", TLS_1_3).refused("KEY_USAGE_BIT_INCORRECT")
            .byJdk("KeyUsage does not allow digital signatures");
        add("an unknown critical extension", "unknown-extension").refused("unrecognized critical extension(s)");
    }

    private void keys()
    {
        for (final String version : List.of(TLS_1_2, TLS_1_3))
        {
            final String options = version + ANY_STRENGTH;
            section = "Keys, " + name(version);
            add("RSA, 2048 bits" + in(version), "rsa", options).accepted();
            add("RSA, 1024 bits" + in(version), "rsa-1024", options).accepted();
            add("RSA, 768 bits" + in(version), "rsa-768", options).refused("RSA 768 bit key used with certificate");
            add("RSASSA-PSS" + in(version), "rsa-pss", options).notByBoringSsl(null, null);
            add("P-256" + in(version), "good", options).accepted();
            add("P-384" + in(version), "p384", options).accepted();
            add("P-521" + in(version), "p521", options).notByBoringSsl(null, null);
            add("Ed25519" + in(version), "ed25519", options).notByBoringSsl(null, null);
            add("Ed25519 of another CA" + in(version), "ed25519-of-other", options).notByBoringSsl(NO_CA, NO_CA);
            add("Ed25519 for another name" + in(version), "ed25519-elsewhere", options)
                .notByBoringSsl(WRONG_NAME, WRONG_NAME);
            add("Ed448" + in(version), "ed448", options).notByBoringSsl(null, null);
        }
        // OpenSSL has no signature for it in TLS 1.3.
        add("secp256k1", "secp256k1", TLS_1_2).refused(HANDSHAKE_FAILURE);
    }

    private static String name(final String version)
    {
        return version.equals(TLS_1_2) ? "TLS 1.2" : "TLS 1.3";
    }

    private static String in(final String version)
    {
        return ", " + name(version);
    }

    private void signatures()
    {
        final String sha1ByJdk = disabled.contains("rsa_pkcs1_sha1") ? HANDSHAKE_FAILURE : null;
        section = "Signatures";
        add("a certificate signed with SHA-1", "sha1", TLS_1_3 + ANY_STRENGTH)
            .refused("signature algorithm: SHA1withECDSA").byJdk(null);
        add("a certificate signed with SHA-512", "sha512").accepted();
        add("a TLS 1.2 handshake signed with RSA and SHA-1", "rsa", TLS_1_2 + ANY_STRENGTH + " -sigalgs RSA+SHA1")
            .differentByJdk()
            .refused(sha1ByJdk == null ? null : "the broker signed the handshake with rsa_pkcs1_sha1")
            .byJdk(sha1ByJdk);
        add("a TLS 1.2 handshake signed with ECDSA and SHA-1", "good", TLS_1_2 + ANY_STRENGTH + " -sigalgs ECDSA+SHA1")
            .differentByJdk()
            .notByBoringSsl(sha1ByJdk == null ? OTHER_REASON : HANDSHAKE_FAILURE, sha1ByJdk);
        add("a TLS 1.2 handshake signed with RSA and SHA-512", "rsa", TLS_1_2 + " -sigalgs RSA+SHA512").accepted();
    }

    private void protocols()
    {
        section = "Versions";
        add("TLS 1.3 only", "good", TLS_1_3).accepted();
        add("TLS 1.2 only", "good", TLS_1_2).accepted();
        add("TLS 1.1 only", "good", "-tls1_1" + ANY_STRENGTH).refused(PROTOCOL_VERSION);
        add("TLS 1.0 only", "good", "-tls1" + ANY_STRENGTH).refused(PROTOCOL_VERSION);
        add("TLS 1.2 only, for a client of TLS 1.3", "good", TLS_1_2)
            .settings((tls) -> tls.protocols("TLSv1.3")).refused(PROTOCOL_VERSION);
        add("TLS 1.3 only, for a client of TLS 1.2", "good", TLS_1_3)
            .settings((tls) -> tls.protocols("TLSv1.2")).refused(PROTOCOL_VERSION);
    }

    private void suites()
    {
        section = "Cipher suites";
        for (final String suite : List.of(
            "TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384", "TLS_CHACHA20_POLY1305_SHA256"))
        {
            add(suite, "good", TLS_1_3 + " -ciphersuites " + suite).accepted();
        }
        suite("ECDHE-RSA-AES128-GCM-SHA256").accepted();
        suite("ECDHE-RSA-AES256-GCM-SHA384").accepted();
        suite("ECDHE-RSA-CHACHA20-POLY1305").accepted();
        for (final String suite : List.of(
            "ECDHE-RSA-AES128-SHA", "ECDHE-RSA-AES256-SHA384", "DHE-RSA-AES128-GCM-SHA256"))
        {
            suite(suite).notByBoringSsl(HANDSHAKE_FAILURE, null);
        }
        for (final String suite : List.of("AES128-GCM-SHA256", "AES128-SHA"))
        {
            suite(suite).differentByJdk().notByBoringSsl(
                HANDSHAKE_FAILURE, disabled.contains("TLS_RSA_*") ? HANDSHAKE_FAILURE : null);
        }
        for (final String suite : List.of("DES-CBC3-SHA", "RC4-SHA", "NULL-SHA256", "ECDHE-RSA-NULL-SHA",
            "ADH-AES128-GCM-SHA256", "AECDH-AES128-SHA"))
        {
            suite(suite).refused(HANDSHAKE_FAILURE);
        }
    }

    private TlsCase suite(final String suite)
    {
        return add(suite, "rsa", TLS_1_2 + " -cipher " + suite + ":@SECLEVEL=0");
    }

    private void curves()
    {
        section = "Key exchange";
        for (final String curve : List.of("X25519", "P-256", "P-384"))
        {
            add(curve + " only", "good", "-groups " + curve).accepted();
        }
        // Without ffdhe2048: the JDK's TLS 1.3 drops leading zeros of its secret and fails one of 256 handshakes.
        for (final String curve : List.of("P-521", "X448"))
        {
            add(curve + " only", "good", "-groups " + curve).notByBoringSsl(OTHER_REASON, null);
        }
    }

    private void clients()
    {
        for (final String version : List.of(TLS_1_2, TLS_1_3))
        {
            final String options = version + " -CAfile ca.pem -verify_return_error ";
            final boolean isNewer = version.equals(TLS_1_3);
            final String none = isNewer ? "alert certificate_required" : HANDSHAKE_FAILURE;
            section = "Client certificates, " + name(version);
            add("required, a good one" + in(version), "good", options + "-Verify 2").key("client").accepted();
            add("required, none" + in(version), "good", options + "-Verify 2").refused(none);
            // The JDK sends no certificate that the server does not want.
            add("required, one of another CA" + in(version), "good", options + "-Verify 2").key("client-of-other")
                .refused("alert unknown_ca").byJdk(none);
            add("required, an expired one" + in(version), "good", options + "-Verify 2").key("client-expired")
                .refused("alert certificate_expired");
            add("requested, a good one" + in(version), "good", options + "-verify 2").key("client").accepted();
            add("requested, none" + in(version), "good", options + "-verify 2").accepted();
        }
    }
}
