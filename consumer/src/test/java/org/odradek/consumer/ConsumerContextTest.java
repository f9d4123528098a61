// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.odradek.client.ClientException;
import org.odradek.client.TransportType;
import org.odradek.client.context.ClientContext;
import org.odradek.client.security.PlainMechanism;
import org.odradek.client.security.SecuritySettings;
import org.odradek.consumer.core.ConsumerSettings;
import org.odradek.consumer.handler.GroupProtocol;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.params.provider.Arguments.arguments;

class ConsumerContextTest
{
    private static final String BROKER = "127.0.0.1:9092";

    private static ConsumerContext context()
    {
        return new ConsumerContext().bootstrapServers(BROKER).topic("topic");
    }

    private static Arguments wrong(final UnaryOperator<ConsumerContext> setting, final String... parts)
    {
        return arguments(setting, parts);
    }

    static Stream<Arguments> wrongServersAndTopics()
    {
        return Stream.of(
            wrong((c) -> c.bootstrapServers(null), "bootstrapServers is not set", "give host:port"),
            wrong((c) -> c.bootstrapServers(" "), "bootstrapServers is not set"),
            wrong((c) -> c.bootstrapServers("host"), "bootstrapServers has the entry 'host'", "host:port"),
            wrong((c) -> c.bootstrapServers("host:"), "'host:'"),
            wrong((c) -> c.bootstrapServers(":9092"), "':9092'"),
            wrong((c) -> c.bootstrapServers("host:0"), "'host:0'", "the port from 1 to 65535"),
            wrong((c) -> c.bootstrapServers("host:65536"), "'host:65536'"),
            wrong((c) -> c.bootstrapServers("host:123456789012"), "'host:123456789012'"),
            wrong((c) -> c.bootstrapServers("host:-1"), "'host:-1'"),
            wrong((c) -> c.bootstrapServers(BROKER + ",,b:1"), "the entry ''"),
            wrong((c) -> c.bootstrapServers(BROKER + ","), "the entry ''"),
            wrong((c) -> c.bootstrapServers(","), "the entry ''"),
            wrong((c) -> c.bootstrapServers(BROKER + ", b:x"), "'b:x'"),
            wrong((c) -> c.bootstrapServers("::1:9092"), "'::1:9092'", "an IPv6 address in [brackets]"),
            wrong((c) -> c.bootstrapServers("[]:9092"), "'[]:9092'"),
            wrong((c) -> c.topic(null), "topic is not set: it must have ", "1 to 249 letters"),
            wrong((c) -> c.topic(""), "topic is ''"),
            wrong((c) -> c.topic("a b"), "topic is 'a b'"),
            wrong((c) -> c.topic(".."), "topic is '..'"),
            wrong((c) -> c.topic("x".repeat(250)), "topic is 'xxx", "1 to 249"));
    }

    private static GroupSettings group()
    {
        return new GroupSettings("ingest");
    }

    static Stream<Arguments> wrongGroups()
    {
        return Stream.of(
            wrong((c) -> c.group(new GroupSettings(null)), "groupId of a group is null"),
            wrong((c) -> c.group(new GroupSettings(" ")), "groupId of a group is ' '", "at least one character"),
            wrong((c) -> c.group(group().instanceId("")), "instanceId of a group is ''"),
            wrong((c) -> c.group(group().assignor("")), "assignor of a group is ''"),
            wrong((c) -> c.group(group().commitPolicy(null)), "commitPolicy of a group is null"),
            wrong((c) -> c.group(group().revocationHandler(null)), "revocationHandler of a group is null"),
            wrong((c) -> c.group(group().revocationTimeoutMs(0)), "revocationTimeoutMs of a group is 0", "1 or more"),
            wrong((c) -> c.group(group().heartbeatIntervalMs(-1)), "heartbeatIntervalMs of a group is -1"),
            wrong((c) -> c.group(group().fenceAfterMs(-2)), "fenceAfterMs of a group is -2"),
            wrong((c) -> c.group(group().fenceAfterMs(2_000).heartbeatIntervalMs(2_000)),
                "fenceAfterMs is 2000", "more than heartbeatIntervalMs, which is 2000"),
            wrong((c) -> c.group(group().fenceAfterMs(3_000)),
                "fenceAfterMs is 3000", "more than heartbeatIntervalMs, which is 3000"),
            wrong((c) -> c.group(group().sessionTimeoutMs(3_000)),
                "sessionTimeoutMs is 3000", "more than heartbeatIntervalMs, which is 3000"),
            wrong((c) -> c.group(group().protocol(GroupProtocol.CLASSIC).fenceAfterMs(45_000)),
                "fenceAfterMs is 45000", "less than sessionTimeoutMs, which is 45000"),
            wrong((c) -> c.group(group().sessionTimeoutMs(10_000).heartbeatIntervalMs(10_000)),
                "sessionTimeoutMs is 10000", "more than heartbeatIntervalMs, which is 10000"),
            wrong((c) -> c.partitions(1, 2).group(group()), "partitions is [1, 2]", "group ingest", "one of them"),
            wrong((c) -> c.shard(PartitionShard.modulo(0, 2)).group(group().instanceId("a")),
                "shard 0 of 2", "group ingest as a", "one of them"));
    }

    static Stream<Arguments> otherWrongSettings()
    {
        return Stream.of(
            wrong((c) -> c.partitions(3, -1), "partitions has -1", "from 0 to 99999"),
            wrong((c) -> c.partitions(Integer.MAX_VALUE), "partitions has 2147483647", "from 0 to 99999"),
            wrong((c) -> c.partitions(3, 1, 3), "partitions has 3", "be given once"),
            wrong((c) -> c.startPosition(null), "startPosition is null"),
            wrong((c) -> c.startPosition(4, null), "startPosition of partition 4 is null"),
            wrong((c) -> c.offsetResetPolicy(null), "offsetResetPolicy is null"),
            wrong((c) -> c.startPosition(-2, StartPosition.latest()), "startPosition is given for partition -2"),
            wrong((c) -> c.partitions(1, 2).startPosition(3, StartPosition.latest()),
                "startPosition is given for partition 3", "partitions [1, 2]"),
            wrong((c) -> c.clientId(null), "clientId is null"),
            wrong((c) -> c.security(SecuritySettings.sasl(PlainMechanism.plain("user", new char[] {'p'}))),
                "security has SASL and does not say whether with TLS"),
            wrong((c) -> c.nameResolver(null), "nameResolver is null"),
            wrong((c) -> c.epochClock(null), "epochClock is null"),
            wrong((c) -> c.random(null), "random is null"),
            wrong((c) -> c.listener(null), "listener is null"),
            wrong((c) -> c.histograms(null), "histograms is null"),
            wrong((c) -> c.stallThresholdNs(0), "stallThresholdNs is 0", "1 or more"),
            wrong((c) -> c.countersFilePermissions("rw-rw-rw-"),
                "countersFilePermissions is 'rw-rw-rw-'", "rw-r-----"),
            wrong((c) -> c.countersFile(Path.of("/")), "countersFile is /", "a file"),
            wrong((c) -> c.transport(TransportType.NIO).poller(ConsumerContext.openPoller(TransportType.NIO)),
                "transport is NIO", "poller", "set one of them"));
    }

    static Stream<Arguments> wrongNumbers()
    {
        return Stream.of(
            wrong((c) -> c.fetchMaxBytes(0), "fetchMaxBytes is 0", "from 1 to 1073741824"),
            wrong((c) -> c.fetchMaxBytes(Integer.MAX_VALUE), "fetchMaxBytes is 2147483647"),
            wrong((c) -> c.partitionMaxBytes(-1), "partitionMaxBytes is -1", "from 0"),
            wrong((c) -> c.fetchMinBytes(-1), "fetchMinBytes is -1", "from 0 to 16777216"),
            wrong((c) -> c.fetchMaxBytes(100).fetchMinBytes(101), "fetchMinBytes", "is 101", "from 0 to 100"),
            wrong((c) -> c.fetchMaxWaitMs(-1), "fetchMaxWaitMs", "is -1", "requestTimeoutMs"),
            wrong((c) -> c.fetchMaxWaitMs(300).requestTimeoutMs(300), "fetchMaxWaitMs", "is 300", "from 0 to 299"),
            wrong((c) -> c.latencyBudgetMs(-1), "latencyBudgetMs", "is -1", "from 0 to 500"),
            wrong((c) -> c.latencyBudgetMs(501), "latencyBudgetMs", "is 501", "must not exceed fetchMaxWaitMs"),
            wrong((c) -> c.latencyBudgetMs(1).fetchMinBytes(2), "latencyBudgetMs is 1 and fetchMinBytes is 2"),
            wrong((c) -> c.requestTimeoutMs(0), "requestTimeoutMs is 0", "from 1"),
            wrong((c) -> c.receiveBufferMaxLength(1_000_000), "receiveBufferMaxLength", "is 1000000", "16842752"),
            wrong((c) -> c.fetchMaxBytes(1 << 27), "receiveBufferMaxLength", "is 67108864", "134283264"),
            wrong((c) -> c.fetchMemory(1_000_000), "fetchMemory", "is 1000000", "from 1114124"),
            wrong((c) -> c.fetchMemory(-1), "fetchMemory", "is -1"),
            wrong((c) -> c.fetchMemory((1L << 32) + (1 << 24)), "fetchMemory", "is 4311744512", "to 2147483639"),
            wrong((c) -> c.socketReceiveBufferLength(-1), "socketReceiveBufferLength is -1", "from 0"),
            wrong((c) -> c.connectTimeoutMs(0), "connectTimeoutMs is 0", "from 1"),
            wrong((c) -> c.reconnectBackoffMs(0, 10), "reconnectBackoffMs is 0", "from 1"),
            wrong((c) -> c.reconnectBackoffMs(20, 10), "reconnectBackoffMs at most is 10", "from 20"),
            wrong((c) -> c.retryBackoffMs(0, 10), "retryBackoffMs is 0", "from 1"),
            wrong((c) -> c.retryBackoffMs(20, 10), "retryBackoffMs at most is 10", "from 20"),
            wrong((c) -> c.metadataMaxAgeMs(0), "metadataMaxAgeMs is 0", "from 1"),
            wrong((c) -> c.expectedLeaders(0), "expectedLeaders is 0", "from 1 to 100000"));
    }

    // Behaviour B28.
    @ParameterizedTest
    @MethodSource({"wrongServersAndTopics", "wrongGroups", "otherWrongSettings", "wrongNumbers"})
    void shouldReportInOneSentenceWhichSettingIsWrong(
        final UnaryOperator<ConsumerContext> setting, final String[] parts)
    {
        final ConsumerContext context = setting.apply(context());

        final String message = assertThrows(IllegalArgumentException.class, context::conclude).getMessage();
        for (final String part : parts)
        {
            assertTrue(message.contains(part), message);
        }
        assertTrue(message.lines().count() == 1 && !message.contains(". "), message);
        assertThrows(IllegalArgumentException.class, () -> TopicConsumer.connect(context));
    }

    @Test
    void shouldDeriveAgainAfterAFailure()
    {
        final ConsumerContext context = context().fetchMaxBytes(8 << 20).expectedLeaders(100_000);
        assertThrows(IllegalStateException.class, context::conclude);

        assertEquals(context().fetchMaxBytes(1 << 20).conclude().fetchMemory(),
            context.fetchMaxBytes(1 << 20).expectedLeaders(3).conclude().fetchMemory());
    }

    // Behaviour B28.
    @Test
    void shouldAcceptValidSettings()
    {
        final ConsumerContext context = context()
            .bootstrapServers(" a:1 , [::1]:65535,127.0.0.1:9092").topic("Az0._-")
            .noPartitions().clientId("").fetchMaxBytes(1).partitionMaxBytes(1).fetchMinBytes(0).fetchMaxWaitMs(0)
            .requestTimeoutMs(1).socketReceiveBufferLength(0).connectTimeoutMs(1).reconnectBackoffMs(1, 1)
            .retryBackoffMs(1, 1).metadataMaxAgeMs(1).expectedLeaders(1).checkCrcs(false);
        assertSame(context, context.conclude());
        assertTrue(context.memoryBudget() >
            context.settings.receiveBufferLength(context.fetchMaxBytes()));
    }

    @Test
    void shouldGrowItsBudgetWithLeadersAndBuffers()
    {
        final long one = context().expectedLeaders(1).conclude().memoryBudget();
        final long two = context().expectedLeaders(2).conclude().memoryBudget();
        final long three = context().expectedLeaders(3).conclude().memoryBudget();
        assertEquals(three - two, two - one);
        assertTrue(two - one > ConsumerConfiguration.FETCH_MAX_BYTES_DEFAULT);
    }

    @Test
    void shouldGrowItsBudgetWithFetchesAndConnections()
    {
        final long one = context().fetchConnections(1).expectedLeaders(1).conclude().memoryBudget();
        final int more = ConsumerConfiguration.FETCH_MAX_BYTES_DEFAULT + (1 << 20);
        assertEquals(1 << 20, context().fetchConnections(1).expectedLeaders(1).fetchMaxBytes(more)
            .conclude().memoryBudget() - one);
        final ConsumerContext bounded =
            context().fetchConnections(1).expectedLeaders(1).fetchMemory(2 << 20).conclude();
        assertEquals(bounded.settings.receiveBufferLength(ConsumerConfiguration.FETCH_MAX_BYTES_DEFAULT) - (2 << 20),
            one - bounded.memoryBudget());
        final ConsumerContext eight = context().fetchConnections(8).fetchMaxBytes(8 << 20).conclude();
        final ConsumerContext auto = context().fetchMaxBytes(8 << 20).conclude();
        assertEquals(8 * eight.settings.receiveBufferLength(), eight.fetchMemory());
        assertEquals(eight.memoryBudget(), auto.memoryBudget());
    }

    /** Each partition has the same part of a response, and at least what a first response has. */
    @Test
    void shouldDivideAResponseUnlessThePartOfAPartitionIsSet()
    {
        final ConsumerSettings usual = context().settings;
        assertEquals(List.of(8 << 20, 4 << 20, 1 << 20, 1 << 20, 1 << 20), Stream.of(1, 2, 8, 9, 0)
            .map((partitions) -> usual.partitionMaxBytes(partitions == 0 ? 0 : 8 << 20, partitions)).toList());
        assertEquals(ConsumerConfiguration.FETCH_MAX_BYTES_DEFAULT, usual.mostFetchMaxBytes(1));

        final ConsumerSettings set = context().partitionMaxBytes(3000).settings;
        assertEquals(3000, set.partitionMaxBytes(8 << 20, 1));
        assertEquals(6000, set.mostFetchMaxBytes(2));
    }

    @Test
    void shouldLetFetchesGrowIntoHalfOfTheDirectMemoryThatIsLeftUnlessToldOtherwise()
    {
        final int least = 8 * context().settings.receiveBufferLength();
        final int most = context().settings.receiveBufferLength(ConsumerConfiguration.FETCH_MAX_BYTES_DEFAULT);

        assertEquals(most, fetchMemory(6L * most, 0));
        assertEquals(most - 1, fetchMemory(6L * most - 1, 0));
        assertEquals(least, fetchMemory(6L * least, 0));
        assertEquals(least, fetchMemory(0, 0));
        assertEquals(most, fetchMemory(0, most));
    }

    private static long fetchMemory(final long directLeft, final long set)
    {
        final ConsumerSettings settings = context().expectedLeaders(3).fetchMemory(set).settings;
        return settings.concluded(directLeft).fetchMemory;
    }

    @Test
    void shouldFollowTheDistanceAsFarAsTheMemoryAllows()
    {
        final ConsumerContext usual = context().conclude();
        assertEquals(8, usual.settings.mostFetchConnections());
        final int first = usual.settings.receiveBufferLength();
        assertEquals(1, context().fetchMemory(2 * first - 1).conclude().settings.mostFetchConnections());
        assertEquals(3, context().fetchMemory(3 * first).conclude().settings.mostFetchConnections());
        assertEquals(1, context().fetchMaxBytes(1 << 20).conclude().settings.mostFetchConnections());
        assertEquals(1, context().fetchMaxBytes(1).conclude().settings.mostFetchConnections());
        assertEquals(5, context().fetchConnections(5).conclude().settings.mostFetchConnections());
    }

    @Test
    void shouldGrowItsBudgetWithEachGroupThatPartitionsBeginWith()
    {
        final StartPosition a = StartPosition.committed("a", StartPosition.earliest());
        final StartPosition b = StartPosition.committed("b", a);
        final long none = context().conclude().memoryBudget();
        final long one = context().startPosition(a).conclude().memoryBudget();
        assertTrue(one - none > 1 << 16, one + " with a group, " + none + " without");
        assertEquals(one, context().startPosition(0, a).startPosition(1, a).conclude().memoryBudget());
        assertEquals(2 * (one - none), context().startPosition(a).startPosition(2, b).conclude().memoryBudget() - none);
    }

    @Test
    void shouldBeConcludedOnce()
    {
        final ConsumerContext context = context().conclude();

        final String message = assertThrows(IllegalStateException.class, context::conclude).getMessage();
        assertTrue(message.contains("a ConsumerContext serves one client"), message);
    }

    @Test
    void shouldReadItsDefaultsFromSystemProperties()
    {
        System.setProperty(ConsumerConfiguration.FETCH_MAX_BYTES_PROP_NAME, "300k");
        System.setProperty(ConsumerConfiguration.TRANSPORT_PROP_NAME, "carrier pigeon");
        try
        {
            assertEquals(300 * 1024, context().settings.fetchMaxBytes);
            final String message =
                assertThrows(IllegalArgumentException.class, () -> context().conclude()).getMessage();
            assertEquals(ConsumerConfiguration.TRANSPORT_PROP_NAME +
                " is 'carrier pigeon': it must be auto, nio or epoll", message);
            context().transport(TransportType.NIO).conclude();
        }
        finally
        {
            System.clearProperty(ConsumerConfiguration.FETCH_MAX_BYTES_PROP_NAME);
            System.clearProperty(ConsumerConfiguration.TRANSPORT_PROP_NAME);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"5 ms", "", "500k"})
    void shouldRefuseAPropertyThatIsNotANumber(final String value)
    {
        System.setProperty(ConsumerConfiguration.FETCH_MAX_WAIT_MS_PROP_NAME, value);
        try
        {
            final String message =
                assertThrows(IllegalArgumentException.class, ConsumerContextTest::context).getMessage();
            assertEquals(ConsumerConfiguration.FETCH_MAX_WAIT_MS_PROP_NAME + " is '" + value +
                "': it must be a whole number of milliseconds", message);
        }
        finally
        {
            System.clearProperty(ConsumerConfiguration.FETCH_MAX_WAIT_MS_PROP_NAME);
        }
    }

    // Behaviour J124.
    @Test
    void shouldRefuseImpossibleStartPositions()
    {
        assertTrue(assertThrows(IllegalArgumentException.class, () -> StartPosition.offset(-1))
            .getMessage().contains("start offset -1 is negative"));
        assertTrue(assertThrows(IllegalArgumentException.class, () -> StartPosition.timestamp(-5))
            .getMessage().contains("start timestamp -5 is negative"));
        assertEquals("offset 8", StartPosition.offset(8).toString());
        assertEquals("earliest", StartPosition.earliest().toString());
    }

    @Test
    void shouldReportThatNoBootstrapNameHasAnAddress()
    {
        final ConsumerContext context = context().bootstrapServers("nowhere:1,elsewhere:2").nameResolver((host) ->
        {
            throw new UnknownHostException(host);
        });

        final String message = assertThrows(ClientException.class, () -> TopicConsumer.connect(context)).getMessage();
        assertTrue(message.contains("bootstrapServers nowhere:1,elsewhere:2"), message);
    }

    @Test
    void shouldBeginAtTheOffsetsOfTheGroup()
    {
        final ConsumerContext context = context().group(group()).startPosition(StartPosition.earliest())
            .startPosition(3, StartPosition.offset(7))
            .startPosition(4, StartPosition.committed("ingest", StartPosition.latest()))
            .conclude();

        assertEquals("committed by group ingest, else earliest", context.startPosition().toString());
        assertEquals("committed by group ingest, else offset 7", context.startPosition(3).toString());
        assertEquals("committed by group ingest, else latest", context.startPosition(4).toString());
    }

    /** A call without an argument is the getter: it would look like "all", and does not compile as a setting. */
    // Behaviour P206, tried 2026-11-29: By default all partitions are read; an empty list is refused, and
    // `noPartitions` reads no partition.
    @Test
    void shouldReadNoPartitionOnlyIfTold() throws NoSuchMethodException
    {
        final ConsumerContext context = new ConsumerContext();

        assertEquals("partitions is []: it must name one or more; noPartitions reads none", assertThrows(
            IllegalArgumentException.class, () -> context.partitions(new int[0])).getMessage());
        assertNull(context.partitions());
        assertEquals(0, context.noPartitions().partitions().length);
        assertArrayEquals(new int[] {3}, context.partitions(3).partitions());
        assertArrayEquals(new int[] {3, 1}, context.partitions(3, 1).partitions());
        assertArrayEquals(new int[] {1, 2}, context.partitions(new int[] {1, 2}).partitions());
        assertFalse(ConsumerContext.class.getMethod("partitions", int[].class).isVarArgs());
    }

    @Test
    void shouldRefuseACommitIntervalOfNothing()
    {
        assertTrue(assertThrows(IllegalArgumentException.class, () -> CommitPolicy.delivered(0))
            .getMessage().startsWith("intervalMs of a commit policy is 0: it must be 1 or more"));
        assertEquals("delivered every 5000 ms", group().commitPolicy().toString());
        assertEquals(0, CommitPolicy.explicit().intervalMs());
        assertThrows(IllegalArgumentException.class, () -> CommitPolicy.acknowledged(0));
        assertEquals(5_000, CommitPolicy.acknowledged().intervalMs());
        assertFalse(CommitPolicy.acknowledged(7).isDelivered());
        assertTrue(CommitPolicy.acknowledged(7).isAcknowledged());
        assertEquals("acknowledged every 7 ms", CommitPolicy.acknowledged(7).toString());
        assertEquals("delivered every 7 ms", CommitPolicy.delivered(7).toString());
        assertEquals("explicit", CommitPolicy.explicit().toString());
    }

    @Test
    void shouldHaveAGetterForEverySetting()
    {
        for (final Class<?> type : List.of(ClientContext.class, ConsumerContext.class, GroupSettings.class))
        {
            for (final Method setter : type.getMethods())
            {
                if (setter.getReturnType() == type && setter.getParameterCount() == 1 &&
                    !Modifier.isStatic(setter.getModifiers()))
                {
                    assertEquals(setter.getParameterTypes()[0],
                        assertDoesNotThrow(() -> type.getMethod(setter.getName())).getReturnType(), setter::toString);
                }
            }
        }
    }
}
