// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.properties;

import org.odradek.client.security.CertificateStore;
import org.odradek.client.security.SaslMechanism;
import org.odradek.client.security.SecuritySettings;
import org.odradek.client.security.TlsSettings;

import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/** Reads Kafka's keys security.protocol, ssl.* and sasl.* into settings. */
final class KafkaSecurity
{
    private static final String PROTOCOL = "security.protocol";
    private static final String TOKEN_URL = "sasl.oauthbearer.token.endpoint.url";
    /** Kafka's system property that lists the URLs that properties may name; if it is not set, none is allowed. */
    private static final String ALLOWED_URLS = "org.apache.kafka.sasl.oauthbearer.allowed.urls";
    private static final String TLS_1_2 = "TLSv1.2";
    /** The keys that are reported if the value of security.protocol does not use them. */
    private static final List<String> TELLING_KEYS = List.of("ssl.truststore.location", "ssl.truststore.certificates",
        "ssl.keystore.location", "ssl.keystore.key", "sasl.jaas.config");

    /** The mechanisms that send the secret of the user unencrypted. */
    private static final Set<String> SENT_AS_TEXT = Set.of("PLAIN", "OAUTHBEARER");

    private final Map<String, KafkaValue> values;

    KafkaSecurity(final Map<String, KafkaValue> values)
    {
        this.values = values;
    }

    SecuritySettings settings(final Consumer<? super String> notes)
    {
        final String protocol = text(PROTOCOL, "PLAINTEXT").toUpperCase(Locale.ROOT);
        final boolean hasTls = protocol.endsWith("SSL");
        final boolean hasSasl = protocol.startsWith("SASL");
        for (final String key : TELLING_KEYS)
        {
            if (values.containsKey(key) && !(key.startsWith("ssl.") ? hasTls : hasSasl))
            {
                notes.accept(key + " is ignored: " + PROTOCOL + " is " + protocol + ", which does not use it");
            }
        }
        if (!hasSasl)
        {
            return hasTls ? SecuritySettings.tlsOnly(tls()) : SecuritySettings.plaintext();
        }
        final SaslMechanism mechanism = mechanism();
        if (!hasTls && SENT_AS_TEXT.contains(mechanism.name()))
        {
            notes.accept(PROTOCOL + " is " + protocol + ": anyone on the network can read what " + mechanism.name() +
                " sends, which is the password or the token itself; SASL_SSL encrypts it");
        }
        final SecuritySettings settings = SecuritySettings.sasl(mechanism);
        return hasTls ? settings.tls(tls()) : settings.withoutTls();
    }

    private TlsSettings tls()
    {
        final CertificateStore trust = store("ssl.truststore.", "certificates");
        final TlsSettings tls = trust == null ? TlsSettings.trustOfJvm() : TlsSettings.trust(trust);
        final CertificateStore key = store("ssl.keystore.", "certificate.chain");
        if (values.containsKey("ssl.keystore.key") && key == null)
        {
            throw value("ssl.keystore.key").wrong("it needs ssl.keystore.certificate.chain, and PEM as its type");
        }
        tls.key(key);
        ifGiven("ssl.enabled.protocols", (protocols) -> tls.protocols(protocols.list()));
        if (text("ssl.protocol", "").equals(TLS_1_2))
        {
            if (!tls.protocols().contains(TLS_1_2))
            {
                throw value("ssl.protocol").wrong("ssl.enabled.protocols rules it out");
            }
            tls.protocols(TLS_1_2);
        }
        ifGiven("ssl.cipher.suites", (suites) -> tls.cipherSuites(suites.list()));
        ifGiven("ssl.provider", (provider) -> tls.jdkProvider(provider.text()));
        return tls.verifyHost(!text("ssl.endpoint.identification.algorithm", "https").isEmpty());
    }

    private CertificateStore store(final String prefix, final String inlineName)
    {
        final String inlineKey = prefix + inlineName;
        final String location = text(prefix + "location", null);
        final String type = text(prefix + "type", null);
        final String passwordKey = prefix + "password";
        final boolean isInline = values.containsKey(inlineKey);
        if (isInline && (location != null || !CertificateStore.PEM.equalsIgnoreCase(type)))
        {
            throw value(inlineKey).wrong(location != null ? prefix + "location is given too: give one of them" :
                "it needs PEM as " + prefix + "type");
        }
        if (!isInline && location == null)
        {
            if (values.containsKey(passwordKey))
            {
                throw value(passwordKey).wrong("it needs " + prefix + "location");
            }
            return null;
        }
        final CertificateStore store = location == null ? inlineStore(prefix, inlineKey) :
            CertificateStore.file(value(prefix + "location").path()).type(type);
        ifGiven(passwordKey, (password) -> store.password(password.secret()));
        if (prefix.equals("ssl.keystore."))
        {
            ifGiven("ssl.key.password", (password) -> store.keyPassword(password.secret()));
        }
        return store;
    }

    private CertificateStore inlineStore(final String prefix, final String inlineKey)
    {
        final String certificates = String.valueOf(value(inlineKey).secret());
        return values.containsKey(prefix + "key") ?
            CertificateStore.pem(value(prefix + "key").secret(), certificates) : CertificateStore.pem(certificates);
    }

    private SaslMechanism mechanism()
    {
        final String name = text("sasl.mechanism", "GSSAPI").toUpperCase(Locale.ROOT);
        final KafkaValue config = value("sasl.jaas.config");
        final Path tokenFile =
            name.equals("OAUTHBEARER") && values.containsKey(TOKEN_URL) ? tokenFile(value(TOKEN_URL)) : null;
        final boolean isSet = values.containsKey(config.key());
        try
        {
            final JaasConfig login = isSet ? JaasConfig.parse(String.valueOf(config.secret())) : JaasConfig.ofJvm();
            if (login != null)
            {
                return KafkaMechanism.of(name, login, text("sasl.kerberos.service.name", null), tokenFile);
            }
        }
        catch (final IllegalArgumentException ex)
        {
            throw config.wrong(isSet ? ex.getMessage() :
                "the entry " + JaasConfig.CLIENT + " of the JVM's login configuration is used, and " + ex.getMessage());
        }
        throw config.wrong("it must be set for sasl.mechanism " + name + ", or the file of the system property " +
            JaasConfig.FILE_PROPERTY + " must have an entry " + JaasConfig.CLIENT);
    }

    private static Path tokenFile(final KafkaValue url)
    {
        final String text = url.string();
        if (!text.toLowerCase(Locale.ROOT).startsWith("file:"))
        {
            throw url.wrong("it must be the URL of a file, because this consumer fetches nothing by itself: make a " +
                "token source, and set it with SecuritySettings.sasl");
        }
        if (!ConfigProviders.isListed(ALLOWED_URLS, "", text))
        {
            throw url.wrong("the system property " + ALLOWED_URLS + " does not list this URL, so it must not be read");
        }
        try
        {
            return Path.of(URI.create(text));
        }
        catch (final IllegalArgumentException ex)
        {
            throw url.wrong("it must be the URL of a file, such as file:///run/token");
        }
    }

    private void ifGiven(final String key, final Consumer<KafkaValue> setter)
    {
        if (values.containsKey(key))
        {
            setter.accept(values.get(key));
        }
    }

    private KafkaValue value(final String key)
    {
        return values.getOrDefault(key, new KafkaValue(key, null));
    }

    private String text(final String key, final String otherwise)
    {
        return values.containsKey(key) ? value(key).text() : otherwise;
    }
}
