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
 * The settings of TLS. The certificate of each broker is checked against the trusted ones and against the host name.
 * Files that change are read again before the next connection is made.
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

    /** Trusts the certificate authorities that the JVM trusts. */
    public static TlsSettings trustOfJvm()
    {
        return new TlsSettings(null);
    }

    /** Trusts the certificates in a PEM file, or in a PKCS12 or JKS store that has no password. */
    public static TlsSettings trust(final Path file)
    {
        return trust(CertificateStore.file(file));
    }

    /** Trusts the certificates in a PKCS12 or JKS store. */
    public static TlsSettings trust(final Path file, final char[] password)
    {
        return trust(CertificateStore.file(file).password(password));
    }

    /** Trusts the certificates in a store. */
    public static TlsSettings trust(final CertificateStore store)
    {
        if (store == null)
        {
            throw new IllegalArgumentException("trust is null: it must be set; trustOfJvm() trusts what the JVM does");
        }
        return new TlsSettings(store);
    }

    /** The key and certificate with which the consumer authenticates itself (mTLS); none unless set. */
    public TlsSettings key(final CertificateStore store)
    {
        key = store;
        return this;
    }

    /** The versions to offer, of TLSv1.3 and TLSv1.2; both unless set. */
    public TlsSettings protocols(final String... names)
    {
        protocols = List.of(names);
        return this;
    }

    /**
     * The cipher suites to offer, by the JDK's names; the provider's own choice unless set. A version of TLS for which
     * none is named is not offered.
     */
    public TlsSettings cipherSuites(final String... names)
    {
        cipherSuites = List.of(names);
        return this;
    }

    /**
     * Sets whether the certificate must name the host that was connected to; true unless set. Without this check, any
     * server with a trusted certificate can impersonate a broker.
     */
    public TlsSettings verifyHost(final boolean isOn)
    {
        isHostVerified = isOn;
        return this;
    }

    /** The implementation; {@link TlsProviderType#AUTO} unless set. */
    public TlsSettings provider(final TlsProviderType type)
    {
        provider = type;
        return this;
    }

    /** The security provider of the JDK whose TLS is used, by name; BoringSSL is not used then. */
    public TlsSettings jdkProvider(final String name)
    {
        jdkProvider = name;
        return this;
    }

    /**
     * A context of the JDK that makes all engines. It replaces the stores; BoringSSL is not used then, and no file is
     * read again.
     */
    public TlsSettings sslContext(final SSLContext context)
    {
        sslContext = context;
        return this;
    }

    /**
     * The hosts that brokers may name, in metadata or as leaders and coordinators; any unless set. A compromised broker
     * could name a foreign host that has a certificate of a public authority, which would then receive the credentials.
     * The host and port of a bootstrap server are always allowed.
     *
     * @param regex that a host name must match as a whole, ignoring case, such as {@code .*\.example\.com}.
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

    /** The trusted certificates, or null for those that the JVM trusts. */
    public CertificateStore trust()
    {
        return trust;
    }

    /** The consumer's own key and certificate, or null. */
    public CertificateStore key()
    {
        return key;
    }

    /** The protocols of TLS that may be used; TLSv1.3 and TLSv1.2 unless set. */
    public List<String> protocols()
    {
        return protocols;
    }

    /** The cipher suites by the JDK's names; empty for the provider's own choice. */
    public List<String> cipherSuites()
    {
        return cipherSuites;
    }

    /** Returns true if a broker's certificate must be for its host name; see {@link #verifyHost}. */
    public boolean isHostVerified()
    {
        return isHostVerified;
    }

    /** The value of {@link #provider(TlsProviderType)}. */
    public TlsProviderType provider()
    {
        return provider;
    }

    /** The security provider of the JDK by name, or null. */
    public String jdkProvider()
    {
        return jdkProvider;
    }

    /** The context that makes all engines, or null. */
    public SSLContext sslContext()
    {
        return sslContext;
    }

    /** Returns whether a connection may be made to a host that a broker names. */
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

    /** Other providers may have suites with other names. */
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

    /** The trusted certificates and the consumer's own, without a secret. */
    @Override
    public String toString()
    {
        return "trust " + (sslContext != null ? "of an SSLContext" : trust == null ? "of the JVM" : trust.toString()) +
            (key == null ? "" : ", key " + key) + (isHostVerified ? "" : ", host names not verified");
    }
}
