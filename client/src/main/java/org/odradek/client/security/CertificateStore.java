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
 * A store of certificates, or of a private key with its certificate chain. The store is a file, text, or a store of the
 * JDK without a file, such as PKCS11. This object keeps copies of the passwords, and of a key that is given as text;
 * {@link #clear} overwrites the copies.
 */
public final class CertificateStore
{
    /** The type of a store in the PEM format. */
    public static final String PEM = "PEM";

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

    /**
     * Creates a store that is read from a PEM, PKCS12 or JKS file; the type is detected from the content. A PEM file
     * with a key must also contain the certificate chain of the key, with the certificate of the key first. This method
     * does not read the file.
     *
     * @throws IllegalArgumentException if the path is null.
     */
    public static CertificateStore file(final Path path)
    {
        if (path == null)
        {
            throw new IllegalArgumentException("the file of a certificate store is null: it must be set");
        }
        return new CertificateStore(path, null, null, null);
    }

    /** Creates a store of a JDK type that has no file, such as PKCS11. */
    public static CertificateStore ofType(final String type)
    {
        return new CertificateStore(null, null, null, type);
    }

    /** Creates a store of trusted certificates from PEM text. */
    public static CertificateStore pem(final String certificates)
    {
        return new CertificateStore(null, null, certificates, PEM);
    }

    /**
     * Creates a store of a PKCS#8 private key and its certificate chain from PEM text. The first certificate of the
     * chain must be that of the key.
     */
    public static CertificateStore pem(final char[] privateKey, final String chain)
    {
        return new CertificateStore(null, privateKey.clone(), chain, PEM);
    }

    /**
     * Sets the type of the file: {@link #PEM} or a name that {@link KeyStore#getInstance} accepts. By default the type
     * is detected.
     */
    public CertificateStore type(final String name)
    {
        type = name;
        return this;
    }

    /**
     * Sets the password of a store in another format than PEM. The password is copied. By default, or with null, there
     * is no password.
     */
    public CertificateStore password(final char[] newPassword)
    {
        password = newPassword == null ? null : newPassword.clone();
        return this;
    }

    /**
     * Sets the password of the private key, which is copied. By default, or with null, the password of the store is
     * used.
     */
    public CertificateStore keyPassword(final char[] newPassword)
    {
        keyPassword = newPassword == null ? null : newPassword.clone();
        return this;
    }

    /**
     * Overwrites the copied passwords and the copied key. After this call, a store that needs a secret cannot be read
     * any more.
     */
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

    /**
     * Returns a value that changes with the modification time or the size of the file, or 0 if there is no file or it
     * cannot be read.
     */
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

    /**
     * @param hasKey true if the store must contain a private key, false if it contains trusted certificates.
     * @throws IllegalArgumentException if the store cannot be read.
     */
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

    /**
     * Returns the end of an error message about a missing entry, which names the password as a possible cause; empty if
     * a password is set.
     */
    String passwordHint()
    {
        return password == null ? ", or it needs a password, and none is set" : "";
    }

    /** Returns the password that protects the key in the store that {@link #load} returns; never null. */
    char[] secret()
    {
        return keyPassword != null ? keyPassword : password != null ? password : NO_PASSWORD;
    }

    IllegalArgumentException wrong(final String what, final Throwable cause)
    {
        return new IllegalArgumentException("certificate store " + this + " is not usable: " + what, cause);
    }

    /** Returns the file or the type; the text contains no secret. */
    @Override
    public String toString()
    {
        return file != null ? file.toString() : PEM.equals(type) ? "in PEM text" : type;
    }
}
