// SPDX-License-Identifier: Apache-2.0
package org.odradek.testkit;

import java.io.ByteArrayInputStream;
import java.math.BigInteger;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.Signature;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Issues certificates for tests, within milliseconds and without a file. Keys are of the curve secp256r1 unless given.
 */
public final class CertificateAuthority
{
    private static final AtomicLong SERIALS = new AtomicLong(System.currentTimeMillis());
    private static final byte[] ECDSA_WITH_SHA256 = Der.sequence(Der.oid("1.2.840.10045.4.3.2"));
    private static final byte[] TRUE = Der.value(Der.BOOLEAN, new byte[]{-1});
    private static final String BASIC_CONSTRAINTS = "2.5.29.19";
    private static final String KEY_USAGE = "2.5.29.15";
    private static final String SUBJECT_ALTERNATIVE_NAME = "2.5.29.17";
    private static final String EXTENDED_KEY_USAGE = "2.5.29.37";
    private static final String CRL_DISTRIBUTION_POINTS = "2.5.29.31";
    private static final String SERVER_AUTH = "1.3.6.1.5.5.7.3.1";
    private static final String CLIENT_AUTH = "1.3.6.1.5.5.7.3.2";
    private static final String CURVE = "secp256r1";
    private static final Duration LIFETIME = Duration.ofDays(3650);

    private final String name;
    private final KeyPair keys = keyPair(CURVE);
    private final X509Certificate certificate;
    private Path revocationList;

    /** @param name its common name. */
    public CertificateAuthority(final String name)
    {
        this.name = name;
        final Instant now = Instant.now();
        certificate = sign(name, keys, now.minus(Duration.ofDays(1)), now.plus(LIFETIME), List.of(
            extension(BASIC_CONSTRAINTS, Der.sequence(TRUE)),
            // Certificates and revocation lists may be signed: bits 5 and 6.
            extension(KEY_USAGE, Der.value(Der.BIT_STRING, new byte[]{1, 6}))));
    }

    /** Generates a key pair of a curve such as secp521r1 or Ed25519, by the JDK's name. */
    public static KeyPair keyPair(final String curve)
    {
        final boolean isEdwards = curve.startsWith("Ed");
        try
        {
            final KeyPairGenerator generator = KeyPairGenerator.getInstance(isEdwards ? curve : "EC");
            if (!isEdwards)
            {
                generator.initialize(new ECGenParameterSpec(curve));
            }
            return generator.generateKeyPair();
        }
        catch (final GeneralSecurityException ex)
        {
            throw new IllegalStateException(ex);
        }
    }

    /**
     * Writes a list of revoked certificates. Certificates that are issued after this name the file, so a client that
     * checks reads it.
     */
    public void writeRevocationList(final Path file, final Identity... revoked)
    {
        revocationList = file;
        final Instant now = Instant.now();
        final byte[][] entries = new byte[revoked.length][];
        for (int i = 0; i < revoked.length; i++)
        {
            entries[i] = Der.sequence(Der.integer(revoked[i].chain().get(0).getSerialNumber()), Der.time(now));
        }
        final byte[] content = Der.sequence(
            Der.integer(BigInteger.ONE), ECDSA_WITH_SHA256, distinguishedName(name),
            Der.time(now.minus(Duration.ofDays(1))), Der.time(now.plus(LIFETIME)),
            entries.length == 0 ? new byte[0] : Der.sequence(entries));
        try
        {
            Identity.write(file, signed(content));
        }
        catch (final GeneralSecurityException ex)
        {
            throw new IllegalStateException(ex);
        }
    }

    /** Issues a certificate that is valid from yesterday on for ten years. */
    public Identity issue(final String commonName, final String... hosts)
    {
        final Instant now = Instant.now();
        return issue(commonName, now.minus(Duration.ofDays(1)), now.plus(LIFETIME), hosts);
    }

    /**
     * Issues a certificate, for servers if it names hosts, else for clients.
     *
     * @param hosts names and literal IP addresses.
     */
    public Identity issue(final String commonName, final Instant from, final Instant to, final String... hosts)
    {
        return issue(commonName, keyPair(CURVE), from, to, hosts);
    }

    /** Issues a certificate for a key pair of any algorithm. */
    public Identity issue(
        final String commonName, final KeyPair pair, final Instant from, final Instant to, final String... hosts)
    {
        final List<byte[]> extensions = new ArrayList<>();
        extensions.add(extension(
            EXTENDED_KEY_USAGE, Der.sequence(Der.oid(hosts.length == 0 ? CLIENT_AUTH : SERVER_AUTH))));
        if (hosts.length > 0)
        {
            final byte[][] names = new byte[hosts.length][];
            for (int i = 0; i < hosts.length; i++)
            {
                names[i] = alternativeName(hosts[i]);
            }
            extensions.add(extension(SUBJECT_ALTERNATIVE_NAME, Der.sequence(names)));
        }
        if (revocationList != null)
        {
            final byte[] uri = Der.text(Der.CONTEXT | 6, revocationList.toUri().toString());
            final byte[] points = Der.sequence(Der.sequence(
                Der.value(Der.CONTEXT | Der.CONSTRUCTED, Der.value(Der.CONTEXT | Der.CONSTRUCTED, uri))));
            // The JDK refuses a certificate in which this one is critical.
            extensions.add(Der.sequence(Der.oid(CRL_DISTRIBUTION_POINTS), Der.value(Der.OCTET_STRING, points)));
        }
        return new Identity(
            pair.getPrivate(), List.of(sign(commonName, pair, from, to, extensions), certificate));
    }

    private static byte[] alternativeName(final String host)
    {
        try
        {
            return host.matches("[0-9.]+|.*:.*") ?
                Der.value(Der.CONTEXT | 7, InetAddress.getByName(host).getAddress()) :
                Der.text(Der.CONTEXT | 2, host);
        }
        catch (final UnknownHostException ex)
        {
            throw new IllegalArgumentException(ex);
        }
    }

    private X509Certificate sign(
        final String subject,
        final KeyPair pair,
        final Instant from,
        final Instant to,
        final List<byte[]> extensions)
    {
        final byte[] version3 = Der.value(
            Der.CONTEXT | Der.CONSTRUCTED, Der.integer(BigInteger.TWO));
        final byte[] content = Der.sequence(
            version3,
            Der.integer(BigInteger.valueOf(SERIALS.incrementAndGet())),
            ECDSA_WITH_SHA256,
            distinguishedName(name),
            Der.sequence(Der.time(from), Der.time(to)),
            distinguishedName(subject),
            pair.getPublic().getEncoded(),
            Der.value(Der.CONTEXT | Der.CONSTRUCTED | 3, Der.sequence(extensions.toArray(new byte[0][]))));
        try
        {
            return (X509Certificate)CertificateFactory.getInstance("X.509")
                .generateCertificate(new ByteArrayInputStream(signed(content)));
        }
        catch (final GeneralSecurityException ex)
        {
            throw new IllegalStateException(ex);
        }
    }

    private byte[] signed(final byte[] content) throws GeneralSecurityException
    {
        final Signature signature = Signature.getInstance("SHA256withECDSA");
        signature.initSign(keys.getPrivate());
        signature.update(content);
        return Der.sequence(content, ECDSA_WITH_SHA256, Der.bits(signature.sign()));
    }

    private static byte[] distinguishedName(final String commonName)
    {
        return Der.sequence(Der.value(Der.SET,
            Der.sequence(Der.oid("2.5.4.3"), Der.text(Der.UTF8_STRING, commonName))));
    }

    private static byte[] extension(final String oid, final byte[] content)
    {
        return Der.sequence(Der.oid(oid), TRUE, Der.value(Der.OCTET_STRING, content));
    }

    public X509Certificate certificate()
    {
        return certificate;
    }

    /** The certificate of this authority as PEM text. */
    public String pem()
    {
        return Identity.pemText("CERTIFICATE", Identity.encoded(certificate));
    }

    /** Writes the certificate of this authority as PEM, and returns the file. */
    public Path writePem(final Path file)
    {
        return Identity.write(file, pem().getBytes(StandardCharsets.US_ASCII));
    }

    /** Writes the certificate of this authority as a PKCS12 trust store with a password, and returns the file. */
    public Path writePkcs12(final Path file, final String password)
    {
        return Identity.write(file, Identity.trustStore("PKCS12", certificate, password));
    }
}
