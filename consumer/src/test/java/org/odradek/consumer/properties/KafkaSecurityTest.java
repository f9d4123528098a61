// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.properties;

import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.config.types.Password;
import org.apache.kafka.common.security.oauthbearer.internals.secured.ConfigurationUtils;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.odradek.client.core.TlsMaterial;
import org.odradek.client.core.TlsStores;
import org.odradek.client.security.SecuritySettings;
import org.odradek.client.security.TlsSettings;
import org.odradek.consumer.ConsumerContext;
import org.odradek.testkit.internal.CertificateAuthority;
import org.odradek.testkit.internal.Identity;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import javax.security.auth.login.Configuration;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/**
 * Reads Kafka's keys of TLS and SASL, which have an effect only together.
 */
class KafkaSecurityTest
{
    private static final String CANARY = "canary-9f3a";
    private static final CertificateAuthority AUTHORITY = new CertificateAuthority("test CA");
    private static final Identity CLIENT = AUTHORITY.issue("client");
    private static final String TOKEN_URL = "sasl.oauthbearer.token.endpoint.url";
    private static final String ALLOWED_URLS = "org.apache.kafka.sasl.oauthbearer.allowed.urls";
    private static final String PLAIN = "org.apache.kafka.common.security.plain.PlainLoginModule";
    private static final String OAUTH = "org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule";
    private static final String KERBEROS = "com.sun.security.auth.module.Krb5LoginModule";
    private static final String SCRAM = "org.apache.kafka.common.security.scram.ScramLoginModule";

    @TempDir
    private static Path folder;

    private final List<String> notes = new ArrayList<>();

    private ConsumerContext from(final String protocol, final Object... keysAndValues)
    {
        final Map<String, Object> properties = new HashMap<>();
        properties.put("security.protocol", protocol);
        for (int i = 0; i < keysAndValues.length; i += 2)
        {
            properties.put((String)keysAndValues[i], keysAndValues[i + 1]);
        }
        return ConsumerContext.from(properties, notes::add);
    }

    private TlsSettings tls(final Object... keysAndValues)
    {
        return from("SSL", keysAndValues).security().tls();
    }

    private TlsMaterial material(final Object... keysAndValues)
    {
        final TlsSettings settings = tls(keysAndValues);
        return TlsStores.reader().load().apply(settings);
    }

    @Test
    void shouldTrustWhatTheJvmTrustsUnlessAStoreIsGiven()
    {
        final TlsSettings tls = tls();

        assertNull(tls.trust());
        assertNull(tls.key());
        assertTrue(tls.verifyHost());
        assertEquals(List.of("TLSv1.3", "TLSv1.2"), tls.protocols());
        assertEquals(List.of(), notes);
    }

    static Stream<Arguments> trustStores()
    {
        final String pkcs12 = AUTHORITY.writePkcs12(folder.resolve("ca.p12"), CANARY).toString();
        final String pem = AUTHORITY.writePem(folder.resolve("ca.pem")).toString();
        final String text = CLIENT.chainPem().substring(CLIENT.chainPem().lastIndexOf("-----BEGIN"));
        return Stream.of(
            arguments((Object)new Object[]{"ssl.truststore.location", pkcs12, "ssl.truststore.password", CANARY}),
            arguments((Object)new Object[]{"ssl.truststore.location", pkcs12,
                "ssl.truststore.password", CANARY.toCharArray(), "ssl.truststore.type", "PKCS12"}),
            // As an application has it that passes on what Kafka has parsed.
            arguments((Object)new Object[]{"ssl.truststore.location", pkcs12,
                "ssl.truststore.password", new Password(CANARY)}),
            // Kafka's default type, which reads the other as well.
            arguments((Object)new Object[]{"ssl.truststore.location", pkcs12, "ssl.truststore.password", CANARY,
                "ssl.truststore.type", "JKS"}),
            arguments((Object)new Object[]{"ssl.truststore.location", pem, "ssl.truststore.type", "PEM"}),
            arguments((Object)new Object[]{"ssl.truststore.certificates", text, "ssl.truststore.type", "PEM"}));
    }

    @ParameterizedTest
    @MethodSource("trustStores")
    void shouldTrustTheStore(final Object[] keysAndValues)
    {
        assertArrayEquals(new Object[]{AUTHORITY.certificate()},
            material(keysAndValues).trustManager().getAcceptedIssuers());
        assertEquals(List.of(), notes);
    }

    static Stream<Arguments> keyStores()
    {
        final String pkcs12 = CLIENT.writePkcs12(folder.resolve("key.p12"), CANARY).toString();
        final String pem = CLIENT.writePem(folder.resolve("key.pem")).toString();
        return Stream.of(
            arguments((Object)new Object[]{"ssl.keystore.location", pkcs12, "ssl.keystore.password", CANARY}),
            arguments((Object)new Object[]{"ssl.keystore.location", pkcs12, "ssl.keystore.password", CANARY,
                "ssl.key.password", CANARY, "ssl.keystore.type", "PKCS12"}),
            arguments((Object)new Object[]{"ssl.keystore.location", pem, "ssl.keystore.type", "PEM"}),
            arguments((Object)new Object[]{"ssl.keystore.key", CLIENT.keyPem(), "ssl.keystore.certificate.chain",
                CLIENT.chainPem(), "ssl.keystore.type", "PEM"}),
            arguments((Object)new Object[]{"ssl.keystore.key", CLIENT.keyPem(false, CANARY),
                "ssl.keystore.certificate.chain", CLIENT.chainPem(), "ssl.keystore.type", "PEM",
                "ssl.key.password", CANARY}));
    }

    @ParameterizedTest
    @MethodSource("keyStores")
    void shouldHaveTheKeyOfTheStore(final Object[] keysAndValues)
    {
        final TlsMaterial material = material(keysAndValues);

        assertEquals(CLIENT.key(), material.privateKey());
        assertArrayEquals(CLIENT.chain().toArray(), material.chain());
    }

    @Test
    void shouldOfferTheProtocolsAndCipherSuites()
    {
        assertEquals(List.of("TLSv1.2"), tls("ssl.protocol", "TLSv1.2").protocols());
        assertEquals(List.of("TLSv1.2"), tls("ssl.enabled.protocols", List.of("TLSv1.2")).protocols());
        assertEquals(List.of("TLSv1.2", "TLSv1.3"), tls("ssl.enabled.protocols", "TLSv1.2, TLSv1.3").protocols());
        assertEquals(List.of("TLS_AES_128_GCM_SHA256"),
            tls("ssl.cipher.suites", "TLS_AES_128_GCM_SHA256").cipherSuites());
        assertEquals("SunJSSE", tls("ssl.provider", "SunJSSE").jdkProvider());
        assertFalse(tls("ssl.endpoint.identification.algorithm", "").verifyHost());
    }

    static Stream<Arguments> wrongValues()
    {
        return Stream.of(
            arguments("ssl.enabled.protocols is 'TLSv1.1'", "each must be TLSv1.2 or TLSv1.3",
                new Object[]{"ssl.enabled.protocols", "TLSv1.1"}),
            arguments("ssl.protocol is 'SSL'", "it must be TLS, TLSv1.2 or TLSv1.3",
                new Object[]{"ssl.protocol", "SSL"}),
            arguments("ssl.protocol is 'TLSv1.2'", "ssl.enabled.protocols rules it out",
                new Object[]{"ssl.protocol", "TLSv1.2", "ssl.enabled.protocols", "TLSv1.3"}),
            arguments("ssl.endpoint.identification.algorithm is 'ldaps'", "it must be https or empty",
                new Object[]{"ssl.endpoint.identification.algorithm", "ldaps"}),
            arguments("ssl.truststore.password is hidden", "it needs ssl.truststore.location",
                new Object[]{"ssl.truststore.password", CANARY}),
            arguments("ssl.truststore.certificates is hidden", "it needs PEM as ssl.truststore.type",
                new Object[]{"ssl.truststore.certificates", CANARY}),
            arguments("ssl.truststore.certificates is hidden", "ssl.truststore.location is given too",
                new Object[]{"ssl.truststore.certificates", CANARY, "ssl.truststore.type", "PEM",
                    "ssl.truststore.location", "f"}),
            arguments("ssl.keystore.key is hidden", "it needs ssl.keystore.certificate.chain, and PEM",
                new Object[]{"ssl.keystore.key", CANARY, "ssl.keystore.type", "PEM"}),
            arguments("ssl.key.password is hidden of type Integer", "it must be a String",
                new Object[]{"ssl.key.password", 5}),
            arguments("sasl.mechanism is 'AWS_MSK_IAM'", "OAUTHBEARER or GSSAPI",
                new Object[]{"sasl.mechanism", "AWS_MSK_IAM"}));
    }

    @ParameterizedTest
    @MethodSource("wrongValues")
    void shouldRefuseInOneSentence(final String what, final String right, final Object[] keysAndValues)
    {
        final String message =
            assertThrows(IllegalArgumentException.class, () -> from("SSL", keysAndValues)).getMessage();

        assertTrue(message.startsWith(what), message);
        assertTrue(message.contains(right), message);
        assertFalse(message.contains(CANARY), message);
    }

    static Stream<Arguments> wrongLogins()
    {
        final String user = " required username=\"u\" password=\"" + CANARY + "\";";
        return Stream.of(
            arguments("PLAIN", "", "it lacks a login module"),
            arguments("PLAIN", PLAIN, "it lacks required, requisite, sufficient or optional"),
            arguments("PLAIN", PLAIN + " perhaps;", "it has no required, requisite, sufficient or optional"),
            arguments("PLAIN", PLAIN + " required", "it lacks the name of an option, or a semicolon at its end"),
            arguments("PLAIN", PLAIN + " required username;", "it has no = after the name of option 1"),
            arguments("PLAIN", PLAIN + " required username=;", "it lacks a value of option 1"),
            arguments("PLAIN", PLAIN + " required username=u password=my " + CANARY + ";",
                "it has no = after the name of option 3"),
            arguments("PLAIN", PLAIN + " required username=u password=my " + CANARY + "=;",
                "it lacks a value of option 3"),
            arguments("PLAIN", PLAIN + user + PLAIN + user, "it has more than one login module"),
            arguments("PLAIN", PLAIN + " required username=u;", "it lacks the option password"),
            arguments("PLAIN", PLAIN + " required username=\"\" password=\"" + CANARY + "\";", "user"),
            arguments("OAUTHBEARER", OAUTH + " required;", "it has no unsecuredLoginStringClaim_sub, and"),
            arguments("OAUTHBEARER", OAUTH + " required unsecuredLoginStringClaim_sub='a\"b';",
                "must have visible ASCII characters"),
            arguments("PLAIN", SCRAM + user, "it names another login module, and sasl.mechanism PLAIN needs " + PLAIN),
            arguments("SCRAM-SHA-512", PLAIN + user, "and sasl.mechanism SCRAM-SHA-512 needs " + SCRAM));
    }

    @ParameterizedTest
    @MethodSource("wrongLogins")
    void shouldRefuseALoginInOneSentenceWithoutItsPassword(final String mechanism, final String login, final String why)
    {
        final String message = assertThrows(IllegalArgumentException.class,
            () -> from("SASL_SSL", "sasl.mechanism", mechanism, "sasl.jaas.config", login)).getMessage();

        assertTrue(message.startsWith("sasl.jaas.config is hidden: "), message);
        assertTrue(message.contains(why), message);
        assertFalse(message.contains(CANARY), message);
    }

    static Stream<Arguments> logins()
    {
        final String user = " required username=\"u\" password=\"" + CANARY + "\"";
        return Stream.of(
            arguments("PLAIN", PLAIN + user + ";", "PLAIN"),
            arguments("SCRAM-SHA-256", SCRAM + user + ";", "SCRAM-SHA-256"),
            arguments("scram-sha-512", SCRAM + user + " tokenauth=true;", "SCRAM-SHA-512"),
            arguments("OAUTHBEARER", OAUTH + " required unsecuredLoginStringClaim_sub=u " +
                "unsecuredLoginExtension_logicalCluster=c;", "OAUTHBEARER"),
            arguments("GSSAPI", KERBEROS + " required useKeyTab=true keyTab=\"f\" principal=\"p\";", "GSSAPI"));
    }

    @ParameterizedTest
    @MethodSource("logins")
    void shouldMakeTheMechanismOfTheLogin(final String mechanism, final String login, final String name)
    {
        final SecuritySettings security =
            from("SASL_SSL", "sasl.mechanism", mechanism, "sasl.jaas.config", login).security();

        assertEquals(name, security.mechanism().name());
        assertTrue(security.tls().verifyHost());
        assertFalse(security.toString().contains(CANARY), security.toString());
        assertFalse(security.mechanism().toString().contains(CANARY), security.mechanism().toString());
        assertEquals(List.of(), notes);
        assertNull(from("SASL_PLAINTEXT", "sasl.mechanism", mechanism, "sasl.jaas.config", login).security().tls());
        assertEquals(name.equals("PLAIN") || name.equals("OAUTHBEARER") ? List.of("security.protocol is " +
            "SASL_PLAINTEXT: anyone on the network can read what " + name + " sends, which is the password or the " +
            "token itself; SASL_SSL encrypts it") : List.of(), notes);
    }

    private byte[] token(final String url) throws Exception
    {
        return from("SASL_SSL", "sasl.mechanism", "OAUTHBEARER", TOKEN_URL, url, "sasl.jaas.config",
            OAUTH + " required extension_logicalCluster=\"lkc-1\";").security().mechanism().begin("host")
            .respond(new byte[0]);
    }

    private String refusal(final String url)
    {
        return assertThrows(IllegalArgumentException.class, () -> token(url)).getMessage();
    }

    @Test
    void shouldReadTheTokenFromAFileAndFetchNothing() throws Exception
    {
        final String url = Files.writeString(folder.resolve("token"), "a.b.c\n").toUri().toString();
        System.setProperty(ALLOWED_URLS, url);
        try
        {
            assertEquals("n,,\1auth=Bearer a.b.c\1logicalCluster=lkc-1\1\1",
                new String(token(url), StandardCharsets.US_ASCII));
        }
        finally
        {
            System.clearProperty(ALLOWED_URLS);
        }
        assertEquals(TOKEN_URL + " is 'https://issuer.example/token': it must be the URL of a file, because this " +
            "consumer fetches nothing by itself: make a token source, and set it with SecuritySettings.sasl",
            refusal("https://issuer.example/token"));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', value = {
        "``", "*", "file:", "/FOLDER/token", "file:///FOLDER/", "file:///FOLDER/other", "file:///FOLDER/token/",
        "FILE:///FOLDER/token", "file:/FOLDER/token", "file:///FOLDER/token", "a:b , file:///FOLDER/token ,,c"})
    void shouldReadTheTokenFilesThatKafkaReads(final String allowed) throws Exception
    {
        final Path file = Files.writeString(folder.resolve("token"), "a.b.c\n");
        final String url = " file://" + file + " ";
        final boolean isAllowed = allowed.contains("file:///FOLDER/token") && !allowed.endsWith("/");
        assertTrue(refusal(url).endsWith(": the system property org.apache.kafka.sasl.oauthbearer.allowed.urls " +
            "does not list this URL, so it must not be read"), () -> refusal(url));
        System.setProperty(ALLOWED_URLS, allowed.replace("/FOLDER", folder.toString()));
        try
        {
            final ConfigurationUtils kafka = new ConfigurationUtils(Map.of(TOKEN_URL, url));
            if (isAllowed)
            {
                assertEquals(file, kafka.validateFileUrl(TOKEN_URL).toPath());
                assertTrue(new String(token(url), StandardCharsets.US_ASCII).contains("a.b.c"));
            }
            else
            {
                assertThrows(ConfigException.class, () -> kafka.validateFileUrl(TOKEN_URL));
                assertTrue(refusal(url).contains(ALLOWED_URLS), () -> refusal(url));
            }
        }
        finally
        {
            System.clearProperty(ALLOWED_URLS);
        }
    }

    @ParameterizedTest
    @CsvSource({"https://user:canary-9f3a@issuer.example/token", "https://user:p/canary-9f3a@issuer.example",
        "https://issuer.example/token?key=canary-9f3a", "https://issuer.example/token#canary-9f3a",
        "file://user:canary-9f3a@host/token"})
    void shouldHideTheSecretsOfAUrl(final String url)
    {
        assertTrue(refusal(url).startsWith(TOKEN_URL + " is hidden: "), () -> refusal(url));
        assertFalse(refusal(url).contains(CANARY), () -> refusal(url));
    }

    @ParameterizedTest
    @CsvSource({"file:token", "file://host/token", "file:///token?query", "file:/a b", "file:"})
    void shouldRefuseTheUrlOfNoFile(final String url)
    {
        System.setProperty(ALLOWED_URLS, url);
        try
        {
            assertTrue(refusal(url).endsWith(": it must be the URL of a file, such as file:///run/token"),
                () -> refusal(url));
        }
        finally
        {
            System.clearProperty(ALLOWED_URLS);
        }
    }

    @Test
    void shouldAskForTheLogin()
    {
        final String or = ", or the file of the system property java.security.auth.login.config must have an entry " +
            "KafkaClient";
        assertEquals("sasl.jaas.config is not set: it must be set for sasl.mechanism PLAIN" + or,
            assertThrows(IllegalArgumentException.class,
                () -> from("SASL_SSL", "sasl.mechanism", "PLAIN")).getMessage());
        assertEquals("sasl.jaas.config is not set: it must be set for sasl.mechanism GSSAPI" + or,
            assertThrows(IllegalArgumentException.class, () -> from("SASL_PLAINTEXT")).getMessage());
    }

    /** As Kafka does, unless sasl.jaas.config is set. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', value = {
        "KafkaClient {MODULE required username=\"u\" password=\"canary\";}; | ``",
        "KafkaServer {MODULE required username=\"u\" password=\"canary\";}; | it must be set for sasl.mechanism PLAIN,",
        "KafkaClient {MODULE required username=\"u\";}; | is used, and it lacks the option password",
        "KafkaClient {MODULE required password=\"canary\"; MODULE optional;}; | and it has more than one login module",
        "KafkaClient {MODULE | and java.security.auth.login.config names a file that cannot be read"})
    void shouldReadTheLoginConfigurationOfTheJvm(final String content, final String why) throws Exception
    {
        final Path file = Files.writeString(folder.resolve("jaas.conf"), content.replace("MODULE", PLAIN));
        System.setProperty("java.security.auth.login.config", file.toString());
        Configuration.setConfiguration(null);
        try
        {
            if (why.isEmpty())
            {
                assertEquals("\0u\0canary", new String(from("SASL_SSL", "sasl.mechanism", "PLAIN").security()
                    .mechanism().begin("host").respond(new byte[0]), StandardCharsets.US_ASCII));
                return;
            }
            final String message = assertThrows(IllegalArgumentException.class,
                () -> from("SASL_SSL", "sasl.mechanism", "PLAIN")).getMessage();
            assertTrue(message.startsWith("sasl.jaas.config is not set: ") && message.contains(why), message);
            assertFalse(message.contains("canary"), message);
        }
        finally
        {
            System.clearProperty("java.security.auth.login.config");
            Configuration.setConfiguration(null);
        }
    }

    @Test
    void shouldParseALoginAsKafkaDoes()
    {
        final JaasConfig config = JaasConfig.parse("com.example.Module /* of */ REQUIRED\n" +
            "a=\"1 2;=\" b-c.d=plain_1 // comment\n keyTab='/a/b c.keytab' debug=true n=-5.5 q=\"a\\\"b\";");

        assertEquals("com.example.Module", config.module());
        assertEquals(Map.of("a", "1 2;=", "b-c.d", "plain_1", "keyTab", "/a/b c.keytab", "debug", "true", "n", "-5.5",
            "q", "a\"b"), config.options());
        assertEquals("com.example.Module", config.toString());
    }

    @Test
    void shouldNoteKeysThatTheProtocolDoesNotUse()
    {
        from("PLAINTEXT", "ssl.truststore.location", "f", "ssl.truststore.password", CANARY, "sasl.jaas.config", CANARY,
            "ssl.protocol", "TLSv1.3");

        assertEquals(List.of(
            "ssl.truststore.location is ignored: security.protocol is PLAINTEXT, which does not use it",
            "sasl.jaas.config is ignored: security.protocol is PLAINTEXT, which does not use it"), notes);
    }
}
