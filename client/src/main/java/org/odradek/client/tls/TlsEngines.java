// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.tls;

import org.odradek.client.ClientCounters;
import org.odradek.client.ClientListener;
import org.odradek.client.core.CounterWriter;
import org.odradek.client.core.TlsMaterial;
import org.odradek.client.core.TlsStores;
import org.odradek.client.security.TlsProviderType;
import org.odradek.client.security.TlsSettings;
import org.odradek.protocol.PrintableText;

import java.security.GeneralSecurityException;
import java.security.Security;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import javax.net.ssl.SSLException;

/**
 * Creates TLS engines with the provider that the settings and this system allow. Before an engine is created, the
 * certificates are read again if their files have changed. If the files cannot be used, the previous certificates stay
 * in use, and the files are read again for the first connection after a minute.
 */
public final class TlsEngines implements TlsProvider
{
    /** Matches the entries of jdk.tls.disabledAlgorithms with which BoringSSL may be used. */
    private static final Pattern FOLLOWED = Pattern.compile(
        "(?i)SSLv\\w+|TLSv1|TLSv1\\.1|DTLSv1\\.[0-2]|\\w*RC4\\w*|DES\\w*|3DES_EDE_CBC|MD5\\w*|anon|\\w*NULL\\w*|" +
        "DH|ECDH|DHE_\\w+|DH keySize < \\d+|EC keySize < 2[0-4]\\d|RSA keySize < (512|768|1024)|RSA_EXPORT|" +
        "TLS_RSA_\\*|DSA.*|RC2\\w*|SHA1 .*|\\w+_sha1 usage HandshakeSignature|include jdk\\.disabled\\.namedCurves");
    private static final String FORWARD_SECRET = "TLS_ECDHE_";
    private static final Set<String> OFFERED_CURVES = Set.of("x25519", "secp256r1", "secp384r1");
    private static final long RETRY_NS = 60_000_000_000L;

    /**
     * The {@link System#nanoTime()} from which files that could not be used are read again although they have not
     * changed.
     */
    long retryNs;
    private final TlsSettings settings;
    private final TlsStores.Reader stores = TlsStores.reader();
    private final CounterWriter counters;
    private final ClientListener listener;
    private final RefusedKeys refusedKeys;
    private final String description;
    private long stamp;
    /** The reason why the files with the current stamp could not be used; null if they are in use. */
    private String problem;
    private TlsMaterial material;
    private TlsProvider provider;
    /** The JDK's TLS for brokers whose keys BoringSSL refuses; null until the next connection to such a broker. */
    private TlsProvider fallback;
    /**
     * The reason why the JDK's TLS is used although the settings do not request it; null if there is none or it was
     * reported.
     */
    private String unreported;

    public TlsEngines(final TlsSettings settings, final CounterWriter counters, final ClientListener listener)
    {
        this(settings, counters, listener, new RefusedKeys(counters, listener));
    }

    /**
     * @throws IllegalStateException    if BoringSSL is requested and cannot be used.
     * @throws IllegalArgumentException if the settings or the certificates are wrong.
     */
    public TlsEngines(
        final TlsSettings settings,
        final CounterWriter counters,
        final ClientListener listener,
        final RefusedKeys refusedKeys)
    {
        this.settings = settings;
        this.counters = counters;
        this.listener = listener;
        this.refusedKeys = refusedKeys;
        stamp = stores.stamp().applyAsLong(settings);
        material = settings.sslContext() == null ? stores.load().apply(settings) : null;
        String unfit = unfit(settings, material);
        if (unfit == null)
        {
            try
            {
                provider = new BoringSsl(settings, material, counters, refusedKeys);
            }
            catch (final GeneralSecurityException ex)
            {
                unfit = "BoringSSL refuses the settings (" + ex.getMessage() + ")";
            }
        }
        if (unfit != null && settings.provider() == TlsProviderType.BORINGSSL)
        {
            throw new IllegalStateException("The TLS provider BORINGSSL cannot be used because " + unfit + ".");
        }
        description = unfit == null ? "TLS by " + BoringSsl.version() : "TLS by the JDK because " + unfit;
        if (unfit != null)
        {
            provider = jdk(material, null);
            unreported = settings.provider() == TlsProviderType.JDK ? null :
                "TLS is the JDK's, which allocates for each record, because " + unfit;
        }
        TlsWarmUp.run(provider);
    }

    private TlsProvider jdk(final TlsMaterial loaded, final RefusedKeys accepted)
    {
        try
        {
            final JdkTls created = new JdkTls(settings, loaded, counters, accepted);
            // Only an engine checks the protocols and cipher suites.
            created.newEngine("check.invalid", 1).free();
            return created;
        }
        catch (final GeneralSecurityException | IllegalArgumentException | IllegalStateException ex)
        {
            throw new IllegalArgumentException(
                "The JDK's TLS cannot be used with these settings: " + ex.getMessage(), ex);
        }
    }

    /** Reads the certificates, and returns which provider a client would use on this system, and why. */
    public static String describe(final TlsSettings settings)
    {
        try (TlsEngines engines = new TlsEngines(settings, new CounterWriter(), ClientListener.NONE))
        {
            return engines.description();
        }
    }

    /** Returns the reason why BoringSSL cannot be used, as the end of a sentence, or null if it can be used. */
    static String unfit(final TlsSettings settings, final TlsMaterial material)
    {
        if (settings.provider() == TlsProviderType.JDK)
        {
            return "the setting says so";
        }
        if (settings.sslContext() != null || settings.jdkProvider() != null)
        {
            return settings.sslContext() != null ? "an SSLContext is given" :
                "the security provider " + settings.jdkProvider() + " is set";
        }
        // The names of TLS 1.3 suites contain no key exchange.
        if (settings.cipherSuites().stream().anyMatch((suite) -> !suite.contains("_WITH_")))
        {
            return "BoringSSL cannot choose among the cipher suites of TLS 1.3";
        }
        if (!settings.cipherSuites().stream().allMatch((suite) -> suite.startsWith(FORWARD_SECRET)))
        {
            return "cipherSuites names some without forward secrecy, and only the JDK knows which of them are disabled";
        }
        final String unfitKey = unfitKey(material);
        if (unfitKey != null)
        {
            return unfitKey;
        }
        final String disabled = disabled(
            Security.getProperty(DISABLED_ALGORITHMS), Security.getProperty("jdk.disabled.namedCurves"));
        return disabled != null ? disabled : unavailable(System.getProperty("os.name"));
    }

    private static String unfitKey(final TlsMaterial material)
    {
        return material.keyManager() == null ||
            material.privateKey() != null && material.privateKey().getEncoded() != null ? null :
            "BoringSSL needs one key that can be exported, and the key store has several or a protected one";
    }

    static String disabled(final String algorithms, final String curves)
    {
        for (final String algorithm : algorithms == null ? new String[0] : algorithms.strip().split("\\s*,\\s*"))
        {
            if (!algorithm.isEmpty() && !FOLLOWED.matcher(algorithm).matches())
            {
                return DISABLED_ALGORITHMS + " contains '" + algorithm + "', which only the JDK follows";
            }
        }
        final List<String> disabled = Arrays.asList((curves == null ? "" : curves).strip().split("\\s*,\\s*"));
        for (final String curve : OFFERED_CURVES)
        {
            if (disabled.stream().anyMatch(curve::equalsIgnoreCase))
            {
                return "jdk.disabled.namedCurves contains " + curve + ", which only the JDK follows";
            }
        }
        return null;
    }

    static String unavailable(final String osName)
    {
        if (!"Linux".equals(osName))
        {
            return "this system is " + osName + ", not Linux";
        }
        try
        {
            BoringSsl.load();
            return null;
        }
        catch (final Exception | LinkageError ex)
        {
            return "netty-tcnative does not load (" + PrintableText.of(String.valueOf(ex.getMessage())) +
                "); the artifact odradek-native brings it, as module org.odradek.natives";
        }
    }

    @Override
    public TlsEngine newEngine(final String host, final int port) throws SSLException
    {
        if (settings.sslContext() == null && isReloadDue())
        {
            reload();
        }
        try
        {
            return (refusedKeys.contains(host, port) ? fallback() : provider).newEngine(host, port);
        }
        catch (final RuntimeException | StackOverflowError | LinkageError ex)
        {
            throw new SSLException("no TLS engine could be created: " + PrintableText.of(String.valueOf(ex)), ex);
        }
    }

    @Override
    public void report()
    {
        if (unreported != null)
        {
            counters.add(ClientCounters.TLS_FALLBACKS, 1);
            listener.onTlsFallback(unreported);
            unreported = null;
        }
        refusedKeys.report();
    }

    private TlsProvider fallback()
    {
        fallback = fallback == null ? jdk(material, refusedKeys) : fallback;
        return fallback;
    }

    private boolean isReloadDue()
    {
        return stores.stamp().applyAsLong(settings) != stamp || problem != null && System.nanoTime() - retryNs >= 0;
    }

    private void reload()
    {
        final long found = stores.stamp().applyAsLong(settings);
        final String reported = found == stamp ? problem : null;
        stamp = found;
        problem = "an Error was thrown";
        retryNs = System.nanoTime() + RETRY_NS;
        final TlsMaterial loaded;
        final TlsProvider created;
        try
        {
            loaded = stores.load().apply(settings);
            created = provider instanceof BoringSsl ? boringSsl(loaded) : jdk(loaded, null);
        }
        catch (final GeneralSecurityException | RuntimeException | StackOverflowError | LinkageError ex)
        {
            problem = TlsErrors.notReloaded(ex, settings.trust(), settings.key());
            if (!problem.equals(reported))
            {
                counters.add(ClientCounters.TLS_RELOADS_FAILED, 1);
                listener.onCertificatesNotReloaded(problem);
            }
            return;
        }
        problem = null;
        provider.close();
        provider = created;
        material = loaded;
        fallback = null;
        counters.add(ClientCounters.TLS_RELOADS, 1);
    }

    private TlsProvider boringSsl(final TlsMaterial loaded) throws GeneralSecurityException
    {
        final String unfit = unfitKey(loaded);
        if (unfit != null)
        {
            throw new IllegalArgumentException(
                unfit + " since it has changed: make a new client, which uses the JDK's TLS");
        }
        return new BoringSsl(settings, loaded, counters, refusedKeys);
    }

    /**
     * Returns the provider and, if it is not BoringSSL, the reason. The text ends with the first broker that needs the
     * JDK's TLS, and the number of others, if there are any.
     */
    public String description()
    {
        return description + refusedKeys.description();
    }

    @Override
    public void close()
    {
        provider.close();
    }
}
