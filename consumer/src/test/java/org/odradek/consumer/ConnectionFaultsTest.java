// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.ListOffsetsResponseData;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.protocol.ApiMessage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.odradek.client.PolledSocket;
import org.odradek.client.TransportType;
import org.odradek.client.net.ConnectionState;
import org.odradek.client.support.ForwardingPoller;
import org.odradek.consumer.handler.ConsumerCounters;
import org.odradek.consumer.support.OneTopicBroker;
import org.odradek.consumer.support.Reading;
import org.odradek.consumer.support.RequestTimes;
import org.odradek.harness.Answer;
import org.odradek.harness.FullListener;
import org.odradek.harness.ScriptedPeer;
import org.odradek.harness.model.ModelPeer;
import org.odradek.protocol.ErrorCode;

import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Tests connections that are refused, idle, throttled or half open.
 */
class ConnectionFaultsTest
{
    private static final long MS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final int SMALL_BUFFER_LENGTH = 4_096;

    private final AtomicLong nowNs = new AtomicLong(1);
    private OneTopicBroker broker;

    @BeforeEach
    void start()
    {
        broker = OneTopicBroker.start(1).append(0, "a", "b");
    }

    @AfterEach
    void close()
    {
        broker.close();
    }

    private ConsumerContext withManualClock()
    {
        return Reading.context(broker).nanoClock(nowNs::get).fetchMaxWaitMs(0);
    }

    private long versionProbes(final int version)
    {
        return broker.peer().requests().stream()
            .filter((request) -> request.apiKey() == 18 && request.apiVersion() == version).count();
    }

    // Behaviour A6, tried 2026-11-29: If a server closes the connection instead of answering ApiVersions in a version
    // above 0, the next attempt uses a lower version, with which later connections to this address begin. No socket of
    // a failed attempt stays open.
    // Behaviour A10.
    @ParameterizedTest
    @CsvSource({"3, true, NIO", "3, false, NIO", "0, true, NIO", "0, false, NIO", "3, false, EPOLL"})
    void shouldProbeALowerVersionWhenTheServerClosesTheConnection(
        final int supported, final boolean isReset, final TransportType transport)
    {
        broker.maxVersion(ApiMessageType.API_VERSIONS, supported);
        broker.script(ApiMessageType.API_VERSIONS, (call) -> call.version() <= supported ? null :
            isReset ? Answer.reset() : Answer.close());
        try (Reading reading = Reading.start(Reading.context(broker).transport(transport)))
        {
            reading.untilCount(0, 2);
            final long refused = versionProbes(5) + (supported < 3 ? versionProbes(3) : 0);
            assertEquals(refused, reading.consumer().counters().get(ConsumerCounters.VERSION_DOWNGRADES));

            // The next connections begin with the version that was found.
            final long before = versionProbes(supported);
            broker.peer().cut();
            reading.until("new connections", () -> versionProbes(supported) >= before + 2);
            broker.append(0, "c");
            reading.untilCount(0, 3);

            assertEquals(List.of("a", "b", "c"), reading.values(0));
            assertEquals(List.of(), reading.errors());
            assertEquals(refused, versionProbes(5) + (supported < 3 ? versionProbes(3) : 0));
        }
    }

    @Test
    void shouldProbeTheHighestVersionAgainOnceTheServerSupportsIt()
    {
        broker.script(ApiMessageType.API_VERSIONS, (call) -> call.frame().connection() == 0 ? Answer.close() : null);
        try (Reading reading = Reading.start(Reading.context(broker).metadataMaxAgeMs(20)))
        {
            reading.untilCount(0, 2);
            assertEquals(1, versionProbes(3));

            // The second connection to the same address probed a lower version; the next one there does not.
            final long before = versionProbes(5);
            broker.peer().cut();
            reading.until("new connections", () -> versionProbes(5) >= before + 2);

            assertEquals(1, versionProbes(3));
            assertEquals(List.of(), reading.errors());
        }
    }

    // Behaviour A11, tried 2026-11-29: A connection that is lost during version negotiation does not prevent the next
    // attempt.
    // Behaviour A6.
    @Test
    void shouldReportOnceThatAServerClosesEveryConnection()
    {
        broker.script(ApiMessageType.API_VERSIONS, (call) -> Answer.close());
        try (Reading reading = Reading.start(Reading.context(broker)))
        {
            reading.until("all versions, several times", () -> versionProbes(0) >= 4);

            assertEquals(1, reading.errors().size(), () -> reading.errors().toString());
            assertTrue(reading.hasError("expects TLS"), () -> reading.errors().toString());
            assertTrue(reading.hasError(broker.address()), () -> reading.errors().toString());

            broker.script(ApiMessageType.API_VERSIONS, (call) -> null);
            reading.untilCount(0, 2);
            assertEquals(List.of("a", "b"), reading.values(0));
        }
    }

    // Behaviour A1, tried 2026-11-29: ApiVersions is the first request on a connection; nothing else is sent before its
    // response.
    // Behaviour B21.
    @ParameterizedTest
    @CsvSource({"3000, 3000", "120000, 120000", "120001, 120000", "2147483647, 120000"})
    void shouldHonourAThrottleInTheApiVersionsResponse(final int demandedMs, final int throttleMs)
    {
        broker.script(ApiMessageType.API_VERSIONS, (call) -> call.frame().connection() > 0 ? null :
            call.answer(broker.versions(call).setThrottleTimeMs(demandedMs)));
        try (Reading reading = Reading.start(withManualClock()))
        {
            reading.until("the throttle", () -> reading.hasEvent("throttled " + throttleMs));
            nowNs.addAndGet((throttleMs - 1) * MS);
            for (int i = 0; i < 1_000; i++)
            {
                reading.consumer().poll(reading, 1);
            }
            assertEquals(0, broker.requestCount(ApiMessageType.METADATA));
            nowNs.addAndGet(MS);
            reading.untilCount(0, 2);

            assertEquals(throttleMs, reading.consumer().counters().get(ConsumerCounters.THROTTLE_MS));
            assertFalse(reading.hasEvent("lost"), () -> reading.events().toString());
            assertEquals(List.of(), reading.errors());
        }
    }

    /** Before these versions a broker itself waits before it responds (KIP-219). */
    // Behaviour B21.
    @ParameterizedTest
    @CsvSource({"METADATA, 5, 0", "METADATA, 6, 1", "LIST_OFFSETS, 2, 0", "LIST_OFFSETS, 3, 1",
        "API_VERSIONS, 1, 0", "API_VERSIONS, 2, 1"})
    void shouldHonourAThrottleUnlessTheBrokerWaits(final ApiMessageType type, final int version, final int throttles)
    {
        broker.maxVersion(type, version);
        final AtomicInteger answers = new AtomicInteger();
        broker.script(type, (call) -> call.version() > version ?
            Answer.reply(new byte[]{0, 35, 0, 0, 0, 1, 0, 18, 0, 0, 0, (byte)version}) :
            answers.getAndIncrement() > 0 ? null : call.answer(throttled(call)));
        try (Reading reading = Reading.start(Reading.context(broker)))
        {
            reading.untilCount(0, 2);

            assertEquals(throttles, reading.events().stream().filter("throttled 2"::equals).count());
        }
    }

    private ApiMessage throttled(final ModelPeer.Call call)
    {
        switch (call.type())
        {
            case METADATA:
                return broker.metadata(call).setThrottleTimeMs(2);
            case API_VERSIONS:
                return broker.versions(call).setThrottleTimeMs(2);
            default:
                // The response leaves out the partition: it is requested again.
                return new ListOffsetsResponseData().setThrottleTimeMs(2);
        }
    }

    // Behaviour B18, tried 2026-11-30: The connect timeout grows with the failures, up to three times its first length,
    // and is separate from the request timeout.
    @Test
    void shouldIncreaseTheConnectTimeoutAfterEachFailure()
    {
        try (FullListener full = FullListener.start();
            Reading reading = Reading.start(
                Reading.context(full.address(), "t").connectTimeoutMs(1_000).nanoClock(nowNs::get)))
        {
            for (final String time : List.of("within 1000 ms", "within 2000 ms", "within 3000 ms"))
            {
                reading.until(time, () ->
                {
                    nowNs.addAndGet(100 * MS);
                    return reading.consumer().describe().contains("not connected " + time);
                });
            }
            reading.until("the longest time again", () ->
            {
                nowNs.addAndGet(100 * MS);
                return reading.consumer().describe().contains("5 failures, last: not connected within 3000 ms");
            });
            assertEquals(1, reading.errors().size(), () -> reading.errors().toString());
        }
    }

    // Behaviour A1, B20.
    @Test
    void shouldTryTheNextServerWhenOneAcceptsAndDoesNotRespond()
    {
        try (ScriptedPeer silent = ScriptedPeer.start((request) -> Answer.never());
            Reading reading = Reading.start(Reading.context(
                silent.address() + "," + broker.address(), OneTopicBroker.TOPIC).nanoClock(nowNs::get)))
        {
            reading.until("the version probe", () -> silent.requestCount() == 1);
            reading.until("the timeout", () ->
            {
                nowNs.addAndGet(1_000 * MS);
                return !reading.errors().isEmpty();
            });
            // The backoff has expired, and from here on no time passes.
            nowNs.addAndGet(1_000 * MS);
            reading.untilCount(0, 2);

            assertEquals(List.of("Cannot connect to bootstrap server " + silent.address() +
                ": no response within 30000 ms; the client connects again."), reading.errors());
            assertEquals(List.of(18), silent.requests().stream().filter((request) -> request.connection() == 0)
                .map((request) -> (int)request.apiKey()).toList());
        }
    }

    /** It has answered before, and accepts each connection. */
    // Behaviour B17.
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldDoubleTheReconnectBackoffOfABrokerThatResetsAtEachFetch(final boolean isErrorFirst)
    {
        final RequestTimes fetches = new RequestTimes();
        final AtomicInteger resetsLeft = new AtomicInteger();
        final AtomicBoolean isErrorNext = new AtomicBoolean();
        broker.script(ApiMessageType.FETCH, (call) ->
        {
            if (resetsLeft.get() == 0)
            {
                return null;
            }
            isErrorNext.set(isErrorFirst && !isErrorNext.get());
            if (isErrorNext.get())
            {
                return call.answer(new FetchResponseData().setErrorCode(ErrorCode.UNKNOWN_SERVER_ERROR));
            }
            fetches.note();
            return resetsLeft.decrementAndGet() == 0 ? null : Answer.reset();
        });
        try (Reading reading = Reading.start(fetches.set(Reading.context(broker).reconnectBackoffMs(5, 20)
            .retryBackoffMs(1, 1).startPosition(StartPosition.offset(0)).metadataMaxAgeMs(Integer.MAX_VALUE))))
        {
            reading.untilCount(0, 2);
            resetsLeft.set(6);
            reading.until("a good answer", () -> resetsLeft.get() == 0);
            fetches.assertDelays(5, 10, 20, 20, 20);
        }
    }

    // Behaviour B17.
    @Test
    void shouldReconnectAfterTheShortestBackoffAgainOnceTheBrokerHasAnswered()
    {
        final AtomicInteger resetsLeft = new AtomicInteger();
        broker.script(ApiMessageType.FETCH, (call) ->
            resetsLeft.getAndUpdate((left) -> Math.max(0, left - 1)) > 0 ? Answer.reset() : null);
        try (Reading reading = Reading.start(withManualClock().reconnectBackoffMs(5, 60_000).retryBackoffMs(1, 1)
            .metadataMaxAgeMs(Integer.MAX_VALUE)))
        {
            reading.untilCount(0, 2);
            resetsLeft.set(5);
            broker.append(0, "c");
            reading.until("an answer after five resets", () ->
            {
                nowNs.addAndGet(MS);
                return reading.count(0) == 3;
            });
            final long lost = reading.consumer().counters().get(ConsumerCounters.CONNECTIONS_LOST);
            assertTrue(lost >= 5, () -> lost + " connections lost");

            resetsLeft.set(1);
            reading.until("another reset",
                () -> reading.consumer().counters().get(ConsumerCounters.CONNECTIONS_LOST) > lost);
            // The first backoff is 5 ms and 20 percent at most; that after six failures would be 128 ms or more.
            nowNs.addAndGet(10 * MS);
            broker.append(0, "d");
            reading.untilCount(0, 4);
        }
    }

    // Behaviour B19.
    @Test
    void shouldLookUpTheNameOfABrokerAgainAfterALostConnection()
    {
        final AtomicInteger lookUps = new AtomicInteger();
        broker.script(ApiMessageType.METADATA, (call) ->
        {
            final MetadataResponseData response = broker.metadata(call);
            response.brokers().find(OneTopicBroker.NODE_ID).setHost("broker.test");
            return call.answer(response);
        });
        try (Reading reading = Reading.start(Reading.context(broker).nameResolver((host) ->
        {
            lookUps.incrementAndGet();
            // More than are tried here.
            final InetAddress[] addresses = new InetAddress[100];
            Arrays.fill(addresses, InetAddress.getByName("127.0.0.1"));
            return addresses;
        })))
        {
            reading.untilCount(0, 2);
            assertEquals(1, lookUps.get());
            broker.peer().cut();
            broker.append(0, "c");
            reading.untilCount(0, 3);

            assertTrue(lookUps.get() > 1);
        }
    }

    /** A handler that takes long: the broker is gone after the timeout at most, and two more duty cycles. */
    // Behaviour P211.
    @ParameterizedTest
    @CsvSource({"100, 31200", "2000, 34000", "5000, 40000", "60000, 120000"})
    void shouldNoticeATimeoutInRealTimeHoweverLongTheCyclesAre(final int cycleMs, final int mostMs)
    {
        try (Reading reading = Reading.start(withManualClock()
            .metadataMaxAgeMs(Integer.MAX_VALUE)))
        {
            reading.untilCount(0, 2);
            reading.untilRefreshed();
            final AtomicBoolean isUnanswered = new AtomicBoolean();
            broker.script(ApiMessageType.FETCH, (call) ->
            {
                isUnanswered.set(true);
                return Answer.never();
            });
            reading.until("a fetch without an answer", isUnanswered::get);
            final long startNs = nowNs.get();
            reading.until("the timeout", () ->
            {
                final boolean isLost = reading.hasEvent("lost");
                nowNs.addAndGet(isLost ? 0 : cycleMs * MS);
                return isLost;
            });

            final long elapsedMs = (nowNs.get() - startNs) / MS;
            assertTrue(elapsedMs >= 30_000 && elapsedMs <= mostMs + cycleMs, () -> "after " + elapsedMs + " ms");
        }
    }

    @Test
    void shouldReportOnceThatALeaderCannotBeReached()
    {
        broker.script(ApiMessageType.METADATA, (call) ->
        {
            final MetadataResponseData response = broker.metadata(call);
            response.brokers().find(OneTopicBroker.NODE_ID).setHost("nowhere.invalid");
            return call.answer(response);
        });
        final AtomicInteger lookUps = new AtomicInteger();
        try (Reading reading = Reading.start(Reading.context(broker).nameResolver((host) ->
        {
            lookUps.incrementAndGet();
            throw new UnknownHostException(host);
        })))
        {
            // Neither the connection for fetches nor the one for offset lookups is established.
            reading.until("several tries", () -> lookUps.get() >= 10);

            assertEquals(1, reading.errors().size(), () -> reading.errors().toString());
            assertTrue(reading.hasError("broker 7 at nowhere.invalid"), () -> reading.errors().toString());
        }
    }

    // Behaviour B23.
    @Test
    void shouldReportOnceThatAServerClosesInTheMiddleOfAResponse()
    {
        final AtomicBoolean isCut = new AtomicBoolean();
        broker.script(ApiMessageType.FETCH, (call) -> isCut.getAndSet(true) ? null :
            Answer.raw(ByteBuffer.allocate(20).putInt(1_000).array()).thenClose());
        try (Reading reading = Reading.start(Reading.context(broker)))
        {
            reading.untilCount(0, 2);

            assertEquals(List.of("a", "b"), reading.values(0));
            assertEquals(1, reading.events().stream().filter((event) -> event.startsWith("lost")).count());
            assertEquals(1, reading.consumer().counters().get(ConsumerCounters.CONNECTIONS_LOST));
        }
    }

    // Behaviour B26.
    @ParameterizedTest
    @EnumSource(value = TransportType.class, names = {"NIO", "EPOLL"})
    void shouldSendARequestThatIsLargerThanTheSocketBuffer(final TransportType transport)
    {
        final int count = 1_000;
        broker.addPartitions(count - 1);
        broker.append(count - 1, "z");
        try (SmallBuffers poller = new SmallBuffers(transport);
            Reading reading = Reading.start(Reading.context(broker).poller(poller)))
        {
            reading.untilCount(0, 2);
            reading.untilCount(count - 1, 1);

            assertTrue(poller.partialSends > 0);
            assertEquals(List.of(), reading.errors());
            assertFalse(reading.hasEvent("lost"), () -> reading.events().toString());
        }
    }

    // Behaviour B22, tried 2026-11-30: A connection that has been idle for nine minutes is closed, but not while a
    // response is outstanding. The close is counted, and causes no event.
    @Test
    void shouldCloseIdleConnectionsAndReconnect()
    {
        // Time passes in long steps here, which must not count as a broker that does not respond.
        try (Reading reading = Reading.start(Reading.withoutTimeouts(withManualClock())))
        {
            reading.untilCount(0, 2);
            reading.consumer().pause(0);
            final ConsumerCounters counters = reading.consumer().counters();
            reading.until("no request in flight", () -> !reading.consumer().describe().contains("fetch outstanding"));
            nowNs.addAndGet(TimeUnit.MINUTES.toNanos(9) - 1);
            for (int i = 0; i < 100; i++)
            {
                reading.consumer().poll(reading, 1);
            }
            assertEquals(0, counters.get(ConsumerCounters.IDLE_CLOSES));
            reading.until("the fetching connection to be idle", () ->
            {
                nowNs.addAndGet(TimeUnit.MINUTES.toNanos(1));
                return Internals.fetchers(reading.consumer()).anyMatch((fetcher) ->
                    fetcher.state() == ConnectionState.IDLE && fetcher.partitionCount() == 1);
            });
            assertTrue(counters.get(ConsumerCounters.IDLE_CLOSES) > 0);
            assertTrue(reading.consumer().awaitReady(0), "a consumer with an idle connection must be ready");

            reading.consumer().resume(0);
            broker.append(0, "c");
            reading.untilCount(0, 3);

            assertEquals(List.of("a", "b", "c"), reading.values(0));
            assertFalse(reading.hasEvent("lost"), () -> reading.events().toString());
            assertEquals(List.of(), reading.errors());
            assertEquals(0, counters.get(ConsumerCounters.CONNECTIONS_LOST));
        }
    }

    // Behaviour B22.
    @Test
    void shouldNotCloseAConnectionWhoseResponseIsOutstanding()
    {
        final AtomicBoolean isSent = new AtomicBoolean();
        broker.script(ApiMessageType.FETCH, (call) ->
        {
            isSent.set(true);
            return Answer.never();
        });
        try (Reading reading = Reading.start(Reading.withoutTimeouts(withManualClock())))
        {
            reading.until("a fetch", isSent::get);
            for (int i = 0; i < 30; i++)
            {
                nowNs.addAndGet(TimeUnit.MINUTES.toNanos(1));
                reading.consumer().poll(reading, 1);
            }

            assertEquals(0, reading.consumer().counters().get(ConsumerCounters.IDLE_CLOSES));
            final String state = reading.consumer().describe();
            assertTrue(state.contains("fetch outstanding"), state);
        }
    }

    // Behaviour B22.
    @ParameterizedTest
    @EnumSource(value = TransportType.class, names = {"NIO", "EPOLL"})
    void shouldNotReportAServerThatClosesIdleConnections(final TransportType transport)
    {
        broker.script(ApiMessageType.METADATA,
            (call) -> call.answer(broker.metadata(call)).thenClose());
        try (Reading reading = Reading.start(Reading.context(broker).metadataMaxAgeMs(20).transport(transport)))
        {
            reading.until("several closed connections",
                () -> reading.consumer().counters().get(ConsumerCounters.IDLE_CLOSES) >= 3);
            reading.untilCount(0, 2);

            // A request may be sent before a close is seen: the connection is then lost, which is not an error either.
            assertEquals(List.of(), reading.errors());
            assertEquals(List.of("a", "b"), reading.values(0));
        }
    }

    @ParameterizedTest
    @EnumSource(value = TransportType.class, names = {"NIO", "EPOLL"})
    void shouldDeliverAResponseToItsEndBeforeItHandlesAClose(final TransportType transport)
    {
        final AtomicInteger fetches = new AtomicInteger();
        broker.script(ApiMessageType.FETCH, (call) -> fetches.getAndIncrement() > 0 ? null :
            call.answer((FetchResponseData)broker.model().usual(call)).thenClose());
        try (Reading reading = Reading.start(Reading.context(broker).startPosition(StartPosition.offset(0))
            .transport(transport)))
        {
            reading.until("the first record", 1, () -> reading.count(0) == 1);
            final AtomicInteger cycles = new AtomicInteger();
            reading.until("duty cycles after the close", 0, () -> cycles.getAndIncrement() == 1_000);
            assertFalse(reading.hasEvent("lost"), () -> reading.events().toString());
            reading.until("the last record", 1, () -> reading.count(0) == 2);

            assertEquals(List.of("a", "b"), reading.values(0));
            assertEquals(0, reading.consumer().counters().get(ConsumerCounters.BYTES_DISCARDED));
        }
    }

    /** Only a fetch response is read in part, because its record sets can be dropped one by one. */
    @Test
    void shouldRefuseAMetadataFrameBeyondTheCap()
    {
        final int cap = 1_200_000;
        final AtomicInteger calls = new AtomicInteger();
        broker.script(ApiMessageType.METADATA, (call) -> calls.getAndIncrement() > 0 ? null : Answer.raw(
            ByteBuffer.allocate(1 << 16).putInt(cap + 1).putInt(call.frame().correlationId()).array()));
        final ConsumerContext context = Reading.context(broker).fetchMaxBytes(cap / 2).receiveBufferMaxLength(cap);
        try (Reading reading = Reading.start(context))
        {
            reading.untilCount(0, 2);

            assertTrue(reading.hasError("a frame of " + (cap + 1) + " bytes where at most " + (cap - 4)),
                () -> reading.errors().toString());
        }
    }

    @Test
    void shouldCountUndeliveredBytesOfALostFrameAsDiscarded()
    {
        try (OneTopicBroker movedBroker = OneTopicBroker.start(1).append(0, "a", "b");
            Reading reading = Reading.start(Reading.context(broker).metadataMaxAgeMs(20)
                .startPosition(StartPosition.offset(0))))
        {
            reading.until("the first record", 1, () -> reading.count(0) == 1);
            broker.script(ApiMessageType.METADATA, (call) -> call.answer(movedBroker.metadata(call)));
            reading.until("the other address", 0, () -> movedBroker.requestCount(ApiMessageType.FETCH) > 0);

            // The whole batch is fetched again, so all of its bytes count.
            assertEquals(OneTopicBroker.batch(0, "a", "b").sizeInBytes(),
                reading.consumer().counters().get(ConsumerCounters.BYTES_DISCARDED));
            reading.untilCount(0, 2);
            assertEquals(List.of("a", "b"), reading.values(0));
        }
    }

    /** Opens sockets with small send buffers, and counts the sends that take only a part of the remaining bytes. */
    private static final class SmallBuffers extends ForwardingPoller
    {
        private int partialSends;

        SmallBuffers(final TransportType transport)
        {
            super(ConsumerContext.openPoller(transport));
        }

        @Override
        public PolledSocket openSocket(final int receiveBufferLength, final int sendBufferLength)
        {
            return new Socket(super.openSocket(receiveBufferLength, SMALL_BUFFER_LENGTH))
            {
                @Override
                public int send(final ByteBuffer buffer) throws IOException
                {
                    final int sent = super.send(buffer);
                    partialSends += buffer.hasRemaining() ? 1 : 0;
                    return sent;
                }
            };
        }
    }
}
