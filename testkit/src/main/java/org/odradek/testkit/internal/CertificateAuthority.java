// SPDX-License-Identifier: Apache-2.0
package org.odradek.testkit.internal;

import org.bouncycastle.asn1.ASN1Encodable;
import org.bouncycastle.asn1.ASN1ObjectIdentifier;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x500.X500NameBuilder;
import org.bouncycastle.asn1.x500.style.BCStyle;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.CRLDistPoint;
import org.bouncycastle.asn1.x509.CRLReason;
import org.bouncycastle.asn1.x509.DistributionPoint;
import org.bouncycastle.asn1.x509.DistributionPointName;
import org.bouncycastle.asn1.x509.ExtendedKeyUsage;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.asn1.x509.KeyPurposeId;
import org.bouncycastle.asn1.x509.KeyUsage;
import org.bouncycastle.cert.X509v2CRLBuilder;
import org.bouncycastle.cert.X509v3CertificateBuilder;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.operator.ContentSigner;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Date;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/** A certificate authority for tests. Keys are on the curve secp256r1 unless the caller supplies a key pair. */
public final class CertificateAuthority
{
    private static final AtomicLong SERIALS = new AtomicLong(System.currentTimeMillis());
    private static final String CURVE = "secp256r1";
    private static final Duration LIFETIME = Duration.ofDays(3650);

    private final String name;
    private final KeyPair keys = keyPair(CURVE);
    private final X509Certificate certificate;
    private Path revocationList;

    /** Creates an authority with a new key and a certificate that is valid for ten years. */
    public CertificateAuthority(final String name)
    {
        this.name = name;
        final Instant now = Instant.now();
        certificate = sign(name, keys, now.minus(Duration.ofDays(1)), now.plus(LIFETIME), List.of(
            extension(Extension.basicConstraints, true, new BasicConstraints(true)),
            extension(Extension.keyUsage, true, new KeyUsage(KeyUsage.keyCertSign | KeyUsage.cRLSign))));
    }

    /** Generates a key pair on the curve with this JDK name, such as secp521r1 or Ed25519. */
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

    /** Writes a list of revoked certificates to a file, which all certificates that are issued later name. */
    public void writeRevocationList(final Path file, final Identity... revoked)
    {
        revocationList = file;
        final Instant now = Instant.now();
        final X509v2CRLBuilder list =
            new X509v2CRLBuilder(distinguishedName(name), Date.from(now.minus(Duration.ofDays(1))));
        list.setNextUpdate(Date.from(now.plus(LIFETIME)));
        for (final Identity identity : revoked)
        {
            // The JDK ignores a revocation in the future, as after a step of the clock.
            list.addCRLEntry(identity.chain().get(0).getSerialNumber(), Date.from(now.minus(Duration.ofHours(1))),
                CRLReason.unspecified);
        }
        try
        {
            Identity.write(file, list.build(signer()).getEncoded());
        }
        catch (final OperatorCreationException | IOException ex)
        {
            throw new IllegalStateException(ex);
        }
    }

    /** Issues a certificate that is valid from one day ago until ten years from now. */
    public Identity issue(final String commonName, final String... hosts)
    {
        final Instant now = Instant.now();
        return issue(commonName, now.minus(Duration.ofDays(1)), now.plus(LIFETIME), hosts);
    }

    /**
     * Issues a certificate: for servers if there are hosts, else for clients.
     *
     * @param hosts host names and literal IP addresses that the certificate names.
     */
    public Identity issue(final String commonName, final Instant from, final Instant to, final String... hosts)
    {
        return issue(commonName, keyPair(CURVE), from, to, hosts);
    }

    public Identity issue(
        final String commonName, final KeyPair pair, final Instant from, final Instant to, final String... hosts)
    {
        final List<Extension> extensions = new ArrayList<>();
        extensions.add(extension(Extension.extendedKeyUsage, true, new ExtendedKeyUsage(
            hosts.length == 0 ? KeyPurposeId.id_kp_clientAuth : KeyPurposeId.id_kp_serverAuth)));
        if (hosts.length > 0)
        {
            extensions.add(extension(Extension.subjectAlternativeName, true, new GeneralNames(Arrays.stream(hosts)
                .map((host) -> new GeneralName(
                    host.matches("[0-9.]+|.*:.*") ? GeneralName.iPAddress : GeneralName.dNSName, host))
                .toArray(GeneralName[]::new))));
        }
        if (revocationList != null)
        {
            final GeneralName uri =
                new GeneralName(GeneralName.uniformResourceIdentifier, revocationList.toUri().toString());
            // The JDK refuses a certificate in which this extension is critical.
            extensions.add(extension(Extension.cRLDistributionPoints, false, new CRLDistPoint(new DistributionPoint[]{
                new DistributionPoint(new DistributionPointName(new GeneralNames(uri)), null, null)})));
        }
        return new Identity(
            pair.getPrivate(), List.of(sign(commonName, pair, from, to, extensions), certificate));
    }

    private X509Certificate sign(
        final String subject,
        final KeyPair pair,
        final Instant from,
        final Instant to,
        final List<Extension> extensions)
    {
        final X509v3CertificateBuilder builder = new JcaX509v3CertificateBuilder(
            distinguishedName(name), BigInteger.valueOf(SERIALS.incrementAndGet()), Date.from(from), Date.from(to),
            distinguishedName(subject), pair.getPublic());
        try
        {
            for (final Extension extension : extensions)
            {
                builder.addExtension(extension);
            }
            return new JcaX509CertificateConverter().getCertificate(builder.build(signer()));
        }
        catch (final OperatorCreationException | IOException | GeneralSecurityException ex)
        {
            throw new IllegalStateException(ex);
        }
    }

    private ContentSigner signer() throws OperatorCreationException
    {
        return new JcaContentSignerBuilder("SHA256withECDSA").build(keys.getPrivate());
    }

    private static X500Name distinguishedName(final String commonName)
    {
        return new X500NameBuilder().addRDN(BCStyle.CN, commonName).build();
    }

    private static Extension extension(
        final ASN1ObjectIdentifier id, final boolean isCritical, final ASN1Encodable content)
    {
        try
        {
            return Extension.create(id, isCritical, content);
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }

    public X509Certificate certificate()
    {
        return certificate;
    }

    public String pem()
    {
        return Identity.pemText("CERTIFICATE", Identity.encoded(certificate));
    }

    public Path writePem(final Path file)
    {
        return Identity.write(file, pem().getBytes(StandardCharsets.US_ASCII));
    }

    public Path writePkcs12(final Path file, final String password)
    {
        return Identity.write(file, Identity.trustStore("PKCS12", certificate, password));
    }
}
