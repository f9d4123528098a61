// SPDX-License-Identifier: Apache-2.0
package org.odradek.testkit;

import org.odradek.testkit.internal.CertificateAuthority;
import org.odradek.testkit.internal.Identity;
import org.odradek.testkit.internal.JvmExit;
import org.odradek.testkit.internal.SignedTokens;
import org.odradek.testkit.internal.Sockets;
import org.odradek.testkit.internal.TempFolder;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * The certificates and users for the secure listeners of a broker, or of all brokers of a cluster. The files are in a
 * temporary folder, which {@link #close()} and the exit of this JVM remove. If {@link BrokerSettings} has created this
 * object, the last of the brokers with these settings closes it.
 */
public final class BrokerSecurity implements AutoCloseable
{
    /** The password of every key store and trust store. */
    public static final String STORE_PASSWORD = "changeit";
    public static final String USER = "alice";
    public static final String PASSWORD = "alice-secret";
    /** The lifetime of a SASL session of {@link SecureListener#REAUTH}, in milliseconds. */
    public static final int REAUTH_MS = 4_000;

    private static final String LOGIN = "org.apache.kafka.common.security.";
    private static final String OAUTH_LOGIN = LOGIN + "oauthbearer.OAuthBearerLoginModule required";
    private static final String ALLOWED_URLS = "org.apache.kafka.sasl.oauthbearer.allowed.urls";
    private static final String LOCAL_NAME = "localhost";
    private static final String OAUTHBEARER = "OAUTHBEARER";
    private static final String GSSAPI = "GSSAPI";
    private static final long TOKEN_LIFETIME_MS = TimeUnit.HOURS.toMillis(1);

    private final TempFolder folder = new TempFolder("odradek-security-");
    private CertificateAuthority authority = new CertificateAuthority("odradek test CA");
    private final Kerberos kerberos;
    private final String host;
    private final String[] serverHosts;
    private final SignedTokens tokens = new SignedTokens();
    private final Runnable atExit = this::close;

    record Kerberos(Path config, String brokerLogin, String clientLogin)
    {
    }

    /** Creates certificates and users for brokers on the loopback address. */
    public BrokerSecurity()
    {
        this(null, Sockets.HOST);
    }

    /**
     * @param address IP address on which the brokers listen. The certificates name this address and, if it is
     *                127.0.0.1, also localhost.
     */
    BrokerSecurity(final Kerberos kerberos, final String address)
    {
        JvmExit.add(atExit);
        this.kerberos = kerberos;
        final boolean isLocal = address.equals(Sockets.HOST);
        host = isLocal ? LOCAL_NAME : address;
        serverHosts = isLocal ? new String[]{LOCAL_NAME, address} : new String[]{address};
        final Instant now = Instant.now();
        final Duration hour = Duration.ofHours(1);
        writeServer(SecureListener.SSL, authority.issue("broker", serverHosts));
        writeServer(SecureListener.EXPIRED,
            authority.issue("broker", now.minus(hour.multipliedBy(2)), now.minus(hour), serverHosts));
        writeServer(SecureListener.NOT_YET_VALID,
            authority.issue("broker", now.plus(hour), now.plus(hour.multipliedBy(2)), serverHosts));
        writeServer(SecureListener.WRONG_HOST, authority.issue("broker", "elsewhere.example", "10.1.2.3"));
        writeServer(SecureListener.UNKNOWN_CA, new CertificateAuthority("unknown CA").issue("broker", serverHosts));
        writeServer(SecureListener.ED25519, authority.issue("broker", CertificateAuthority.keyPair("Ed25519"),
            now.minus(hour), now.plus(Duration.ofDays(1)), serverHosts));
        authority.writePkcs12(file("truststore.p12"), STORE_PASSWORD);
        authority.writePem(file("ca.pem"));
        final Identity client = authority.issue("odradek test client");
        client.writePkcs12(file("client.p12"), STORE_PASSWORD);
        client.writePem(file("client.pem"));
        tokens.writeKeySet(keySet());
    }

    private void writeServer(final SecureListener listener, final Identity identity)
    {
        identity.writePkcs12(keyStore(listener), STORE_PASSWORD);
    }

    /**
     * Returns the PKCS12 key store of a listener, with {@link #STORE_PASSWORD}. The listeners without a certificate of
     * their own share one key store.
     */
    public Path keyStore(final SecureListener listener)
    {
        return switch (listener)
        {
            case EXPIRED, NOT_YET_VALID, WRONG_HOST, UNKNOWN_CA, ED25519 -> file(name(listener) + ".p12");
            default -> file("server.p12");
        };
    }

    private Path file(final String name)
    {
        return folder.path().resolve(name);
    }

    private Path keySet()
    {
        return file("jwks.json");
    }

    private Path tokenFile()
    {
        return file("user-token.jwt");
    }

    private static String name(final SecureListener listener)
    {
        return listener.name().toLowerCase(Locale.ROOT);
    }

    /** Returns the folder of all files. Tests may add files of their own. */
    public Path folder()
    {
        return folder.path();
    }

    /** Returns the file with the certificate of the authority, as PEM. */
    public Path trustPem()
    {
        return file("ca.pem");
    }

    /** Returns the trust store with the certificate of the authority, as PKCS12 with {@link #STORE_PASSWORD}. */
    public Path trustStore()
    {
        return file("truststore.p12");
    }

    /**
     * Returns the key store with a key and a certificate that {@link SecureListener#MTLS} accepts, as PKCS12 with
     * {@link #STORE_PASSWORD}.
     */
    public Path clientStore()
    {
        return file("client.p12");
    }

    /** Returns the file with a key and a certificate that {@link SecureListener#MTLS} accepts, as PEM. */
    public Path clientPem()
    {
        return file("client.pem");
    }

    /**
     * Returns a token that {@link SecureListener#OAUTH} accepts until the token expires.
     *
     * @param subject    the name of the principal.
     * @param lifetimeMs how long the token is valid, in milliseconds; with a negative time it has already expired.
     */
    public String token(final String subject, final long lifetimeMs)
    {
        return tokens.token(subject, lifetimeMs);
    }

    /**
     * Returns the properties with which Kafka's own clients connect to a listener. The properties for {@link
     * SecureListener#OAUTH} name a file with a token that is valid for an hour. A client in another JVM may read that
     * file only if the system property {@code org.apache.kafka.sasl.oauthbearer.allowed.urls} of that JVM contains the
     * URL of the file.
     *
     * @param mechanism PLAIN, SCRAM-SHA-256, SCRAM-SHA-512, OAUTHBEARER or GSSAPI; ignored, and null is allowed, for a
     *                  listener without SASL.
     * @throws IllegalArgumentException if the listener has SASL without this mechanism: {@link SecureListener#OAUTH}
     *                                  offers only OAUTHBEARER, and GSSAPI needs {@link BrokerSettings#secured(Path,
     *                                  String, String)}.
     */
    public Map<String, String> clientProperties(final SecureListener listener, final String mechanism)
    {
        final Map<String, String> properties = new LinkedHashMap<>();
        properties.put("security.protocol", listener.protocol());
        if (listener.hasTls())
        {
            properties.put("ssl.truststore.type", "PKCS12");
            properties.put("ssl.truststore.location", trustStore().toString());
            properties.put("ssl.truststore.password", STORE_PASSWORD);
        }
        if (listener == SecureListener.MTLS)
        {
            properties.put("ssl.keystore.type", "PKCS12");
            properties.put("ssl.keystore.location", clientStore().toString());
            properties.put("ssl.keystore.password", STORE_PASSWORD);
            properties.put("ssl.key.password", STORE_PASSWORD);
        }
        if (listener.hasSasl())
        {
            checkMechanism(listener, mechanism);
            properties.put("sasl.mechanism", mechanism);
            properties.put("sasl.jaas.config", login(listener, mechanism));
            if (mechanism.equals(GSSAPI))
            {
                properties.put("sasl.kerberos.service.name", "kafka");
            }
            if (listener == SecureListener.OAUTH)
            {
                putToken(properties);
            }
        }
        return properties;
    }

    private void checkMechanism(final SecureListener listener, final String mechanism)
    {
        if (mechanism == null || !mechanisms(listener).contains(mechanism))
        {
            throw new IllegalArgumentException("Listener " + listener + " of this broker has " +
                String.join(", ", mechanisms(listener)) + ", but not " + mechanism +
                (GSSAPI.equals(mechanism) && listener != SecureListener.OAUTH ?
                    "; BrokerSettings.secured with a krb5.conf adds it." : "."));
        }
    }

    private List<String> mechanisms(final SecureListener listener)
    {
        if (listener == SecureListener.OAUTH)
        {
            return List.of(OAUTHBEARER);
        }
        final List<String> all = List.of("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512", OAUTHBEARER, GSSAPI);
        return kerberos == null ? all.subList(0, all.size() - 1) : all;
    }

    private void putToken(final Map<String, String> properties)
    {
        Identity.write(tokenFile(), token(USER, TOKEN_LIFETIME_MS).getBytes(StandardCharsets.US_ASCII));
        changeAllowedUrls((urls) -> urls.add(url(tokenFile())));
        properties.put("sasl.oauthbearer.token.endpoint.url", url(tokenFile()));
        properties.put("sasl.login.callback.handler.class", LOGIN + "oauthbearer.OAuthBearerLoginCallbackHandler");
    }

    /** Writes {@link #clientProperties} to a file in {@link #folder()}, and returns the file. */
    public Path writeClientProperties(final SecureListener listener, final String mechanism)
    {
        final Properties properties = new Properties();
        properties.putAll(clientProperties(listener, mechanism));
        final Path file = file(name(listener) + (listener.hasSasl() ? "-" + mechanism : "") + ".properties");
        try (Writer writer = Files.newBufferedWriter(file))
        {
            properties.store(writer, null);
            return file;
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }

    private String login(final SecureListener listener, final String mechanism)
    {
        final String user = " required username=\"" + USER + "\" password=\"" + PASSWORD + "\";";
        return switch (mechanism)
        {
            case "PLAIN" -> LOGIN + "plain.PlainLoginModule" + user;
            case "SCRAM-SHA-256", "SCRAM-SHA-512" -> LOGIN + "scram.ScramLoginModule" + user;
            case OAUTHBEARER -> OAUTH_LOGIN +
                (listener == SecureListener.OAUTH ? ";" : " unsecuredLoginStringClaim_sub=\"" + USER + "\";");
            case GSSAPI -> kerberos.clientLogin();
            default -> throw new IllegalArgumentException(mechanism);
        };
    }

    /** Returns the arguments with which Kafka's storage tool creates the SCRAM credentials of {@link #USER}. */
    public List<String> formatArguments()
    {
        return List.of(
            "--add-scram", "SCRAM-SHA-256=[name=" + USER + ",password=" + PASSWORD + "]",
            "--add-scram", "SCRAM-SHA-512=[name=" + USER + ",iterations=8192,password=" + PASSWORD + "]");
    }

    List<String> jvmFlags()
    {
        final List<String> flags = new ArrayList<>();
        flags.add("-D" + ALLOWED_URLS + "=" + url(keySet()));
        if (kerberos != null)
        {
            flags.add("-Djava.security.krb5.conf=" + kerberos.config());
        }
        return flags;
    }

    void prepareThisJvm()
    {
        changeAllowedUrls((urls) -> urls.add(url(keySet())));
    }

    private static synchronized void changeAllowedUrls(final Consumer<Set<String>> change)
    {
        final Set<String> urls = new LinkedHashSet<>(List.of(System.getProperty(ALLOWED_URLS, "").split(",")));
        urls.remove("");
        change.accept(urls);
        if (urls.isEmpty())
        {
            System.clearProperty(ALLOWED_URLS);
        }
        else
        {
            System.setProperty(ALLOWED_URLS, String.join(",", urls));
        }
    }

    private static String url(final Path file)
    {
        return file.toUri().toString();
    }

    void fillOutside(final BiConsumer<String, String> properties)
    {
        final String prefix = "listener.name.outside.";
        properties.accept(prefix + "ssl.keystore.location", keyStore(SecureListener.SASL_SSL).toString());
        properties.accept(prefix + "ssl.keystore.type", "PKCS12");
        properties.accept(prefix + "ssl.keystore.password", STORE_PASSWORD);
        properties.accept(prefix + "ssl.key.password", STORE_PASSWORD);
        fillMechanisms(SecureListener.REAUTH, prefix, properties);
    }

    /**
     * Replaces the certificate in the key store of {@link SecureListener#SSL}, which MTLS, SASL_SSL and TLS13 share. A
     * broker uses the new certificate after it has read the key store again.
     *
     * @param from start of the certificate's validity.
     * @param to   end of the certificate's validity.
     */
    public void showCertificate(final Instant from, final Instant to)
    {
        writeServer(SecureListener.SSL, authority.issue("broker", from, to, serverHosts));
    }

    /**
     * Replaces the certificate authority, and the certificate in the key store of {@link SecureListener#SSL}. Until
     * {@link #dropLastAuthority()} is called, {@link #trustPem} contains both the old and the new authority. {@link
     * #trustStore} still contains only the first authority.
     */
    public void replaceAuthority()
    {
        final String old = authority.pem();
        authority = new CertificateAuthority("odradek test CA");
        Identity.write(trustPem(), (old + authority.pem()).getBytes(StandardCharsets.US_ASCII));
        writeServer(SecureListener.SSL, authority.issue("broker", serverHosts));
    }

    /** Removes the authority before the current one from {@link #trustPem}. */
    public void dropLastAuthority()
    {
        authority.writePem(trustPem());
    }

    void fill(final BiConsumer<String, String> properties)
    {
        properties.accept("ssl.keystore.type", "PKCS12");
        properties.accept("ssl.keystore.password", STORE_PASSWORD);
        properties.accept("ssl.key.password", STORE_PASSWORD);
        properties.accept("ssl.truststore.location", trustStore().toString());
        properties.accept("ssl.truststore.type", "PKCS12");
        properties.accept("ssl.truststore.password", STORE_PASSWORD);
        properties.accept("sasl.kerberos.service.name", "kafka");
        for (final SecureListener listener : SecureListener.values())
        {
            final String prefix = "listener.name." + name(listener) + ".";
            if (listener.hasTls())
            {
                properties.accept(prefix + "ssl.keystore.location", keyStore(listener).toString());
            }
            if (listener.hasSasl())
            {
                fillMechanisms(listener, prefix, properties);
            }
        }
        properties.accept("listener.name.mtls.ssl.client.auth", "required");
        properties.accept("listener.name.tls13.ssl.enabled.protocols", "TLSv1.3");
    }

    private void fillMechanisms(
        final SecureListener listener, final String prefix, final BiConsumer<String, String> properties)
    {
        final String oauth = prefix + "oauthbearer.sasl.";
        properties.accept(prefix + "sasl.enabled.mechanisms", String.join(",", mechanisms(listener)));
        if (listener == SecureListener.OAUTH)
        {
            properties.accept(oauth + "jaas.config", OAUTH_LOGIN + ";");
            properties.accept(oauth + "server.callback.handler.class",
                LOGIN + "oauthbearer.OAuthBearerValidatorCallbackHandler");
            properties.accept(oauth + "oauthbearer.jwks.endpoint.url", url(keySet()));
            properties.accept(oauth + "oauthbearer.expected.audience", SignedTokens.AUDIENCE);
            properties.accept(oauth + "oauthbearer.expected.issuer", SignedTokens.ISSUER);
            return;
        }
        properties.accept(prefix + "plain.sasl.jaas.config",
            LOGIN + "plain.PlainLoginModule required user_" + USER + "=\"" + PASSWORD + "\";");
        properties.accept(prefix + "scram-sha-256.sasl.jaas.config", LOGIN + "scram.ScramLoginModule required;");
        properties.accept(prefix + "scram-sha-512.sasl.jaas.config", LOGIN + "scram.ScramLoginModule required;");
        properties.accept(oauth + "jaas.config", OAUTH_LOGIN + " unsecuredLoginStringClaim_sub=\"broker\";");
        properties.accept(oauth + "server.callback.handler.class",
            LOGIN + "oauthbearer.internals.unsecured.OAuthBearerUnsecuredValidatorCallbackHandler");
        if (kerberos != null)
        {
            properties.accept(prefix + "gssapi.sasl.jaas.config", kerberos.brokerLogin());
        }
        if (listener == SecureListener.REAUTH)
        {
            for (final String mechanism : List.of("plain", "scram-sha-256", "scram-sha-512", "oauthbearer"))
            {
                properties.accept(
                    prefix + mechanism + ".connections.max.reauth.ms", Integer.toString(REAUTH_MS));
            }
        }
    }

    String address(final int port)
    {
        return Sockets.hostAndPort(host, port);
    }

    /** Removes the folder with all files. */
    @Override
    public void close()
    {
        JvmExit.remove(atExit);
        changeAllowedUrls((urls) -> urls.removeAll(List.of(url(keySet()), url(tokenFile()))));
        folder.delete();
    }
}
