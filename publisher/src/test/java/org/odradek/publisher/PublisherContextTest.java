// SPDX-License-Identifier: Apache-2.0
package org.odradek.publisher;

import org.junit.jupiter.api.Test;
import org.odradek.client.ClientCounters;
import org.odradek.client.Poller;
import org.odradek.client.TransportType;
import org.odradek.client.context.ClientContext;
import org.odradek.client.security.PlainMechanism;
import org.odradek.client.security.SecuritySettings;
import org.odradek.consumer.ConsumerConfiguration;
import org.odradek.harness.PublicSignatures;

import java.lang.reflect.Method;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Each setting that cannot work is refused in one sentence that names it, its value and what would be right. */
class PublisherContextTest
{
    private static PublisherContext context()
    {
        return new PublisherContext().bootstrapServers("127.0.0.1:9092");
    }

    private static void assertRefused(final String sentence, final Consumer<PublisherContext> change)
    {
        final PublisherContext context = context();
        change.accept(context);
        assertEquals(sentence, assertThrows(IllegalArgumentException.class, context::conclude).getMessage());
    }

    @Test
    void shouldRefuseWhatCannotWork()
    {
        assertRefused("bootstrapServers is not set: give host:port of one or more brokers",
            (context) -> context.bootstrapServers(null));
        assertRefused("acks is null: it must be set", (context) -> context.acks(null));
        assertRefused("clientId is null: it must be set", (context) -> context.clientId(null));
        final String interval = "sendIntervalUs (must fit into deliveryTimeoutMs beside requestTimeoutMs) is ";
        assertRefused(interval + "-1: it must be from 0 to 90000000", (context) -> context.sendIntervalUs(-1));
        assertRefused(interval + "1001: it must be from 0 to 1000",
            (context) -> context.deliveryTimeoutMs(30_001).sendIntervalUs(1_001));
        assertRefused(interval + "1000: it must be from 0 to 0", (context) -> context.deliveryTimeoutMs(30_000));
        context().deliveryTimeoutMs(Integer.MAX_VALUE).sendIntervalUs(Integer.MAX_VALUE).conclude();
        assertRefused("batchLength is 1023: it must be from 1024 to 1073741824",
            (context) -> context.batchLength(1023));
        assertRefused("bufferMemory (must hold a batch of batchLength) is 65535: it must be from 65536 to 2147483639",
            (context) -> context.bufferMemory(65_535));
        assertRefused("bufferMemory (must hold a batch of batchLength) is 4296015872: it must be from 65536 to " +
            "2147483639", (context) -> context.bufferMemory((1L << 32) + (1 << 20)));
        assertRefused("requestTimeoutMs is 0: it must be from 1 to 2147483647",
            (context) -> context.requestTimeoutMs(0));
        assertRefused("rebootstrapTriggerMs is 0: it must be from 1 to 2147483647",
            (context) -> context.rebootstrapTriggerMs(0));
        assertRefused("deliveryTimeoutMs (must not be less than requestTimeoutMs) is 29999: it must be from 30000 to " +
            "2147483647", (context) -> context.deliveryTimeoutMs(29_999));
        assertRefused("listener is null: it must be set", (context) -> context.listener(null));
        assertRefused("compression is null: it must be set", (context) -> context.compression(null));
        assertRefused("compressionLevel (of GZIP) is 10: it must be from 1 to 9",
            (context) -> context.compression(Compression.GZIP).compressionLevel(10));
        assertRefused("compressionLevel (of ZSTD) is 0: it must be from 1 to 22",
            (context) -> context.compressionLevel(0).compression(Compression.ZSTD));
        assertRefused("compressionLevel is 3: it must not be set with the compression SNAPPY, which has no levels",
            (context) -> context.compression(Compression.SNAPPY).compressionLevel(3));
        assertRefused("roleName is null: it must be set", (context) -> context.roleName(null));
        assertTrue(assertThrows(IllegalArgumentException.class,
            () -> context().requestMaxLength(65_536).conclude()).getMessage().startsWith(
            "requestMaxLength (must hold a batch of batchLength and its framing) is 65536: it must be from 65"));
        assertThrows(IllegalArgumentException.class,
            () -> context().security(SecuritySettings.sasl(PlainMechanism.plain("u", new char[] {0x70}))).conclude());
    }

    @Test
    void shouldRefuseATransportBesideAPoller()
    {
        try (Poller poller = PublisherContext.openPoller(TransportType.NIO))
        {
            assertRefused("transport is NIO and a poller is given too: the poller has its own, set one of them",
                (context) -> context.transport(TransportType.NIO).poller(poller));
        }
    }

    /** As a consumer does: an operator switches the transport of all clients of a JVM. */
    @Test
    void shouldObeyTheTransportOfTheSystemProperty()
    {
        System.setProperty(ConsumerConfiguration.TRANSPORT_PROP_NAME, "nio");
        try (Publisher publisher = Publisher.connect(context()))
        {
            assertTrue(publisher.describe().startsWith("transport nio, "), publisher::describe);
            System.setProperty(ConsumerConfiguration.TRANSPORT_PROP_NAME, "pigeon");
            assertRefused("org.odradek.transport is 'pigeon': it must be auto, nio or epoll", (context) -> { });
            assertEquals(TransportType.EPOLL, context().transport(TransportType.EPOLL).conclude().transport());
        }
        finally
        {
            System.clearProperty(ConsumerConfiguration.TRANSPORT_PROP_NAME);
        }
    }

    @Test
    void shouldHaveAGetterForEverySetting()
    {
        for (final Method setter : PublisherContext.class.getMethods())
        {
            if (ClientContext.class.isAssignableFrom(setter.getReturnType()) && setter.getParameterCount() == 1)
            {
                assertEquals(setter.getParameterTypes()[0], assertDoesNotThrow(
                    () -> PublisherContext.class.getMethod(setter.getName())).getReturnType(), setter::toString);
            }
        }
        final PublisherContext context = context().acks(Acks.LEADER).clientId("mine").retryBackoffMs(7, 8);
        assertEquals("LEADER mine 7 8 127.0.0.1:9092", context.acks() + " " + context.clientId() + " " +
            context.retryBackoffMs() + " " + context.retryBackoffMaxMs() + " " + context.bootstrapServers());
    }

    @Test
    void shouldCheckTheCountersFile()
    {
        assertEquals("countersFilePermissions is 'rw-rw-rw-': it must be rw-------, rw-r----- or rw-r--r--",
            assertThrows(IllegalArgumentException.class,
                () -> context().countersFilePermissions("rw-rw-rw-").conclude()).getMessage());
        assertEquals("countersFile is /: it must name a file", assertThrows(IllegalArgumentException.class,
            () -> context().countersFile(Path.of("/")).conclude()).getMessage());
    }

    @Test
    void shouldUseTheReceiveBufferLength()
    {
        assertRefused("socketReceiveBufferLength is -1: it must be from 0 to 2147483647",
            (context) -> context.socketReceiveBufferLength(-1));
        try (Publisher publisher = Publisher.connect(context().socketReceiveBufferLength(100_000)))
        {
            assertTrue(publisher.describe().contains(", socket receive buffers fixed at 100000 bytes, "),
                publisher::describe);
        }
    }

    @Test
    void shouldServeOnePublisher()
    {
        final PublisherContext context = context().conclude();
        assertTrue(context.memoryBudget() > PublisherContext.BUFFER_MEMORY_DEFAULT);
        assertTrue(context.memoryBudget() <
            context().compression(Compression.LZ4).compressionLevel(17).conclude().memoryBudget());
        assertThrows(IllegalStateException.class, context::conclude);
        Publisher.connect(context).close();
        assertThrows(IllegalStateException.class, () -> Publisher.connect(context));
    }

    @Test
    void shouldNameNoInternalTypeInAPublicSignature()
    {
        assertEquals(List.of(), PublicSignatures.leaks((name) ->
            name.matches("org\\.odradek\\.publisher\\.[A-Z].*") || name.startsWith("org.agrona.") ||
            name.matches("org\\.odradek\\.client\\.((context|security)\\.)?[A-Z].*"),
            PublicSignatures.publicClasses(Publisher.class)));
    }

    @Test
    void shouldNameEachResult()
    {
        assertEquals("BACK_PRESSURED NOT_CONNECTED CLOSED TOO_LARGE STOPPED 7",
            String.join(" ", OfferResult.name(OfferResult.BACK_PRESSURED), OfferResult.name(OfferResult.NOT_CONNECTED),
            OfferResult.name(OfferResult.CLOSED), OfferResult.name(OfferResult.TOO_LARGE),
            OfferResult.name(OfferResult.STOPPED), OfferResult.name(7)));
        assertEquals("records", PublisherCounters.name(PublisherCounters.RECORDS));
        assertEquals("claims aborted", PublisherCounters.name(PublisherCounters.CLAIMS_ABORTED));
        assertEquals("listener errors", PublisherCounters.name(ClientCounters.LISTENER_ERRORS));
    }

    /** With the longest request it is checked whether there is memory for a connection, as with any other. */
    @Test
    void shouldComputeTheMemoryOfAConnectionWithoutOverflow()
    {
        assertEquals(30, PublishEngine.senderLength(20, 10));
        assertEquals(Integer.MAX_VALUE, PublishEngine.senderLength(Integer.MAX_VALUE - 8, 1 << 16));
    }
}
