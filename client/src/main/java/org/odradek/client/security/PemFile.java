// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.security;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.InvalidKeyException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Set;
import javax.crypto.Cipher;
import javax.crypto.EncryptedPrivateKeyInfo;
import javax.crypto.SecretKey;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;

/**
 * Reads the blocks of a PEM file: certificates, and at most one PKCS#8 key, which may be encrypted.
 */
final class PemFile
{
    /** These keys may have headers, which are not Base64. */
    private static final List<String> OLD_KEYS = List.of("RSA PRIVATE KEY", "EC PRIVATE KEY", "DSA PRIVATE KEY");
    private static final byte[] BEGIN = "-----BEGIN ".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] END = "-----END ".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] DASHES = "-----".getBytes(StandardCharsets.US_ASCII);
    /** The name of the scheme PBES2, and its object identifier, which older JDKs use as the name. */
    private static final Set<String> PBES2 = Set.of("PBES2", "1.2.840.113549.1.5.13");
    private static final String[] KEY_ALGORITHMS = {"RSA", "EC", "EdDSA", "RSASSA-PSS", "DSA"};

    private final List<Certificate> certificates = new ArrayList<>();
    private byte[] key;
    private boolean isKeyEncrypted;

    private PemFile()
    {
    }

    static boolean isPem(final byte[] content)
    {
        return content != null && indexOf(content, BEGIN, 0) >= 0;
    }

    /** Reads the content of a file, and then overwrites the array. */
    static PemFile of(final byte[] content) throws GeneralSecurityException, IOException
    {
        final PemFile pem = new PemFile();
        pem.read(content);
        return pem;
    }

    /** @param privateKey PKCS#8 key as PEM text, or null if there is none. */
    static PemFile of(final char[] privateKey, final String certificates) throws GeneralSecurityException, IOException
    {
        final PemFile pem = of(certificates.getBytes(StandardCharsets.UTF_8));
        if (privateKey != null)
        {
            final ByteBuffer encoded = StandardCharsets.UTF_8.encode(CharBuffer.wrap(privateKey));
            final byte[] bytes = Arrays.copyOf(encoded.array(), encoded.limit());
            Arrays.fill(encoded.array(), (byte)0);
            pem.read(bytes);
        }
        return pem;
    }

    private void read(final byte[] content) throws GeneralSecurityException, IOException
    {
        try
        {
            final CertificateFactory factory = CertificateFactory.getInstance("X.509");
            int begin = indexOf(content, BEGIN, 0);
            while (begin >= 0)
            {
                final int labelIndex = begin + BEGIN.length;
                final int labelEnd = indexOf(content, DASHES, labelIndex);
                final int end = labelEnd < 0 ? -1 : indexOf(content, END, labelEnd);
                if (end < 0)
                {
                    throw new IOException("a PEM block has no END line");
                }
                final String label =
                    new String(content, labelIndex, labelEnd - labelIndex, StandardCharsets.US_ASCII);
                if (OLD_KEYS.contains(label))
                {
                    throw new IOException("its key has the old form " + label +
                        ", and PKCS#8 is expected: convert it with openssl pkcs8 -topk8");
                }
                final byte[] text = Arrays.copyOfRange(content, labelEnd + DASHES.length, end);
                add(label, decoded(text), factory);
                begin = indexOf(content, BEGIN, end);
            }
        }
        finally
        {
            Arrays.fill(content, (byte)0);
        }
    }

    private static byte[] decoded(final byte[] text) throws IOException
    {
        try
        {
            return Base64.getMimeDecoder().decode(text);
        }
        catch (final IllegalArgumentException ex)
        {
            throw new IOException("a PEM block is not Base64", ex);
        }
        finally
        {
            Arrays.fill(text, (byte)0);
        }
    }

    private void add(final String label, final byte[] block, final CertificateFactory factory)
        throws GeneralSecurityException, IOException
    {
        switch (label)
        {
            case "CERTIFICATE", "X509 CERTIFICATE", "TRUSTED CERTIFICATE" ->
                certificates.add(factory.generateCertificate(new ByteArrayInputStream(block)));
            case "PRIVATE KEY", "ENCRYPTED PRIVATE KEY" ->
            {
                if (key != null)
                {
                    throw new IOException("it holds more than one private key");
                }
                key = block;
                isKeyEncrypted = label.startsWith("ENCRYPTED");
            }
            default ->
            {
                // Other blocks, such as parameters of curves, are not needed.
            }
        }
    }

    List<Certificate> certificates()
    {
        return certificates;
    }

    /**
     * Overwrites the encoding of the key, so this method can be called only once.
     *
     * @param password password of an encrypted key; not used for other keys.
     */
    PrivateKey privateKey(final char[] password) throws GeneralSecurityException, IOException
    {
        if (key == null)
        {
            throw new IOException("it holds no private key");
        }
        if (isKeyEncrypted && password == null)
        {
            throw new InvalidKeyException("its key is encrypted and no key password is set");
        }
        try
        {
            return privateKey(isKeyEncrypted ? decrypted(password) : new PKCS8EncodedKeySpec(key));
        }
        finally
        {
            Arrays.fill(key, (byte)0);
        }
    }

    private PKCS8EncodedKeySpec decrypted(final char[] password) throws GeneralSecurityException, IOException
    {
        final EncryptedPrivateKeyInfo info = new EncryptedPrivateKeyInfo(key);
        // The parameters of PBES2 name the whole scheme, such as PBEWithHmacSHA256AndAES_256.
        final String name = info.getAlgName();
        final String algorithm = PBES2.contains(name) ? info.getAlgParameters().toString() : name;
        final PBEKeySpec spec = new PBEKeySpec(password);
        try
        {
            final SecretKey secret = SecretKeyFactory.getInstance(algorithm).generateSecret(spec);
            final Cipher cipher = Cipher.getInstance(algorithm);
            cipher.init(Cipher.DECRYPT_MODE, secret, info.getAlgParameters());
            return info.getKeySpec(cipher);
        }
        catch (final InvalidKeySpecException ex)
        {
            throw new InvalidKeyException("the password of its key is wrong", ex);
        }
        finally
        {
            spec.clearPassword();
        }
    }

    private static PrivateKey privateKey(final PKCS8EncodedKeySpec spec) throws GeneralSecurityException
    {
        for (final String algorithm : KEY_ALGORITHMS)
        {
            try
            {
                return KeyFactory.getInstance(algorithm).generatePrivate(spec);
            }
            catch (final InvalidKeySpecException ignore)
            {
                // It is a key of another algorithm.
            }
        }
        throw new InvalidKeyException("its key is none of " + Arrays.toString(KEY_ALGORITHMS));
    }

    private static int indexOf(final byte[] content, final byte[] pattern, final int from)
    {
        for (int i = from; i <= content.length - pattern.length; i++)
        {
            if (Arrays.equals(content, i, i + pattern.length, pattern, 0, pattern.length))
            {
                return i;
            }
        }
        return -1;
    }
}
