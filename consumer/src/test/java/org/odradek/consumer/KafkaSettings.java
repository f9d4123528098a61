// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

import org.odradek.client.security.TlsSettings;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;

/**
 * Returns the setting of a context for each accepted key of Kafka, in Kafka's units.
 */
final class KafkaSettings
{
    private static final Map<String, Function<ConsumerContext, Object>> BY_KEY = new LinkedHashMap<>();

    static
    {
        BY_KEY.put("bootstrap.servers", (c) -> c.settings.bootstrapServers);
        BY_KEY.put("config.providers", (c) -> "");
        BY_KEY.put("client.id", (c) -> c.settings.clientId);
        BY_KEY.put("client.rack", (c) -> c.settings.clientRack);
        BY_KEY.put("fetch.min.bytes", (c) -> c.settings.fetchMinBytes);
        BY_KEY.put("fetch.max.wait.ms", (c) -> c.settings.fetchMaxWaitMs);
        BY_KEY.put("fetch.max.bytes", (c) -> c.settings.fetchMaxBytes);
        BY_KEY.put("max.partition.fetch.bytes", (c) -> c.settings.leastPartitionMaxBytes());
        BY_KEY.put("check.crcs", (c) -> c.settings.checkCrcs);
        BY_KEY.put("isolation.level", (c) -> c.isolationLevel().name().toLowerCase(Locale.ROOT));
        BY_KEY.put("auto.offset.reset", (c) -> c.settings.offsetResetPolicy + ", from " + c.settings.startPosition);
        BY_KEY.put("group.id", (c) -> c.settings.startPosition.groupId());
        BY_KEY.put("receive.buffer.bytes",
            (c) -> c.settings.socketReceiveBufferLength == 0 ? -1 : c.settings.socketReceiveBufferLength);
        BY_KEY.put("request.timeout.ms", (c) -> c.settings.requestTimeoutMs);
        BY_KEY.put("socket.connection.setup.timeout.ms", (c) -> c.settings.connectTimeoutMs);
        BY_KEY.put("reconnect.backoff.ms", (c) -> c.settings.reconnectBackoffMs);
        BY_KEY.put("reconnect.backoff.max.ms", (c) -> c.settings.reconnectBackoffMaxMs);
        BY_KEY.put("retry.backoff.ms", (c) -> c.settings.retryBackoffMs);
        BY_KEY.put("retry.backoff.max.ms", (c) -> c.settings.retryBackoffMaxMs);
        BY_KEY.put("metadata.max.age.ms", (c) -> c.settings.metadataMaxAgeMs);
        BY_KEY.put("metadata.recovery.rebootstrap.trigger.ms", (c) -> c.settings.rebootstrapTriggerMs);
        BY_KEY.put("security.protocol", (c) -> c.security().toString().split("[ ,]")[0]);
        tls("ssl.protocol", (t) -> t.protocols().get(0));
        tls("ssl.enabled.protocols", TlsSettings::protocols);
        tls("ssl.cipher.suites", TlsSettings::cipherSuites);
        tls("ssl.provider", TlsSettings::jdkProvider);
        tls("ssl.endpoint.identification.algorithm", (t) -> t.verifyHost() ? "https" : "");
        for (final String name : List.of("type", "location", "password", "certificates"))
        {
            tls("ssl.truststore." + name, TlsSettings::trust);
        }
        for (final String name : List.of("store.type", "store.location", "store.password", "store.key",
            "store.certificate.chain", ".password"))
        {
            tls("ssl.key" + name, TlsSettings::key);
        }
        for (final String name : List.of("mechanism", "jaas.config", "kerberos.service.name",
            "oauthbearer.token.endpoint.url"))
        {
            BY_KEY.put("sasl." + name, (c) -> c.security().mechanism());
        }
    }

    private KafkaSettings()
    {
    }

    private static void tls(final String key, final Function<TlsSettings, Object> setting)
    {
        BY_KEY.put(key, (c) -> setting.apply(
            c.security().tls() == null ? TlsSettings.trustOfJvm() : c.security().tls()));
    }

    /** Returns the settings of a group by the keys that {@link ConsumerContext#joinGroup} reads besides group.id. */
    static Map<String, Object> ofGroup(final GroupSettings group)
    {
        final Map<String, Object> values = new LinkedHashMap<>();
        values.put("group.protocol", group.protocol().name().toLowerCase(Locale.ROOT));
        values.put("session.timeout.ms", group.sessionTimeoutMs());
        values.put("heartbeat.interval.ms", group.heartbeatIntervalMs());
        values.put("partition.assignment.strategy", "RangeAssignor");
        values.put("group.instance.id", group.instanceId());
        values.put("group.remote.assignor", group.assignor());
        values.put("max.poll.interval.ms", group.revocationTimeoutMs());
        values.put("enable.auto.commit", group.commitPolicy().isDelivered());
        values.put("auto.commit.interval.ms", group.commitPolicy().intervalMs());
        return values;
    }

    static Object of(final ConsumerContext context, final String key)
    {
        return BY_KEY.get(key).apply(context);
    }

    static Map<String, Object> all(final ConsumerContext context)
    {
        final Map<String, Object> values = new LinkedHashMap<>();
        BY_KEY.forEach((key, setting) -> values.put(key, setting.apply(context)));
        return values;
    }
}
