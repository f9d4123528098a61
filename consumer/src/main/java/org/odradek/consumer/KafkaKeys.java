// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

import static org.odradek.consumer.KafkaKey.accepted;
import static org.odradek.consumer.KafkaKey.ignored;
import static org.odradek.consumer.KafkaKey.ignoredUnless;
import static org.odradek.consumer.KafkaKey.rejectedUnless;

/**
 * The keys of kafka-clients' {@code ConsumerConfig}, 4.4; a test holds them complete, and the table in
 * docs/kafka-properties.md true to them.
 */
final class KafkaKeys
{
    private static final int MAX_BYTES = 1 << 30;
    private static final String NO_GROUP = "partitions are chosen by hand, no group is joined";
    private static final String NO_METRICS = "what is measured and where it can be seen is set with status";
    private static final String NO_SECURITY = "connections are PLAINTEXT, which Kafka does not use it for either";

    private static final KafkaKey[] KEYS = {
        accepted("bootstrap.servers", "`bootstrapServers`; a protocol before a host is left out",
            (c, v) -> c.bootstrapServers = v.servers()),
        accepted("client.id", "`clientId`, unless empty", (c, v) -> c.clientId = orElse(v.string(), c.clientId)),
        accepted("client.rack", "`clientRack`", (c, v) -> c.clientRack = v.string()),
        accepted("fetch.min.bytes", "`fetchMinBytes`", (c, v) -> c.fetchMinBytes = v.number(0, MAX_BYTES)),
        accepted("fetch.max.wait.ms", "`fetchMaxWaitMs`, less than request.timeout.ms",
            (c, v) -> c.fetchMaxWaitMs = v.number(0, Integer.MAX_VALUE)),
        accepted("fetch.max.bytes", "`fetchMaxBytes`, for which a buffer is held for each of `expectedLeaders`",
            (c, v) -> c.fetchMaxBytes = v.number(1, MAX_BYTES)),
        accepted("max.partition.fetch.bytes", "`partitionMaxBytes`",
            (c, v) -> c.partitionMaxBytes = v.number(1, MAX_BYTES)),
        accepted("check.crcs", "`checkCrcs`", (c, v) -> c.isCheckingCrcs = v.isTrue()),
        accepted("isolation.level", "`isolationLevel`", (c, v) -> c.isolationLevel = v.isolationLevel()),
        accepted("auto.offset.reset", "`offsetResetPolicy` and `startPosition`; none leaves a start position to be set",
            KafkaKeys::resetOffsets),
        accepted("group.id", "`startPosition`: where the group has committed, else as auto.offset.reset says",
            KafkaKeys::beginWithGroup),
        accepted("receive.buffer.bytes", "`socketReceiveBufferLength`; -1 leaves it to the kernel, which is faster",
            (c, v) -> c.socketReceiveBufferLength = v.is("-1") ? 0 : v.number(1, Integer.MAX_VALUE)),
        accepted("request.timeout.ms", "`requestTimeoutMs`",
            (c, v) -> c.requestTimeoutMs = v.number(1, Integer.MAX_VALUE)),
        accepted("socket.connection.setup.timeout.ms", "`connectTimeoutMs`", (c, v) -> c.connectTimeoutMs = v.ms(1)),
        accepted("reconnect.backoff.ms", "`reconnectBackoffMs`, and its most if reconnect.backoff.max.ms is not given",
            (c, v) -> c.reconnectBackoffMs = v.ms(1)),
        accepted("reconnect.backoff.max.ms", "`reconnectBackoffMs` at most",
            (c, v) -> c.reconnectBackoffMaxMs = v.ms(1)),
        accepted("retry.backoff.ms", "`retryBackoffMs`, not above its most", (c, v) -> c.retryBackoffMs = v.ms(1)),
        accepted("retry.backoff.max.ms", "`retryBackoffMs` at most", (c, v) -> c.retryBackoffMaxMs = v.ms(1)),
        accepted("metadata.max.age.ms", "`metadataMaxAgeMs`", (c, v) -> c.metadataMaxAgeMs = v.ms(1)),
        accepted("metadata.recovery.rebootstrap.trigger.ms", "`rebootstrapTriggerMs`",
            (c, v) -> c.rebootstrapTriggerMs = v.ms(1)),

        rejectedUnless("enable.auto.commit", "false",
            "nothing is committed by itself: groupOffsets(group).commit does it, or an OffsetFile keeps offsets"),
        rejectedUnless("security.protocol", "PLAINTEXT", "TLS and SASL are not spoken"),
        rejectedUnless("client.dns.lookup", "use_all_dns_ips", "all addresses of a host are tried, by the name given"),
        rejectedUnless("metadata.recovery.strategy", "rebootstrap",
            "the bootstrap servers are asked again when no broker answers; a long rebootstrapTriggerMs puts that off"),
        rejectedUnless("config.providers", "", "variables in values are not replaced"),
        rejectedUnless("interceptor.classes", "", "there are no ConsumerRecords to intercept; the handler sees all"),

        ignored("key.deserializer", "keys are handed over as bytes"),
        ignored("value.deserializer", "values are handed over as bytes"),
        ignored("max.poll.records", "each poll is given its recordLimit"),
        ignored("max.poll.interval.ms", NO_GROUP),
        ignored("session.timeout.ms", NO_GROUP),
        ignored("heartbeat.interval.ms", NO_GROUP),
        ignored("group.protocol", NO_GROUP),
        ignored("group.instance.id", NO_GROUP),
        ignored("group.remote.assignor", NO_GROUP),
        ignored("partition.assignment.strategy", NO_GROUP),
        ignored("share.acknowledgement.mode", NO_GROUP),
        ignored("share.acquire.mode", NO_GROUP),
        ignored("auto.commit.interval.ms", "nothing is committed by itself"),
        ignored("default.api.timeout.ms", "calls that wait are given their timeout"),
        ignoredUnless("allow.auto.create.topics", "false", "topics are never created"),
        ignored("exclude.internal.topics", "one topic is read, by its name"),
        ignoredUnless("bootstrap.resolve.timeout.ms", "0",
            "names are looked up in connect, for as long as the name resolver takes"),
        ignoredUnless("connections.max.idle.ms", "540000", "idle connections are closed after 540000 ms"),
        ignored("socket.connection.setup.timeout.max.ms",
            "after failures a connection may take up to 3 times socket.connection.setup.timeout.ms"),
        ignoredUnless("metadata.cluster.check.enable", "true", "brokers are always told which cluster is meant"),
        ignoredUnless("send.buffer.bytes", "-1", "it is left to the kernel; requests are small"),
        ignored("metric.reporters", NO_METRICS),
        ignored("metrics.num.samples", NO_METRICS),
        ignored("metrics.recording.level", NO_METRICS),
        ignored("metrics.sample.window.ms", NO_METRICS),
        ignoredUnless("enable.metrics.push", "false", "nothing is pushed to brokers"),
        ignored("internal.throw.on.fetch.stable.offset.unsupported", "it is kafka-clients' own"),
        ignored("security.providers", NO_SECURITY),
        ignored("sasl.*", NO_SECURITY),
        ignored("ssl.*", NO_SECURITY),
    };

    private KafkaKeys()
    {
    }

    private static String orElse(final String given, final String otherwise)
    {
        return given.isEmpty() ? otherwise : given;
    }

    private static void resetOffsets(final ConsumerContext context, final KafkaValue value)
    {
        context.offsetResetPolicy = value.offsetResetPolicy();
        context.startPosition = value.startPosition(System.currentTimeMillis());
    }

    /**
     * Comes after auto.offset.reset, as keys are taken in order.
     */
    private static void beginWithGroup(final ConsumerContext context, final KafkaValue value)
    {
        if (value.string().isEmpty())
        {
            throw value.wrong("it must have a letter, or be left out");
        }
        if (context.startPosition == null)
        {
            throw value.wrong("with auto.offset.reset none there is no place to begin with a partition of which the " +
                "group has committed nothing, so give another auto.offset.reset, or leave group.id out and set " +
                "startPosition");
        }
        context.startPosition = StartPosition.committed(value.string(), context.startPosition);
    }

    static KafkaKey[] all()
    {
        return KEYS.clone();
    }

    /**
     * @return null if it is none of Kafka's.
     */
    static KafkaKey find(final String name)
    {
        for (final KafkaKey key : KEYS)
        {
            if (key.isOf(name))
            {
                return key;
            }
        }
        return null;
    }
}
