// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.properties;

import org.odradek.client.net.BootstrapServers;
import org.odradek.client.security.SecuritySettings;
import org.odradek.consumer.core.ConsumerSettings;
import org.odradek.consumer.core.Start;
import org.odradek.consumer.handler.GroupProtocol;
import org.odradek.consumer.handler.OffsetResetPolicy;
import org.odradek.protocol.PrintableText;

import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Collectors;

import static org.odradek.consumer.properties.KafkaKey.accepted;
import static org.odradek.consumer.properties.KafkaKey.ignored;
import static org.odradek.consumer.properties.KafkaKey.ignoredUnless;
import static org.odradek.consumer.properties.KafkaKey.ofGroup;
import static org.odradek.consumer.properties.KafkaKey.rejectedUnless;

/** Reads the properties of a kafka-clients consumer into settings. */
public final class KafkaProperties
{
    private static final String GROUP_ID = "group.id";
    private static final int MAX_BYTES = 1 << 30;
    private static final String BY_DURATION = "by_duration:";
    private static final String RANGE = "org.apache.kafka.clients.consumer.RangeAssignor";
    private static final String NO_SHARING = "the consumer does not join share groups";
    private static final String NO_METRICS =
        "the settings countersFile and histograms determine the metrics and their export";
    private static final String TRUST = "trust of `TlsSettings`";
    private static final String KEY = "key of `TlsSettings`";
    private static final String OWN_CONTEXT = "TlsSettings.sslContext takes your own SSLContext";
    private static final String OWN_MECHANISM = "SecuritySettings.sasl takes your own mechanism";
    private static final String NO_KINIT = "a ticket is obtained inside the process, when a connection needs one";
    private static final String NO_REFRESH = "the token source decides when it fetches a token, and how";
    private static final String NO_TOKENS = "a token source fetches tokens, on a thread of its own";
    private static final String NO_VALIDATION = "brokers check tokens";

    public static final List<KafkaKey> KEYS = List.of(
        accepted("bootstrap.servers", "`bootstrapServers`; a protocol before a host is ignored",
            (c, v) -> c.bootstrapServers = servers(v)),
        accepted("client.id", "`clientId`, unless empty",
            (c, v) -> c.clientId = v.string().isEmpty() ? c.clientId : v.string()),
        accepted("client.rack", "`clientRack`", (c, v) -> c.clientRack = v.string()),
        accepted("fetch.min.bytes", "`fetchMinBytes`", (c, v) -> c.fetchMinBytes = v.number(0, MAX_BYTES)),
        accepted("fetch.max.wait.ms", "`fetchMaxWaitMs`, less than request.timeout.ms",
            (c, v) -> c.fetchMaxWaitMs = v.number(0, Integer.MAX_VALUE)),
        accepted("fetch.max.bytes", "`fetchMaxBytes`; the receive buffer for each leader may grow to this size",
            (c, v) -> c.fetchMaxBytes = v.number(1, MAX_BYTES)),
        accepted("max.partition.fetch.bytes",
            "`partitionMaxBytes`; unless set, the limit grows with the size of fetches",
            (c, v) -> c.partitionMaxBytes = v.number(1, MAX_BYTES)),
        accepted("check.crcs", "`checkCrcs`", (c, v) -> c.checkCrcs = v.isTrue()),
        accepted("isolation.level", "`isolationLevel`",
            (c, v) -> c.isReadCommitted = v.either("read_committed", "read_uncommitted")),
        accepted("auto.offset.reset",
            "`offsetResetPolicy` and `startPosition`; `none` is rejected with group.id, and needs `startPosition` " +
            "otherwise",
            KafkaProperties::resetOffsets),
        accepted(GROUP_ID, "`startPosition`: the committed offset of the group; without one, auto.offset.reset applies",
            KafkaProperties::beginWithGroup),
        accepted("receive.buffer.bytes", "`socketReceiveBufferLength`; with -1 the kernel chooses the length",
            (c, v) -> c.socketReceiveBufferLength = v.is("-1") ? 0 : v.number(1, Integer.MAX_VALUE)),
        accepted("request.timeout.ms", "`requestTimeoutMs`",
            (c, v) -> c.requestTimeoutMs = v.number(1, Integer.MAX_VALUE)),
        accepted("socket.connection.setup.timeout.ms", "`connectTimeoutMs`", (c, v) -> c.connectTimeoutMs = v.ms(1)),
        accepted("reconnect.backoff.ms",
            "`reconnectBackoffMs`, and its maximum if reconnect.backoff.max.ms is not given",
            (c, v) -> c.reconnectBackoffMs = v.ms(1)),
        accepted("reconnect.backoff.max.ms", "maximum of `reconnectBackoffMs`",
            (c, v) -> c.reconnectBackoffMaxMs = v.ms(1)),
        accepted("retry.backoff.ms", "`retryBackoffMs`, not above its maximum", (c, v) -> c.retryBackoffMs = v.ms(1)),
        accepted("retry.backoff.max.ms", "maximum of `retryBackoffMs`", (c, v) -> c.retryBackoffMaxMs = v.ms(1)),
        accepted("metadata.max.age.ms", "`metadataMaxAgeMs`", (c, v) -> c.metadataMaxAgeMs = v.ms(1)),
        accepted("metadata.recovery.rebootstrap.trigger.ms", "`rebootstrapTriggerMs`",
            (c, v) -> c.rebootstrapTriggerMs = v.ms(1)),
        accepted("security.protocol", "`security`: without TLS and SASL, or with one or both",
            (c, v) -> v.oneOf("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL")),
        accepted("ssl.protocol", "the protocols of `TlsSettings`: TLSv1.2 rules out 1.3",
            (c, v) -> v.oneOf("TLS", "TLSv1.2", "TLSv1.3")),
        accepted("ssl.enabled.protocols", "the protocols of `TlsSettings`, none below TLSv1.2",
            (c, v) -> v.listOf("TLSv1.2", "TLSv1.3")),
        accepted("ssl.cipher.suites", "cipher suites of `TlsSettings`", (c, v) -> v.list()),
        accepted("ssl.provider", "the JDK's provider of `TlsSettings`; BoringSSL is not used then",
            (c, v) -> v.string()),
        accepted("ssl.endpoint.identification.algorithm", "`TlsSettings` verifies host names unless the value is empty",
            (c, v) -> v.oneOf("https", "")),
        accepted("ssl.truststore.type", TRUST + "; the type is detected unless given", (c, v) -> v.string()),
        accepted("ssl.truststore.location", TRUST + "; a file that changes is read again", (c, v) -> v.string()),
        accepted("ssl.truststore.password", TRUST, (c, v) -> v.secret()),
        accepted("ssl.truststore.certificates", TRUST + ", as PEM text", (c, v) -> v.secret()),
        accepted("ssl.keystore.type", KEY + "; the type is detected unless given", (c, v) -> v.string()),
        accepted("ssl.keystore.location", KEY + "; a file that changes is read again", (c, v) -> v.string()),
        accepted("ssl.keystore.password", KEY, (c, v) -> v.secret()),
        accepted("ssl.keystore.key", KEY + ", as PEM text", (c, v) -> v.secret()),
        accepted("ssl.keystore.certificate.chain", KEY + ", as PEM text", (c, v) -> v.secret()),
        accepted("ssl.key.password", KEY, (c, v) -> v.secret()),
        accepted("sasl.mechanism", "mechanism of `security`",
            (c, v) -> v.oneOf("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512", "OAUTHBEARER", "GSSAPI")),
        accepted("sasl.jaas.config", "user and password, token or ticket of the mechanism; if not set, the entry " +
            "KafkaClient of the JVM's JAAS file", (c, v) -> v.secret()),
        accepted("sasl.kerberos.service.name", "the service name of the brokers in Kerberos", (c, v) -> v.string()),
        accepted("sasl.oauthbearer.token.endpoint.url",
            "a file that holds the token and is read before each authentication, if a system property of Kafka " +
            "allows the URL; nothing is fetched over the network",
            (c, v) -> v.string()),

        accepted("config.providers",
            "variables in values, by the FileConfigProvider, DirectoryConfigProvider and EnvVarConfigProvider of Kafka",
            (c, v) -> v.list()),

        ofGroup("group.protocol", "`protocol`; unless given, classic as in Kafka, whereas `GroupSettings` has AUTO",
            (g, v) -> g.protocol = GroupProtocol.valueOf(v.oneOf("CLASSIC", "CONSUMER"))),
        ofGroup("group.instance.id", "`instanceId`", (g, v) -> g.instanceId = v.name()),
        ofGroup("group.remote.assignor", "`assignor`", (g, v) -> g.assignor = v.name()),
        ofGroup("session.timeout.ms", "`sessionTimeoutMs` of a classic group; in others the brokers set it",
            (g, v) -> g.sessionTimeoutMs = v.number(1, Integer.MAX_VALUE)),
        ofGroup("heartbeat.interval.ms",
            "`heartbeatIntervalMs`; 0 stands for the brokers' interval, or 3,000 in a classic group",
            (g, v) -> g.heartbeatIntervalMs = v.number(1, Integer.MAX_VALUE)),
        ofGroup("partition.assignment.strategy",
            "no setting; the list must contain the RangeAssignor, unless group.protocol is consumer",
            KafkaProperties::checkAssignors),
        ofGroup("max.poll.interval.ms", "`revocationTimeoutMs`; a note states how long handlers may take",
            (g, v) -> g.revocationTimeoutMs = v.number(1, Integer.MAX_VALUE)),
        new KafkaKey("enable.auto.commit", KafkaKey.Kind.OF_GROUP, null,
            "`commitPolicy`: delivered, or explicit if false; must be false without a group",
            (c, v) -> c.isAutoCommit = v.isTrue(),
            (g, v) -> g.commitIntervalMs = v.isTrue() ? g.commitIntervalMs : 0),
        // Kafka's consumer commits at every poll if this is 0.
        ofGroup("auto.commit.interval.ms", "interval of `commitPolicy`",
            (g, v) -> g.commitIntervalMs = Math.max(1, v.number(0, Integer.MAX_VALUE))),

        rejectedUnless("client.dns.lookup", "use_all_dns_ips",
            "all addresses of a host are tried, under the given name"),
        rejectedUnless("metadata.recovery.strategy", "rebootstrap",
            "each round of reconnects also tries the bootstrap servers; rebootstrapTriggerMs sets only when the " +
            "metadata is discarded"),
        rejectedUnless("interceptor.classes", "",
            "there are no ConsumerRecords to intercept; the handler receives each record"),
        rejectedUnless("security.providers", "",
            "java.security.Security.addProvider registers providers"),
        rejectedUnless("ssl.keymanager.algorithm", "SunX509", OWN_CONTEXT),
        rejectedUnless("ssl.trustmanager.algorithm", "PKIX", OWN_CONTEXT),
        rejectedUnless("ssl.secure.random.implementation", "", OWN_CONTEXT),
        rejectedUnless("ssl.engine.factory.class", "", OWN_CONTEXT),
        rejectedUnless("sasl.client.callback.handler.class", "", OWN_MECHANISM),
        rejectedUnless("sasl.login.class", "", OWN_MECHANISM),
        rejectedUnless("sasl.login.callback.handler.class",
            "org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginCallbackHandler", OWN_MECHANISM),

        ignored("key.deserializer", "keys are delivered as bytes"),
        ignored("value.deserializer", "values are delivered as bytes"),
        ignored("max.poll.records", "recordLimit is a parameter of each poll"),
        ignored("share.acknowledgement.mode", NO_SHARING),
        ignored("share.acquire.mode", NO_SHARING),
        ignored("default.api.timeout.ms", "the timeout is a parameter of each call that waits"),
        ignoredUnless("allow.auto.create.topics", "false", "topics are never created"),
        ignored("exclude.internal.topics", "a consumer reads one topic, given by name"),
        ignoredUnless("bootstrap.resolve.timeout.ms", "0",
            "connect resolves names, which takes as long as the name resolver takes"),
        ignoredUnless("connections.max.idle.ms", "540000", "idle connections are closed after at most 540000 ms"),
        ignored("socket.connection.setup.timeout.max.ms",
            "after failures the timeout grows up to 3 times socket.connection.setup.timeout.ms"),
        ignoredUnless("metadata.cluster.check.enable", "true",
            "the id of the cluster is sent to brokers that check it"),
        ignoredUnless("send.buffer.bytes", "-1", "the kernel chooses this length, because requests are small"),
        ignored("metric.reporters", NO_METRICS),
        ignored("metrics.num.samples", NO_METRICS),
        ignored("metrics.recording.level", NO_METRICS),
        ignored("metrics.sample.window.ms", NO_METRICS),
        ignoredUnless("enable.metrics.push", "false", "nothing is pushed to brokers"),
        ignored("internal.throw.on.fetch.stable.offset.unsupported", "it is internal to kafka-clients"),
        ignored("sasl.kerberos.kinit.cmd", NO_KINIT),
        ignored("sasl.kerberos.min.time.before.relogin", NO_KINIT),
        ignored("sasl.kerberos.ticket.renew.*", NO_KINIT),
        ignored("sasl.login.refresh.*", NO_REFRESH),
        ignored("sasl.login.connect.timeout.ms", NO_REFRESH),
        ignored("sasl.login.read.timeout.ms", NO_REFRESH),
        ignored("sasl.login.retry.backoff.*", NO_REFRESH),
        ignored("sasl.oauthbearer.client.credentials.*", NO_TOKENS),
        ignored("sasl.oauthbearer.assertion.*", NO_TOKENS),
        ignored("sasl.oauthbearer.scope", NO_TOKENS),
        ignored("sasl.oauthbearer.header.urlencode", NO_TOKENS),
        ignored("sasl.oauthbearer.jwt.retriever.class", NO_TOKENS),
        ignored("sasl.oauthbearer.jwt.validator.class", NO_VALIDATION),
        ignored("sasl.oauthbearer.scope.claim.name", NO_VALIDATION),
        ignored("sasl.oauthbearer.sub.claim.name", NO_VALIDATION),
        ignored("sasl.oauthbearer.jwks.*", NO_VALIDATION),
        ignored("sasl.oauthbearer.expected.*", NO_VALIDATION),
        ignored("sasl.oauthbearer.allow.unverified.*", NO_VALIDATION),
        ignored("sasl.oauthbearer.clock.skew.seconds", NO_VALIDATION));

    private final Map<String, KafkaValue> values;
    private final Consumer<? super String> notes;
    private final List<String> groupNotes = new ArrayList<>();

    private KafkaProperties(final Map<String, KafkaValue> values, final Consumer<? super String> notes)
    {
        this.values = values;
        this.notes = notes;
    }

    /**
     * @param notes receives the notes, one sentence each, for example on a key that is ignored.
     * @return the properties, from which security and the keys of groups can be read afterwards.
     * @throws IllegalArgumentException if a value is wrong.
     */
    public static KafkaProperties read(
        final ConsumerSettings settings, final Map<?, ?> properties, final Consumer<? super String> notes)
    {
        final Consumer<String> printable =
            (note) -> notes.accept(PrintableText.of(note, PrintableText.MAX_SENTENCE_LENGTH));
        final KafkaProperties reading = new KafkaProperties(ConfigProviders.values(properties, printable), printable);
        reading.applyTo(settings);
        return reading;
    }

    private void applyTo(final ConsumerSettings settings)
    {
        values.forEach((name, value) ->
        {
            final KafkaKey key = find(name);
            if (key != null)
            {
                key.apply(settings, value, notes, groupNotes::add);
                return;
            }
            final String near = KafkaKey.nearest(KEYS, name);
            notes.accept(name + " is ignored: Kafka's consumer has no such key" +
                (near == null ? "" : "; did you mean " + near + "?"));
        });
        if (values.containsKey(GROUP_ID) && !values.containsKey("enable.auto.commit"))
        {
            groupNotes.add("enable.auto.commit is not given, and its default in Kafka is true: nothing is " +
                "committed automatically, because no group is joined (ConsumerContext.joinGroup)");
        }
        if (values.containsKey("reconnect.backoff.ms") && !values.containsKey("reconnect.backoff.max.ms"))
        {
            // As in Kafka, this backoff does not grow, whereas a retry backoff grows.
            settings.reconnectBackoffMaxMs = settings.reconnectBackoffMs;
        }
        // As in Kafka, no backoff is above its maximum.
        settings.reconnectBackoffMs = Math.min(settings.reconnectBackoffMs, settings.reconnectBackoffMaxMs);
        settings.retryBackoffMs = Math.min(settings.retryBackoffMs, settings.retryBackoffMaxMs);
    }

    /**
     * Reads, once, how connections are encrypted and authenticated. All values except those of groups are forgotten,
     * because they may be secrets.
     */
    public SecuritySettings takeSecurity()
    {
        final SecuritySettings security = new KafkaSecurity(values).settings(notes);
        values.keySet().removeIf((name) -> !name.equals(GROUP_ID) && !isOfGroup(find(name)));
        return security;
    }

    private static boolean isOfGroup(final KafkaKey key)
    {
        return key != null && key.groupSetting() != null;
    }

    public void noteNoGroup()
    {
        groupNotes.forEach(notes);
    }

    public ConsumerSettings.Group readGroup()
    {
        if (!values.containsKey(GROUP_ID))
        {
            throw new IllegalArgumentException(GROUP_ID + " is not set: it must name the group to join");
        }
        if (values.containsKey("max.poll.interval.ms"))
        {
            notes.accept("max.poll.interval.ms sets revocationTimeoutMs, the time for giving partitions up, and does " +
                "not bound handlers: a member is removed if one record, a batch of pollBatches or one callback takes " +
                "longer than the session timeout less the heartbeat interval, which is 40 s by default, unless the " +
                "handler calls keepAlive");
        }
        final ConsumerSettings.Group group = new ConsumerSettings.Group(values.get(GROUP_ID).name());
        if (!values.containsKey("group.protocol"))
        {
            group.protocol = GroupProtocol.CLASSIC;
            notes.accept("group.protocol is not given: the group is joined with Kafka's default, classic; the other " +
                "value, consumer (KIP-848), needs brokers from 4.0 on, and its first member converts the group");
        }
        values.forEach((name, value) ->
        {
            final KafkaKey key = find(name);
            if (isOfGroup(key))
            {
                key.groupSetting().accept(group, value);
            }
        });
        return group;
    }

    private static KafkaKey find(final String name)
    {
        return KEYS.stream().filter((key) -> key.matches(name)).findFirst().orElse(null);
    }

    /** Returns the hosts and ports; as in Kafka, a protocol before a host is ignored. */
    private static String servers(final KafkaValue value)
    {
        final String servers = Arrays.stream(value.text().split(",", -1))
            .map((entry) -> entry.trim().replaceFirst("^[\\w.%-]*://", "")).collect(Collectors.joining(","));
        try
        {
            BootstrapServers.check(value.key(), servers);
        }
        catch (final IllegalArgumentException ex)
        {
            throw value.isProvided() ? value.wrong("each entry must be host:port") : ex;
        }
        return servers;
    }

    private static void resetOffsets(final ConsumerSettings settings, final KafkaValue value)
    {
        settings.offsetResetPolicy = switch (value.string())
        {
            case "earliest" -> OffsetResetPolicy.earliest();
            case "latest" -> OffsetResetPolicy.latest();
            case "none" -> OffsetResetPolicy.fail();
            default -> OffsetResetPolicy.byDuration(duration(value));
        };
        settings.startPosition = switch (value.string())
        {
            case "earliest" -> Start.EARLIEST;
            case "latest" -> Start.LATEST;
            case "none" -> null;
            default -> Start.byDuration(duration(value));
        };
    }

    private static Duration duration(final KafkaValue value)
    {
        try
        {
            if (value.text().startsWith(BY_DURATION))
            {
                final Duration duration = Duration.parse(value.text().substring(BY_DURATION.length()));
                // toMillis throws an exception if the duration is too long.
                if (!duration.isNegative() && duration.toMillis() >= 0)
                {
                    return duration;
                }
            }
        }
        catch (final DateTimeParseException | ArithmeticException ignore)
        {
            // The exception is thrown below.
        }
        throw value.wrong("it must be earliest, latest, none or by_duration: with a duration from 0 to 292 million " +
            "years, such as PT1H");
    }

    /** Keys are applied in the order of their names, so auto.offset.reset was applied before group.id. */
    private static void beginWithGroup(final ConsumerSettings settings, final KafkaValue value)
    {
        if (value.string().isEmpty())
        {
            throw value.wrong("it must not be empty, or must be left out");
        }
        if (settings.startPosition == null)
        {
            throw value.wrong("with auto.offset.reset none there is no start position for a partition without a " +
                "committed offset, so give another auto.offset.reset, or leave group.id out and set startPosition");
        }
        settings.startPosition = Start.committed(value.string(), settings.startPosition);
    }

    private static void checkAssignors(final ConsumerSettings.Group group, final KafkaValue value)
    {
        if (group.protocol == GroupProtocol.CONSUMER || Arrays.stream(value.list()).anyMatch(
            (name) -> name.equalsIgnoreCase("range") || name.endsWith("RangeAssignor")))
        {
            return;
        }
        throw value.wrong("it must contain " + RANGE + ", because members of a classic group need an assignor in " +
            "common, and there is no other here");
    }
}
