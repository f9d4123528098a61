// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.utils.internals.ExponentialBackoff;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.odradek.consumer.properties.KafkaKey;
import org.odradek.consumer.properties.KafkaProperties;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/**
 * Reads properties of a kafka-clients consumer; kafka-clients itself defines the keys and values.
 */
class KafkaPropertiesTest
{
    private static final Map<String, ConfigDef.ConfigKey> KAFKA = ConsumerConfig.configDef().configKeys();
    private static final long NOW_MS = 1_750_000_000_000L;

    private final List<String> notes = new ArrayList<>();

    private ConsumerContext from(final Object... keysAndValues)
    {
        final Map<String, Object> properties = new HashMap<>();
        for (int i = 0; i < keysAndValues.length; i += 2)
        {
            properties.put((String)keysAndValues[i], keysAndValues[i + 1]);
        }
        return ConsumerContext.from(properties, notes::add);
    }

    private static Stream<KafkaKey> keys(final KafkaKey.Kind kind)
    {
        return KafkaProperties.KEYS.stream().filter((key) -> key.kind() == kind);
    }

    private static KafkaKey find(final String name)
    {
        return KafkaProperties.KEYS.stream().filter((key) -> key.matches(name)).findFirst().orElseThrow();
    }

    /**
     * The keys of TLS and SASL only have an effect together: {@code KafkaSecurityTest} shows it, and
     * {@code ConfigProvidersTest} that of config.providers.
     */
    static boolean isOfSecurity(final String key)
    {
        return key.startsWith("ssl.") || key.startsWith("sasl.");
    }

    static Stream<KafkaKey> acceptedKeys()
    {
        return keys(KafkaKey.Kind.ACCEPTED);
    }

    static Stream<KafkaKey> keysWithAnEffectAlone()
    {
        return acceptedKeys().filter((key) -> !isOfSecurity(key.name()) && !"config.providers".equals(key.name()));
    }

    static Stream<KafkaKey> rejectedKeys()
    {
        return keys(KafkaKey.Kind.REJECTED);
    }

    static Stream<String> ignoredNames()
    {
        return ConsumerConfig.configNames().stream()
            .filter((name) -> find(name).kind() == KafkaKey.Kind.IGNORED).sorted();
    }

    @Test
    void shouldKnowEveryKeyOfKafkaAndNoOther()
    {
        final Set<KafkaKey> found = new HashSet<>();

        for (final String name : ConsumerConfig.configNames())
        {
            final long count = KafkaProperties.KEYS.stream().filter((key) -> key.matches(name)).count();
            assertEquals(1, count, "rows for " + name);
            found.add(find(name));
        }

        assertEquals(Set.copyOf(KafkaProperties.KEYS), found);
        assertEquals(acceptedKeys().map(KafkaKey::name).collect(Collectors.toSet()),
            KafkaSettings.all(new ConsumerContext()).keySet());
    }

    static Stream<Arguments> effects()
    {
        return Stream.of(
            arguments("bootstrap.servers", " a:1 , PLAINTEXT://b:2", "a:1,b:2"),
            arguments("bootstrap.servers", List.of("a:1", "[::1]:2"), "a:1,[::1]:2"),
            arguments("client.id", " reader ", "reader"),
            arguments("client.id", "", "odradek"),
            arguments("client.rack", "here", "here"),
            arguments("fetch.min.bytes", "7", 7),
            arguments("fetch.max.wait.ms", 7, 7),
            arguments("fetch.max.bytes", " 70000 ", 70_000),
            arguments("max.partition.fetch.bytes", 70_000, 70_000),
            arguments("check.crcs", "False", false),
            arguments("check.crcs", false, false),
            arguments("isolation.level", "read_committed", "read_committed"),
            arguments("auto.offset.reset", "earliest", "earliest, from earliest"),
            arguments("auto.offset.reset", "latest", "latest, from latest"),
            arguments("auto.offset.reset", "none", "fail, from null"),
            arguments("group.id", "g", "g"),
            arguments("security.protocol", "ssl", "SSL"),
            arguments("security.protocol", "PLAINTEXT", "PLAINTEXT"),
            arguments("receive.buffer.bytes", "70000", 70_000),
            arguments("receive.buffer.bytes", -1, -1),
            arguments("request.timeout.ms", "7000", 7_000),
            arguments("socket.connection.setup.timeout.ms", 7L, 7),
            arguments("socket.connection.setup.timeout.ms", "7", 7),
            arguments("reconnect.backoff.ms", 7L, 7),
            arguments("reconnect.backoff.max.ms", "700", 700),
            arguments("retry.backoff.ms", 7, 7),
            arguments("retry.backoff.max.ms", 700L, 700),
            arguments("metadata.max.age.ms", "7", 7),
            arguments("metadata.recovery.rebootstrap.trigger.ms", "7", 7));
    }

    // Behaviour P205.
    @ParameterizedTest
    @MethodSource("effects")
    void shouldApplyTheValueOfEachKey(final String key, final Object value, final Object expected)
    {
        final ConsumerContext context = from(key, value, "enable.auto.commit", "false");

        assertEquals(expected, KafkaSettings.of(context, key));
        assertEquals(List.of(), notes);
    }

    @Test
    void shouldShowAnEffectOfEveryAcceptedKey()
    {
        assertEquals(keysWithAnEffectAlone().map(KafkaKey::name).collect(Collectors.toSet()),
            effects().map((effect) -> (String)effect.get()[0]).collect(Collectors.toSet()));
    }

    @ParameterizedTest
    @MethodSource("acceptedKeys")
    void shouldAcceptKafkasDefault(final KafkaKey key)
    {
        final ConfigDef.ConfigKey kafka = KAFKA.get(key.name());
        final Object given = kafka.hasDefault() ? kafka.defaultValue : List.of("a:1");

        final ConsumerContext typed = from(key.name(), given);
        final ConsumerContext text = from(key.name(), ConfigDef.convertToString(given, kafka.type));

        assertEquals(KafkaSettings.all(typed), KafkaSettings.all(text));
        assertEquals(List.of(), notes);
        from("bootstrap.servers", "a:1", key.name(), given).topic("topic").expectedLeaders(1).conclude();
    }

    @Test
    void shouldAcceptAllOfKafkasDefaultsTogether()
    {
        final Map<String, Object> defaults = new HashMap<>();
        acceptedKeys().map((key) -> KAFKA.get(key.name())).filter(ConfigDef.ConfigKey::hasDefault)
            .forEach((key) -> defaults.put(key.name, key.defaultValue));
        defaults.put("bootstrap.servers", "a:1");

        final ConsumerContext context =
            ConsumerContext.from(defaults, notes::add).topic("topic").expectedLeaders(1).conclude();

        assertEquals(52_428_800, context.settings.fetchMaxBytes);
        assertEquals("latest, from latest", KafkaSettings.of(context, "auto.offset.reset"));
        assertEquals(List.of(), notes);
    }

    @ParameterizedTest
    @MethodSource("acceptedKeys")
    void shouldRefuseWhatKafkaRefuses(final KafkaKey key)
    {
        final ConfigDef.ConfigKey kafka = KAFKA.get(key.name());
        int refusals = 0;
        for (final Object value : List.of("5", " 5 ", "+5", 5, 5L, (short)5, 5.0, "5.0", "5x", "", " ", true, "TRUE",
            "yes", -2, "-2", "2147483648", 1L << 31, "EARLIEST", "earliest", "by_duration", "by_duration:",
            "by_duration:PT1H", "by_duration:-PT1H", "by_duration:P1M", "by_duration:PT0S", "READ_COMMITTED",
            "read_committed", List.of(), Map.of()))
        {
            try
            {
                final Object parsed = ConfigDef.parseType(key.name(), value, kafka.type);
                if (kafka.validator != null)
                {
                    kafka.validator.ensureValid(key.name(), parsed);
                }
            }
            catch (final ConfigException ex)
            {
                assertThrows(IllegalArgumentException.class, () -> from(key.name(), value),
                    () -> "Kafka refuses " + value + ": " + ex.getMessage());
                refusals++;
            }
        }
        assertTrue(refusals > 3, refusals + " refusals");
    }

    static Stream<Arguments> wrongValues()
    {
        return Stream.concat(Stream.of(
            "receive.buffer.bytes", "request.timeout.ms", "reconnect.backoff.ms", "reconnect.backoff.max.ms",
            "retry.backoff.ms", "metadata.max.age.ms", "metadata.recovery.rebootstrap.trigger.ms")
            .map((key) -> arguments(key, "0", "is '0'", "from 1 to 2147483647")), Stream.of(
            arguments("bootstrap.servers", "host", "has the entry 'host'", "each must be host:port"),
            arguments("bootstrap.servers", "", "is not set", "give host:port"),
            arguments("client.id", 5, "is '5' of type Integer", "it must be a String"),
            arguments("client.rack", List.of("a"), "is 'a'", "it must be a String"),
            arguments("fetch.min.bytes", "many", "is 'many'", "it must be a whole number from 0 to 1073741824"),
            arguments("fetch.min.bytes", 5L, "is '5' of type Long", "it must be an Integer or a String"),
            arguments("fetch.max.wait.ms", "-1", "is '-1'", "a whole number from 0 to 2147483647"),
            arguments("fetch.max.bytes", 0, "is '0' of type Integer", "from 1 to 1073741824"),
            arguments("max.partition.fetch.bytes", "2147483647", "is '2147483647'", "from 1 to 1073741824"),
            arguments("check.crcs", "yes", "is 'yes'", "it must be true or false"),
            arguments("isolation.level", "serializable", "is 'serializable'", "read_committed or read_uncommitted"),
            arguments("auto.offset.reset", "smallest", "is 'smallest'", "it must be earliest, latest, none or"),
            arguments("auto.offset.reset", "by_duration:1h", "is 'by_duration:1h'", "such as PT1H"),
            arguments("auto.offset.reset", "by_duration:PT2562047788015215H",
                "is 'by_duration:PT2562047788015215H'", "from 0 to 292 million years"),
            arguments("group.id", " ", "is ''", "it must not be empty"),
            arguments("socket.connection.setup.timeout.ms", "1s", "is '1s'", "from 1 to 2147483647"),
            arguments("retry.backoff.max.ms", 5.0, "is '5.0' of type Double", "a Long, an Integer or a String"),
            arguments("retry.backoff.max.ms", 1L << 31, "is '2147483648' of type Long", "from 1 to 2147483647"),
            arguments("enable.auto.commit", "yes", "is 'yes'", "it must be true or false"),
            arguments("security.protocol", "TLS", "is 'TLS'",
                "it must be PLAINTEXT, SSL, SASL_PLAINTEXT or SASL_SSL"),
            arguments("security.providers", "a.B", "is 'a.B'", "it must be empty, because"),
            arguments("ssl.keymanager.algorithm", "PKIX", "is 'PKIX'", "it must be SunX509, because"),
            arguments("ssl.trustmanager.algorithm", "SunX509", "is 'SunX509'", "it must be PKIX, because"),
            arguments("ssl.secure.random.implementation", "NativePRNG", "is 'NativePRNG'", "it must be empty"),
            arguments("ssl.engine.factory.class", "a.B", "is 'a.B'", "TlsSettings.sslContext takes your own"),
            arguments("sasl.client.callback.handler.class", "a.B", "is 'a.B'", "it must be empty, because"),
            arguments("sasl.login.class", String.class, "is 'java.lang.String' of type Class", "it must be empty"),
            arguments("sasl.login.callback.handler.class", "a.B", "is 'a.B'", "SecuritySettings.sasl takes"),
            arguments("client.dns.lookup", "resolve_canonical_bootstrap_servers_only",
                "is 'resolve_canonical_bootstrap_servers_only'", "it must be use_all_dns_ips, because"),
            arguments("metadata.recovery.strategy", "none", "is 'none'", "it must be rebootstrap, because"),
            arguments("interceptor.classes", List.of("a.B", "a.C"), "is 'a.B,a.C'", "it must be empty, because")));
    }

    @ParameterizedTest
    @MethodSource("wrongValues")
    void shouldRefuseInOneSentence(final String key, final Object value, final String what, final String right)
    {
        final String message =
            assertThrows(IllegalArgumentException.class, () -> from(key, value)).getMessage();

        assertTrue(message.startsWith(key + " " + what), message);
        assertTrue(message.contains(right), message);
        assertEquals(-1, message.indexOf('\n'), message);
        assertFalse(message.contains(". ") || message.endsWith("."), message);
    }

    @Test
    void shouldShowARefusalOfEveryAcceptedOrRejectedKey()
    {
        final Set<String> names =
            Stream.concat(keysWithAnEffectAlone(), rejectedKeys()).map(KafkaKey::name).collect(Collectors.toSet());
        names.add("enable.auto.commit");

        assertEquals(names, wrongValues().map((wrong) -> (String)wrong.get()[0]).collect(Collectors.toSet()));
    }

    @Test
    void shouldCommitAutomaticallyOnlyInAGroup()
    {
        final ConsumerContext alone = from("bootstrap.servers", "a:1", "enable.auto.commit", true).topic("topic");
        final ConsumerContext grouped = from("bootstrap.servers", "a:1", "enable.auto.commit", true).topic("topic");

        final String message = assertThrows(IllegalArgumentException.class, alone::conclude).getMessage();
        assertTrue(message.startsWith("enable.auto.commit is true, and no group is given: it must be false"), message);
        grouped.group(new GroupSettings("g")).conclude();
        assertEquals(List.of(), notes);
    }

    @Test
    void shouldNoteKeysOfGroupsUnlessAGroupIsJoined()
    {
        final List<String> names = keys(KafkaKey.Kind.OF_GROUP).map(KafkaKey::name)
            .filter((name) -> !"enable.auto.commit".equals(name)).toList();
        for (final String name : names)
        {
            from("bootstrap.servers", "a:1", name, "5").topic("topic").group(new GroupSettings("g")).conclude();
        }
        assertEquals(List.of(), notes);

        for (final String name : names)
        {
            from("bootstrap.servers", "a:1", name, "5").topic("topic").conclude();
        }
        assertEquals(names.stream().map((name) ->
            name + " is ignored, because no group is joined: joinGroup reads it").toList(), notes);
    }

    @ParameterizedTest
    @MethodSource("rejectedKeys")
    void shouldAcceptTheOnlyValueOfARejectedKeyWithoutANote(final KafkaKey key)
    {
        final ConsumerContext context = from(key.name(), key.same());

        assertEquals(KafkaSettings.all(new ConsumerContext()), KafkaSettings.all(context));
        assertEquals(List.of(), notes);
    }

    @ParameterizedTest
    @MethodSource("ignoredNames")
    void shouldNoteIgnoredKeys(final String name)
    {
        final ConsumerContext context = from(name, "secret-7");

        assertEquals(1, notes.size(), notes::toString);
        assertEquals(name + " is ignored: " + find(name).text(), notes.get(0));
        assertFalse(notes.get(0).contains("secret-7"), "a value may be a password");
        assertEquals(KafkaSettings.all(new ConsumerContext()), KafkaSettings.all(context));
    }

    @Test
    void shouldNotNoteIgnoredKeysWhoseValueChangesNothing()
    {
        final List<KafkaKey> keys = keys(KafkaKey.Kind.IGNORED).filter((key) -> key.same() != null).toList();

        keys.forEach((key) -> from(key.name(), key.same()));

        assertFalse(keys.isEmpty());
        assertEquals(List.of(), notes);
    }

    @Test
    void shouldNameTheKeyThatWasProbablyMeant()
    {
        from("fetch.min.byte", "1", "max.pol.records", 5, "acks", "all");

        assertEquals(List.of(
            "acks is ignored: Kafka's consumer has no such key",
            "fetch.min.byte is ignored: Kafka's consumer has no such key; did you mean fetch.min.bytes?",
            "max.pol.records is ignored: Kafka's consumer has no such key; did you mean max.poll.records?"), notes);
    }

    @Test
    void shouldTreatNullAsMissing()
    {
        final ConsumerContext context = from("group.id", null, "fetch.min.bytes", null, "ssl.key.password", null);

        assertEquals(KafkaSettings.all(new ConsumerContext()), KafkaSettings.all(context));
        assertEquals(List.of(), notes);
    }

    @Test
    void shouldReadPropertiesAndTheirDefaults()
    {
        final Properties defaults = new Properties();
        defaults.setProperty("fetch.min.bytes", "7");
        defaults.setProperty("fetch.max.wait.ms", "7");
        final Properties properties = new Properties(defaults);
        properties.setProperty("fetch.min.bytes", "8");
        properties.put("check.crcs", false);

        final ConsumerContext context = ConsumerContext.from(properties, notes::add);

        assertEquals(8, context.settings.fetchMinBytes);
        assertEquals(7, context.settings.fetchMaxWaitMs);
        assertFalse(context.checkCrcs());
    }

    @Test
    void shouldRefuseAKeyThatIsNotAString()
    {
        assertEquals("key 5 is not a String, as all keys of Kafka are", assertThrows(IllegalArgumentException.class,
            () -> ConsumerContext.from(Map.of(5, "x"), notes::add)).getMessage());
    }

    @Test
    void shouldBeginAtTheCommittedOffsetOfTheGroup()
    {
        assertEquals("committed by group g, else latest", from("group.id", "g").settings.startPosition.toString());
        from("bootstrap.servers", "a:1", "group.id", "g").topic("topic").group(new GroupSettings("g")).conclude();
        assertEquals(List.of(), notes);
        from("bootstrap.servers", "a:1", "group.id", "g").topic("topic").conclude();
        assertEquals(List.of("enable.auto.commit is not given, and its default in Kafka is true: nothing is " +
            "committed automatically, because no group is joined (ConsumerContext.joinGroup)"), notes);
        assertEquals("committed by group g, else earliest",
            from("group.id", "g", "auto.offset.reset", "earliest").settings.startPosition.toString());
    }

    @Test
    void shouldRefuseToBeginWithoutAStartPosition()
    {
        final String message = assertThrows(IllegalArgumentException.class,
            () -> from("group.id", "g", "auto.offset.reset", "none")).getMessage();
        final ConsumerContext none = from("bootstrap.servers", "a:1", "auto.offset.reset", "none").topic("topic");

        assertTrue(message.startsWith("group.id is 'g': with auto.offset.reset none there is no start "), message);
        assertEquals("startPosition is null: it must be set",
            assertThrows(IllegalArgumentException.class, none::conclude).getMessage());
        assertNull(none.settings.startPosition);
        none.startPosition(StartPosition.offset(5)).conclude();
    }

    @Test
    void shouldBeginADurationBeforeNow()
    {
        final ConsumerContext context = from("auto.offset.reset", "by_duration:PT1H");

        assertEquals("by duration PT1H", context.offsetResetPolicy().toString());
        final StartPosition start = context.startPosition();
        assertEquals("by duration PT1H", start.toString());
        assertEquals("timestamp " + (NOW_MS - 3_600_000), start.start.at(0, "topic", () -> NOW_MS).toString());
        assertEquals("timestamp 0", start.start.at(0, "topic", () -> 5).toString());
    }

    @ParameterizedTest
    @ValueSource(ints = {7, 50, 1000, 5000})
    void shouldBackOffAsKafkaDoes(final int ms)
    {
        final ConsumerContext first = from("reconnect.backoff.ms", ms, "retry.backoff.ms", ms);
        final ConsumerContext most = from("reconnect.backoff.max.ms", ms, "retry.backoff.max.ms", ms);
        final ConsumerConfig kafka = new ConsumerConfig(Map.of("reconnect.backoff.ms", ms,
            "bootstrap.servers", "a:1", "key.deserializer", Object.class, "value.deserializer", Object.class));

        assertEquals(kafka.getLong("reconnect.backoff.max.ms"), first.settings.reconnectBackoffMaxMs);
        assertEquals(ms, first.settings.reconnectBackoffMs);
        assertEquals(new ExponentialBackoff(ms, 2, 1000, 0).backoff(0), first.settings.retryBackoffMs);
        assertEquals(1000, first.settings.retryBackoffMaxMs);
        assertEquals(ms, most.settings.reconnectBackoffMaxMs);
        assertEquals(new ExponentialBackoff(50, 2, ms, 0).backoff(0), most.settings.reconnectBackoffMs);
        assertEquals(ms, most.settings.retryBackoffMaxMs);
        assertEquals(new ExponentialBackoff(100, 2, ms, 0).backoff(0), most.settings.retryBackoffMs);
    }

    @Test
    void shouldNoteNoControlCharacters()
    {
        final List<String> notes = new ArrayList<>();
        ConsumerContext.from(Map.of("x\u001b[2J", 1), notes::add);
        assertEquals(List.of("x?[2J is ignored: Kafka's consumer has no such key"), notes);
    }

    @Test
    void shouldWriteNotesToTheStandardErrorStreamByDefault()
    {
        final PrintStream before = System.err;
        final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        System.setErr(new PrintStream(bytes, true));
        try
        {
            ConsumerContext.from(Map.of("max.poll.records", 5));
        }
        finally
        {
            System.setErr(before);
        }

        assertTrue(bytes.toString().contains(
            "odradek: max.poll.records is ignored: recordLimit is a parameter of each poll"), bytes::toString);
    }
}
