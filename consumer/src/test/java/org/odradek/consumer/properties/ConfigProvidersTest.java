// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.properties;

import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.common.config.ConfigException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.odradek.client.security.SecuritySettings;
import org.odradek.consumer.ConsumerContext;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Replaces variables in the properties of a kafka-clients consumer; kafka-clients itself has the right values. */
class ConfigProvidersTest
{
    private static final String PACKAGE = "org.apache.kafka.common.config.provider.";
    private static final String ALLOWED_CLASSES = "org.apache.kafka.automatic.config.providers";
    private static final String SECRET = "s3cret-7";
    /** A variable that the environment of every build has. */
    private static final String NAME = "PATH";

    private final List<String> notes = new ArrayList<>();
    private final Map<String, Object> properties = new HashMap<>();
    @TempDir
    private Path folder;

    @BeforeEach
    void prepare() throws IOException
    {
        Files.writeString(folder.resolve("some.properties"),
            "password=" + SECRET + "\nnumber = 7\nescaped=a\\u003db$1\\\\\nempty=\npath=" + SECRET + "\\u0000x\n" +
            "module=" + SECRET + " required;\nuser=" + SECRET + "\\u0000\n");
        Files.writeString(folder.resolve("token"), SECRET);
        properties.put("config.providers", "file,dir,env");
        properties.put("config.providers.file.class", PACKAGE + "FileConfigProvider");
        properties.put("config.providers.dir.class", PACKAGE + "DirectoryConfigProvider");
        properties.put("config.providers.env.class", PACKAGE + "EnvVarConfigProvider");
        properties.put("bootstrap.servers", "a:1");
    }

    private ConsumerContext from(final String key, final Object value)
    {
        properties.put(key, value instanceof String text ? text.replace("FOLDER", folder.toString()) : value);
        return ConsumerContext.from(properties, notes::add);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "${env:PATH}",
        "before-${file:FOLDER/some.properties:password}-after",
        "${file:FOLDER/some.properties:number}${dir:FOLDER:token}",
        "${file:FOLDER/./some.properties:escaped}",
        "${file:FOLDER/some.properties:escaped}}",
        "a${file:FOLDER/some.properties:empty}b",
        "${other:FOLDER:token} and ${dir:FOLDER:token}",
        "${dir:FOLDER:token",
        "$${dir:FOLDER:token}",
        "${}",
        "nothing"})
    void shouldReplaceVariablesAsKafkaDoes(final String value)
    {
        final ConsumerContext context = from("client.id", value);

        final Map<String, Object> all = new HashMap<>(properties);
        all.put("key.deserializer", Object.class);
        all.put("value.deserializer", Object.class);
        assertEquals(new ConsumerConfig(all).getString("client.id"), context.clientId());
        assertEquals(value.contains("other") ? 1 : 0, notes.size(), notes::toString);
    }

    @Test
    void shouldReadSecretsFromProviders()
    {
        properties.put("security.protocol", "SASL_SSL");
        properties.put("sasl.mechanism", "PLAIN");

        final SecuritySettings security = from("sasl.jaas.config",
            "org.apache.kafka.common.security.plain.PlainLoginModule required username=\"alice\" " +
            "password=\"${file:FOLDER/some.properties:password}\";").security();

        assertEquals("PLAIN", security.mechanism().name());
        assertFalse(security.toString().contains(SECRET), security::toString);
        assertEquals(List.of(), notes);
    }

    @Test
    void shouldReadNumbersFromProviders()
    {
        assertEquals(7, from("fetch.min.bytes", "${file:FOLDER/some.properties:number}").fetchMinBytes());
    }

    /** As in Kafka, variables are replaced in strings only. */
    @Test
    void shouldLeaveOtherTypesAlone()
    {
        assertEquals(5, from("fetch.min.bytes", 5).fetchMinBytes());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "${env:NO_SUCH_VARIABLE_AS_THIS} | the environment has no such variable",
        "${env:a:PATH} | an environment variable has no path",
        "${file:password} | it must have a path and a key",
        "${file::password} | it must have a path and a key",
        "${file:FOLDER/none:password} | the file cannot be read (java.nio.file.NoSuchFileException: FOLDER/none)",
        "${file:FOLDER/some.properties:Password} | the file has no such key",
        "${dir:FOLDER:none} | the file cannot be read",
        "${dir:FOLDER:../token} | its key must be the name of a file",
        "${dir:FOLDER:..} | its key must be the name of a file",
        "${dir:FOLDER/x:} | its key must be the name of a file",
        "${dir:FOLDER:/etc/passwd} | its key must be the name of a file"})
    void shouldRefuseVariablesWithoutAValue(final String variable, final String reason)
    {
        assertEquals("client.id has the variable " + variable.replace("FOLDER", folder.toString()) + ": ",
            refusal("client.id", "a" + variable, reason));
    }

    private String refusal(final String key, final String value, final String reason)
    {
        final String message =
            assertThrows(IllegalArgumentException.class, () -> from(key, value)).getMessage();
        final int index = message.indexOf(reason.replace("FOLDER", folder.toString()));
        assertTrue(index > 0, message);
        assertFalse(message.contains(SECRET), message);
        return message.substring(0, index);
    }

    @ParameterizedTest
    @CsvSource({"fetch.min.bytes", "bootstrap.servers", "check.crcs", "isolation.level", "auto.offset.reset",
        "security.protocol", "retry.backoff.ms", "enable.auto.commit"})
    void shouldHideWhatAProviderReturned(final String key)
    {
        assertEquals(key + " is ", refusal(key, "${file:FOLDER/some.properties:password}", "hidden: "));
    }

    @Test
    void shouldHideAPathThatAProviderReturned()
    {
        properties.put("security.protocol", "SSL");

        assertEquals("ssl.truststore.location is hidden: ", refusal(
            "ssl.truststore.location", "${file:FOLDER/some.properties:path}", "it must be a path"));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', value = {
        "PLAIN | ${file:FOLDER/some.properties:module} | it names another login module",
        "PLAIN | SECURITY.plain.PlainLoginModule required username='${file:FOLDER/some.properties:user}' " +
            "password=p; | user is not possible",
        "OAUTHBEARER | SECURITY.oauthbearer.OAuthBearerLoginModule required unsecuredLoginStringClaim_sub=u " +
            "unsecuredLoginExtension_${file:FOLDER/some.properties:password}=c; | an extension is not possible"})
    void shouldHideALoginThatAProviderReturned(final String mechanism, final String login, final String reason)
    {
        properties.put("security.protocol", "SASL_PLAINTEXT");
        properties.put("sasl.mechanism", mechanism);

        assertEquals("sasl.jaas.config is hidden: ", refusal("sasl.jaas.config",
            login.replace("SECURITY", "org.apache.kafka.common.security"), reason));
    }

    @Test
    void shouldReadOnlyAllowedPaths() throws IOException
    {
        final Path allowed = Files.createDirectory(folder.resolve("allowed"));
        Files.writeString(allowed.resolve("token"), "in");
        properties.put("config.providers.dir.param.allowed.paths", "/none-such, " + allowed);
        refusal("client.id", "x", "each must be an absolute path that exists");
        properties.put("config.providers.dir.param.allowed.paths", allowed.toString());

        assertEquals("in", from("client.id", "${dir:FOLDER/allowed:token}").clientId());
        refusal("client.id", "${dir:FOLDER:token}", "its path is not below one of allowed.paths of its provider");
        refusal("client.id", "${dir:FOLDER/allowed/..:token}", "its path is not below one of allowed.paths");
        refusal("client.id", "${dir:FOLDER/allowed-not:token}", "its path is not below one of allowed.paths");
    }

    @Test
    void shouldReadOnlyAllowedVariables()
    {
        properties.put("config.providers.env.param.allowlist.pattern", "PA.*");

        assertEquals(System.getenv(NAME).trim(), from("client.id", "${env:PATH}").clientId());
        properties.put("config.providers.env.param.allowlist.pattern", "A");
        refusal("client.id", "${env:PATH}", "allowlist.pattern of its provider does not match PATH");
        properties.put("config.providers.env.param.allowlist.pattern", "(");
        assertEquals("config.providers.env.param.allowlist.pattern is '(': ",
            refusal("client.id", "x", "it must be a regular expression"));
    }

    @Test
    void shouldRefuseOtherProviders()
    {
        final String expected = "it must be FileConfigProvider, DirectoryConfigProvider or EnvVarConfigProvider of " +
            "org.apache.kafka.common.config.provider, because other providers are not supported";
        properties.put("config.providers.env.class", "com.example.VaultConfigProvider");
        assertEquals("config.providers.env.class is 'com.example.VaultConfigProvider': ",
            refusal("client.id", "x", expected));
        properties.remove("config.providers.env.class");
        assertEquals("config.providers.env.class is not set: ", refusal("client.id", "x", expected));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', value = {
        "none", "``", "file", "FileConfigProvider",
        "PACKAGE.FileConfigProvider", "PACKAGE.EnvVarConfigProvider,PACKAGE.DirectoryConfigProvider",
        "package.FileConfigProvider,PACKAGE.EnvVarConfigProvider,PACKAGE.DirectoryConfigProvider",
        "PACKAGE.FileConfigProvider , PACKAGE.EnvVarConfigProvider,,PACKAGE.DirectoryConfigProvider"})
    void shouldAllowTheProvidersThatKafkaAllows(final String allowed)
    {
        properties.put("client.id", "${dir:" + folder + ":token}");
        properties.put("group.id", "${env:PATH}");
        properties.put("key.deserializer", Object.class);
        properties.put("value.deserializer", Object.class);
        final boolean isAllowed = allowed.contains(",,");
        System.setProperty(ALLOWED_CLASSES, allowed.replace("PACKAGE.", PACKAGE));
        try
        {
            assertEquals(isAllowed, isAccepted(() -> new ConsumerConfig(properties)));
            assertEquals(isAllowed, isAccepted(() -> ConsumerContext.from(properties, notes::add)));
        }
        finally
        {
            System.clearProperty(ALLOWED_CLASSES);
        }
    }

    private static boolean isAccepted(final Runnable reading)
    {
        try
        {
            reading.run();
            return true;
        }
        catch (final ConfigException | IllegalArgumentException ex)
        {
            assertTrue(ex.getMessage().contains(ALLOWED_CLASSES), ex.getMessage());
            return false;
        }
    }

    @Test
    void shouldNameTheSystemPropertyThatForbidsAProvider()
    {
        System.setProperty(ALLOWED_CLASSES, "none");
        try
        {
            assertEquals("config.providers.file.class is '" + PACKAGE + "FileConfigProvider': ",
                refusal("client.id", "x", "the system property org.apache.kafka.automatic.config.providers does not " +
                    "list this class, so properties must not name it"));
        }
        finally
        {
            System.clearProperty(ALLOWED_CLASSES);
        }
    }

    /** A password may look like a variable. */
    @Test
    void shouldLeaveVariablesAloneWithoutTheirProvider()
    {
        properties.remove("config.providers");

        assertEquals("${env:PATH}", from("client.id", "${env:PATH}").clientId());
        assertEquals("client.id has a variable whose provider config.providers does not name: the variable is left " +
            "as it is", notes.get(0));
    }

    @Test
    void shouldNoteParametersThatNoProviderHas()
    {
        from("config.providers.file.param.encoding", "latin1");

        assertEquals(List.of("config.providers.file.param.encoding is ignored: Kafka's consumer has no such key"),
            notes);
    }

    @Test
    void shouldServeGroupsToo()
    {
        properties.put("group.protocol", "consumer");
        properties.put("group.id", "${dir:" + folder + ":token}");

        assertEquals(SECRET, ConsumerContext.from(properties, notes::add).joinGroup().group().groupId());
        assertEquals(List.of(), notes);
    }
}
