// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.security;

import org.odradek.client.core.TlsMaterial;
import org.odradek.client.core.TlsStores;

import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import javax.net.ssl.SSLContext;

/**
 * The settings of TLS. The client checks that the certificate of each broker is trusted and, unless {@link #verifyHost}
 * is off, names the broker's host. If a file of certificates or keys has changed, the client reads the file again
 * before it makes the next connection.
 */
public final class TlsSettings
{
    private static final String TLS_1_3 = "TLSv1.3";
    private static final String TLS_1_2 = "TLSv1.2";
    private static final List<String> PROTOCOLS = List.of(TLS_1_3, TLS_1_2);

    static
    {
        TlsStores.reader(new TlsStores.Reader(
            (settings) -> ((TlsSettings)settings).load(), (settings) -> ((TlsSettings)settings).stamp()));
    }

    private CertificateStore trust;
    private CertificateStore key;
    private List<String> protocols = PROTOCOLS;
    private List<String> cipherSuites = List.of();
    private boolean isHostVerified = true;
    private TlsProviderType provider = TlsProviderType.AUTO;
    private String jdkProvider;
    private SSLContext sslContext;
    private Pattern allowedHosts;

    private TlsSettings(final CertificateStore trust)
    {
        this.trust = trust;
    }

    /** Returns settings that trust the certificate authorities that the JVM trusts. */
    public static TlsSettings trustOfJvm()
    {
        return new TlsSettings(null);
    }

    /**
     * Returns settings that trust the certificates in a PEM file, or in a PKCS12 or JKS file without a password.
     *
     * @throws IllegalArgumentException if the file is null.
     */
    public static TlsSettings trust(final Path file)
    {
        return trust(CertificateStore.file(file));
    }

    /**
     * Returns settings that trust the certificates in a PKCS12 or JKS file with a password, which is copied.
     *
     * @throws IllegalArgumentException if the file is null.
     */
    public static TlsSettings trust(final Path file, final char[] password)
    {
        return trust(CertificateStore.file(file).password(password));
    }

    /**
     * Returns settings that trust the certificates in a store.
     *
     * @throws IllegalArgumentException if the store is null.
     */
    public static TlsSettings trust(final CertificateStore store)
    {
        if (store == null)
        {
            throw new IllegalArgumentException("trust is null: it must be set; trustOfJvm() trusts what the JVM does");
        }
        return new TlsSettings(store);
    }

    /** Sets the key and certificate with which the client authenticates itself (mTLS); null, the default, for none. */
    public TlsSettings key(final CertificateStore store)
    {
        key = store;
        return this;
    }

    /** Sets the protocol versions that the client offers: "TLSv1.3", "TLSv1.2" or, by default, both. */
    public TlsSettings protocols(final String... names)
    {
        protocols = List.of(names);
        return this;
    }

    /**
     * Sets the cipher suites that the client offers, by the JDK's names. By default the TLS provider chooses them. A
     * protocol version without a suite in the list is not offered.
     */
    public TlsSettings cipherSuites(final String... names)
    {
        cipherSuites = List.of(names);
        return this;
    }

    /**
     * Sets whether a broker's certificate must name the host to which the client has connected. The default is true.
     * Without this check, any server with a trusted certificate can impersonate a broker.
     */
    public TlsSettings verifyHost(final boolean isOn)
    {
        isHostVerified = isOn;
        return this;
    }

    /** Sets the implementation of TLS. The default is {@link TlsProviderType#AUTO}. */
    public TlsSettings provider(final TlsProviderType type)
    {
        provider = type;
        return this;
    }

    /**
     * Sets the name of the JDK security provider whose TLS is used instead of BoringSSL. By default, or with null, no
     * provider is set.
     */
    public TlsSettings jdkProvider(final String name)
    {
        jdkProvider = name;
        return this;
    }

    /**
     * Sets a JDK context that creates all TLS engines; null, the default, for none. The context has its own
     * certificates, so no stores may be set. With a context, BoringSSL is not used, and no file is read again.
     */
    public TlsSettings sslContext(final SSLContext context)
    {
        sslContext = context;
        return this;
    }

    /**
     * Sets which hosts brokers may name in their responses. By default, or with null, all hosts are allowed. A
     * compromised broker could name a foreign host that has a certificate of a public authority; without this setting,
     * that host would then receive the credentials. The addresses of the bootstrap servers are always allowed.
     *
     * @param regex regular expression that a whole host name must match, ignoring case, such as {@code
     *              .*\.example\.com}; or null.
     * @return this object.
     * @throws IllegalArgumentException if the text is no regular expression.
     */
    public TlsSettings allowedHosts(final String regex)
    {
        try
        {
            allowedHosts = regex == null ? null : Pattern.compile(regex, Pattern.CASE_INSENSITIVE);
            return this;
        }
        catch (final PatternSyntaxException ex)
        {
            throw new IllegalArgumentException(
                "allowedHosts is '" + regex + "': it must be a regular expression: " + ex.getDescription(), ex);
        }
    }

    /** Returns the store of trusted certificates, or null if the JVM's own trusted certificates are used. */
    public CertificateStore trust()
    {
        return trust;
    }

    /** Returns the store of the client's own key and certificate, or null if there is none. */
    public CertificateStore key()
    {
        return key;
    }

    /** Returns the protocol versions that the client offers, such as "TLSv1.3". */
    public List<String> protocols()
    {
        return protocols;
    }

    /** Returns the cipher suites by the JDK's names; the list is empty if the TLS provider chooses them. */
    public List<String> cipherSuites()
    {
        return cipherSuites;
    }

    /** Returns true if a broker's certificate must name the broker's host; see {@link #verifyHost(boolean)}. */
    public boolean verifyHost()
    {
        return isHostVerified;
    }

    /** Returns the implementation that {@link #provider(TlsProviderType)} has set. */
    public TlsProviderType provider()
    {
        return provider;
    }

    /** Returns the name of the JDK security provider, or null if none is set. */
    public String jdkProvider()
    {
        return jdkProvider;
    }

    /** Returns the JDK context that creates all TLS engines, or null if none is set. */
    public SSLContext sslContext()
    {
        return sslContext;
    }

    /** Returns true if the client may connect to a host that a broker has named; see {@link #allowedHosts}. */
    public boolean isAllowed(final String host)
    {
        return allowedHosts == null || allowedHosts.matcher(host).matches();
    }

    long stamp()
    {
        return (trust == null ? 0 : trust.stamp()) * 31 + (key == null ? 0 : key.stamp());
    }

    TlsMaterial load()
    {
        return StoreReader.load(trust, key);
    }

    void check()
    {
        if (protocols.isEmpty() || !PROTOCOLS.containsAll(protocols))
        {
            throw new IllegalArgumentException("protocols is " + protocols + ": each must be one of " + PROTOCOLS);
        }
        checkSuites();
        if (provider == null)
        {
            throw new IllegalArgumentException("provider is null: it must be set");
        }
        if (provider == TlsProviderType.BORINGSSL && (jdkProvider != null || sslContext != null))
        {
            throw new IllegalArgumentException("provider is BORINGSSL and " + (jdkProvider != null ?
                "jdkProvider is " + jdkProvider : "an sslContext is given") + ", which only the JDK's TLS can use");
        }
        if (sslContext == null)
        {
            load();
        }
        else if (trust != null || key != null)
        {
            throw new IllegalArgumentException(
                "an sslContext is given and a store too: the context has its own certificates, set one of them");
        }
    }

    private void checkSuites()
    {
        if (!cipherSuites.isEmpty() && jdkProvider == null && sslContext == null)
        {
            final long olderCount = cipherSuites.stream().filter((suite) -> suite.contains("_WITH_")).count();
            checkSuites(protocols.contains(TLS_1_2) || olderCount < cipherSuites.size(),
                "TLS 1.3, such as TLS_AES_256_GCM_SHA384");
            checkSuites(protocols.contains(TLS_1_3) || olderCount > 0,
                "TLS 1.2, such as TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384");
        }
    }

    private void checkSuites(final boolean isPossible, final String missing)
    {
        if (!isPossible)
        {
            throw new IllegalArgumentException("cipherSuites is " + cipherSuites + " and protocols is " + protocols +
                ": one of the suites must be of " + missing);
        }
    }

    /** Returns the stores and whether host names are verified; the text contains no secret. */
    @Override
    public String toString()
    {
        return "trust " + (sslContext != null ? "of an SSLContext" : trust == null ? "of the JVM" : trust.toString()) +
            (key == null ? "" : ", key " + key) + (isHostVerified ? "" : ", host names not verified");
    }
}
