// SPDX-License-Identifier: Apache-2.0
package org.odradek.testkit.internal;

import org.bouncycastle.asn1.ASN1ObjectIdentifier;
import org.bouncycastle.asn1.ASN1Primitive;
import org.bouncycastle.asn1.pkcs.EncryptedPrivateKeyInfo;
import org.bouncycastle.asn1.pkcs.PKCSObjectIdentifiers;
import org.bouncycastle.asn1.x509.AlgorithmIdentifier;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateEncodingException;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import javax.crypto.Cipher;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

/**
 * A private key and its certificate chain.
 *
 * @param chain certificates, from that of the key to that of the authority.
 */
public record Identity(PrivateKey key, List<X509Certificate> chain)
{
    private static final Base64.Encoder BASE64 = Base64.getMimeEncoder(64, new byte[]{'\n'});

    public static Identity read(final Path store, final String password)
    {
        try
        {
            final KeyStore keys = KeyStore.getInstance(store.toFile(), password.toCharArray());
            final String alias = keys.aliases().nextElement();
            final List<X509Certificate> chain = new ArrayList<>();
            for (final Certificate certificate : keys.getCertificateChain(alias))
            {
                chain.add((X509Certificate)certificate);
            }
            return new Identity((PrivateKey)keys.getKey(alias, password.toCharArray()), chain);
        }
        catch (final GeneralSecurityException | IOException ex)
        {
            throw new IllegalStateException(ex);
        }
    }

    public String chainPem()
    {
        final StringBuilder text = new StringBuilder();
        chain.forEach((certificate) -> text.append(pemText("CERTIFICATE", encoded(certificate))));
        return text.toString();
    }

    public String keyPem()
    {
        return pemText("PRIVATE KEY", key.getEncoded());
    }

    /**
     * Returns the key as PEM text of an EncryptedPrivateKeyInfo (RFC 5958).
     *
     * @param isOld true for SHA-1 and triple DES; false for PBES2.
     */
    public String keyPem(final boolean isOld, final String password)
    {
        return pemText("ENCRYPTED PRIVATE KEY", encryptedKey(isOld, password));
    }

    private byte[] encryptedKey(final boolean isOld, final String password)
    {
        final String algorithm = isOld ? "PBEWithSHA1AndDESede" : "PBEWithHmacSHA256AndAES_256";
        final ASN1ObjectIdentifier oid = isOld ?
            PKCSObjectIdentifiers.pbeWithSHAAnd3_KeyTripleDES_CBC : PKCSObjectIdentifiers.id_PBES2;
        try
        {
            final Cipher cipher = Cipher.getInstance(algorithm);
            cipher.init(Cipher.ENCRYPT_MODE, SecretKeyFactory.getInstance(algorithm)
                .generateSecret(new PBEKeySpec(password.toCharArray())));
            final ASN1Primitive parameters = ASN1Primitive.fromByteArray(cipher.getParameters().getEncoded());
            return new EncryptedPrivateKeyInfo(
                new AlgorithmIdentifier(oid, parameters), cipher.doFinal(key.getEncoded())).getEncoded();
        }
        catch (final GeneralSecurityException | IOException ex)
        {
            throw new IllegalStateException(ex);
        }
    }

    public Path writePem(final Path file)
    {
        return write(file, (keyPem() + chainPem()).getBytes(StandardCharsets.US_ASCII));
    }

    public Path writePkcs12(final Path file, final String password)
    {
        return writeStore(file, "PKCS12", password);
    }

    public Path writePkcs12WithoutCertificate(final Path file, final String password)
    {
        try
        {
            final KeyStore store = KeyStore.getInstance("PKCS12");
            store.load(null, null);
            store.setKeyEntry("key", encryptedKey(false, password), null);
            return write(file, content(store, password));
        }
        catch (final GeneralSecurityException | IOException ex)
        {
            throw new IllegalStateException(ex);
        }
    }

    public Path writeStore(final Path file, final String type, final String password)
    {
        try
        {
            final KeyStore store = KeyStore.getInstance(type);
            store.load(null, null);
            store.setKeyEntry("key", key, password.toCharArray(), chain.toArray(new Certificate[0]));
            return write(file, content(store, password));
        }
        catch (final GeneralSecurityException | IOException ex)
        {
            throw new IllegalStateException(ex);
        }
    }

    public SSLContext serverContext()
    {
        final char[] password = "key".toCharArray();
        try
        {
            final KeyStore store = KeyStore.getInstance("PKCS12");
            store.load(null, null);
            store.setKeyEntry("key", key, password, chain.toArray(new Certificate[0]));
            final KeyManagerFactory factory = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            factory.init(store, password);
            final SSLContext context = SSLContext.getInstance("TLS");
            context.init(factory.getKeyManagers(), null, null);
            return context;
        }
        catch (final GeneralSecurityException | IOException ex)
        {
            throw new IllegalStateException(ex);
        }
    }

    static byte[] trustStore(final String type, final X509Certificate certificate, final String password)
    {
        try
        {
            final KeyStore store = KeyStore.getInstance(type);
            store.load(null, null);
            store.setCertificateEntry("ca", certificate);
            return content(store, password);
        }
        catch (final GeneralSecurityException | IOException ex)
        {
            throw new IllegalStateException(ex);
        }
    }

    private static byte[] content(final KeyStore store, final String password)
        throws GeneralSecurityException, IOException
    {
        final ByteArrayOutputStream out = new ByteArrayOutputStream();
        store.store(out, password.toCharArray());
        return out.toByteArray();
    }

    static byte[] encoded(final Certificate certificate)
    {
        try
        {
            return certificate.getEncoded();
        }
        catch (final CertificateEncodingException ex)
        {
            throw new IllegalStateException(ex);
        }
    }

    static String pemText(final String label, final byte[] content)
    {
        return "-----BEGIN " + label + "-----\n" + BASE64.encodeToString(content) + "\n-----END " + label + "-----\n";
    }

    /** Writes a file by an atomic move, so that a reader never sees a part of the content. */
    public static Path write(final Path file, final byte[] content)
    {
        try
        {
            final Path next = file.resolveSibling(file.getFileName() + ".next");
            Files.write(next, content);
            return Files.move(next, file, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }
}
