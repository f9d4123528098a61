// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.security;

import org.odradek.client.files.RegularFile;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.UnrecoverableKeyException;
import java.security.cert.Certificate;
import java.util.Arrays;
import java.util.List;

/**
 * Certificates, or a key with its certificate chain, in a file or in text. Passwords are copied; {@link #clear}
 * overwrites them.
 */
public final class CertificateStore
{
    /** The type of text, and of a file, in the PEM format. */
    public static final String PEM = "PEM";

    /** Much more than the certificates of all public authorities take. */
    private static final int MAX_LENGTH = 8 << 20;
    private static final char[] NO_PASSWORD = {};
    private static final String KEY_ENTRY = "key";

    private final Path file;
    private final char[] privateKey;
    private final String certificates;
    private String type;
    private char[] password;
    private char[] keyPassword;

    private CertificateStore(final Path file, final char[] privateKey, final String certificates, final String type)
    {
        this.file = file;
        this.privateKey = privateKey;
        this.certificates = certificates;
        this.type = type;
    }

    /** A PEM, PKCS12 or JKS file, recognized by its first bytes. A PEM file of a key contains its chain, too. */
    public static CertificateStore file(final Path path)
    {
        if (path == null)
        {
            throw new IllegalArgumentException("the file of a certificate store is null: it must be set");
        }
        return new CertificateStore(path, null, null, null);
    }

    /** A store of the JDK without a file, such as PKCS11. */
    public static CertificateStore ofType(final String type)
    {
        return new CertificateStore(null, null, null, type);
    }

    /** Trusted certificates as PEM text. */
    public static CertificateStore pem(final String certificates)
    {
        return new CertificateStore(null, null, certificates, PEM);
    }

    /** A PKCS#8 key and its certificate chain as PEM text, the certificate of the key first. */
    public static CertificateStore pem(final char[] privateKey, final String chain)
    {
        return new CertificateStore(null, privateKey.clone(), chain, PEM);
    }

    /** The type of the file, as {@link KeyStore#getInstance} names it, or {@link #PEM}; detected unless set. */
    public CertificateStore type(final String name)
    {
        type = name;
        return this;
    }

    /** The password of a PKCS12 or JKS store; none unless set. */
    public CertificateStore password(final char[] newPassword)
    {
        password = newPassword == null ? null : newPassword.clone();
        return this;
    }

    /** The password of the key; that of the store unless set. */
    public CertificateStore keyPassword(final char[] newPassword)
    {
        keyPassword = newPassword == null ? null : newPassword.clone();
        return this;
    }

    /** Overwrites the passwords and the key. Nothing can be read from the store afterwards. */
    public void clear()
    {
        for (final char[] secret : new char[][]{password, keyPassword, privateKey})
        {
            if (secret != null)
            {
                Arrays.fill(secret, '\0');
            }
        }
    }

    /** A value that changes with the modification time or the size of the file; 0 if there is no file to read. */
    long stamp()
    {
        if (file == null)
        {
            return 0;
        }
        try
        {
            final BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class);
            return attributes.lastModifiedTime().toMillis() * 31 + attributes.size();
        }
        catch (final IOException ex)
        {
            return 0;
        }
    }

    /** Reads the store, with a key if it is the consumer's own store. */
    KeyStore load(final boolean hasKey)
    {
        try
        {
            final byte[] content = file == null ? null : RegularFile.read(file, MAX_LENGTH);
            final String found = type != null ? type : PemFile.isPem(content) ? PEM : KeyStore.getDefaultType();
            return PEM.equalsIgnoreCase(found) ? loadPem(content, hasKey) : load(found, content);
        }
        catch (final IOException ex)
        {
            throw wrong(ex.getCause() instanceof UnrecoverableKeyException ? "its password is wrong" :
                "it cannot be read: " + ex.getClass().getSimpleName() + " " + ex.getMessage(), ex);
        }
        catch (final StackOverflowError ex)
        {
            throw wrong("its values are nested too deeply", ex);
        }
        catch (final GeneralSecurityException ex)
        {
            throw wrong("it cannot be read: " + ex.getMessage(), ex);
        }
    }

    private KeyStore load(final String found, final byte[] content) throws GeneralSecurityException, IOException
    {
        final KeyStore store = KeyStore.getInstance(found);
        try (InputStream stream = content == null ? null : new ByteArrayInputStream(content))
        {
            store.load(stream, password);
        }
        return store;
    }

    private KeyStore loadPem(final byte[] content, final boolean hasKey) throws GeneralSecurityException, IOException
    {
        if (password != null)
        {
            throw wrong("a PEM store has no password; give that of the key as keyPassword", null);
        }
        final PemFile pem = content == null ? PemFile.of(privateKey, certificates) : PemFile.of(content);
        final List<Certificate> found = pem.certificates();
        if (found.isEmpty())
        {
            throw wrong("it holds no certificate", null);
        }
        final KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
        store.load(null, null);
        if (hasKey)
        {
            store.setKeyEntry(
                KEY_ENTRY, pem.privateKey(keyPassword), secret(), found.toArray(new Certificate[0]));
        }
        else
        {
            for (int i = 0; i < found.size(); i++)
            {
                store.setCertificateEntry("certificate" + i, found.get(i));
            }
        }
        return store;
    }

    /** The end of a sentence on what is missing: without a password, the JDK leaves out what is encrypted. */
    String passwordHint()
    {
        return password == null ? ", or it needs a password, and none is set" : "";
    }

    /** The password of the key in the store that {@link #load} returns. */
    char[] secret()
    {
        return keyPassword != null ? keyPassword : password != null ? password : NO_PASSWORD;
    }

    IllegalArgumentException wrong(final String what, final Throwable cause)
    {
        return new IllegalArgumentException("certificate store " + this + " is not usable: " + what, cause);
    }

    /** The file or type, without a secret. */
    @Override
    public String toString()
    {
        return file != null ? file.toString() : PEM.equals(type) ? "in PEM text" : type;
    }
}
