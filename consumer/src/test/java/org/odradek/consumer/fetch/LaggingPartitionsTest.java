// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.fetch;

import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.FetchResponseData.PartitionData;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.SaslAuthenticateResponseData;
import org.apache.kafka.common.message.SaslHandshakeResponseData;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.odradek.client.security.PlainMechanism;
import org.odradek.client.security.SecuritySettings;
import org.odradek.consumer.Internals;
import org.odradek.consumer.StartPosition;
import org.odradek.consumer.handler.ConsumerCounters;
import org.odradek.consumer.support.OneTopicBroker;
import org.odradek.consumer.support.Reading;
import org.odradek.harness.Answer;

import java.net.InetAddress;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Tests that partitions that lag are read over several connections, and return to the first one at the ends of their
 * logs.
 */
class LaggingPartitionsTest
{
    /** One at the start, and one because the first connection to the broker is new. */
    private static final int METADATA_OF_THE_FIRST = 2;
    /** Much less than a millisecond, from which on a broker is distant. */
    private static final long NEAR_NS = TimeUnit.MICROSECONDS.toNanos(50);

    private OneTopicBroker broker;
    private Reading reading;
    private int polls;
    private volatile long skippedNs;

    @AfterEach
    void close()
    {
        reading.close();
        broker.close();
    }

    /** Begins to read so many batches of each partition, one with each fetch. */
    private void start(final int partitions, final int batches, final int connections)
    {
        append(partitions, batches);
        read(connections, 20);
    }

    private void append(final int partitions, final int batches)
    {
        broker = OneTopicBroker.start(partitions);
        for (int p = 0; p < partitions; p++)
        {
            for (int i = 0; i < batches; i++)
            {
                broker.append(p, "value " + i);
            }
        }
    }

    private void read(final int connections, final int waitMs)
    {
        reading = Reading.start(
            Reading.context(broker).fetchMaxBytes(1).fetchConnections(connections).fetchMaxWaitMs(waitMs));
    }

    /** Polls do not wait, and {@link #skippedNs} is in advance of the clock of the machine. */
    private void readSkipping(final int connections)
    {
        reading = Reading.start(Reading.withoutTimeouts(Reading.context(broker)).fetchMaxBytes(1)
            .fetchConnections(connections).metadataMaxAgeMs(Integer.MAX_VALUE)
            .nanoClock(() -> System.nanoTime() + skippedNs));
    }

    /** A further connection is closed when it was not used for 30 s, and its last request may still be in flight. */
    private void untilClosed(final Map<Integer, Integer> expected)
    {
        skippedNs += TimeUnit.SECONDS.toNanos(30);
        reading.until("no further connection", 1, () ->
        {
            skippedNs += TimeUnit.MILLISECONDS.toNanos(10);
            return distribution().equals(expected);
        });
    }

    private void readAll(final int partitions, final int batches)
    {
        for (int p = 0; p < partitions; p++)
        {
            reading.untilCount(p, batches);
        }
    }

    private void assertAllOnce(final int partitions, final int batches)
    {
        final List<String> expected = IntStream.range(0, batches).mapToObj((i) -> "value " + i).toList();
        for (int p = 0; p < partitions; p++)
        {
            assertEquals(expected, reading.values(p));
        }
    }

    private long counter(final int id)
    {
        return reading.consumer().counters().get(id);
    }

    /** The number of partitions by the number of the connection. */
    private Map<Integer, Integer> distribution()
    {
        final Map<Integer, Integer> counts = new TreeMap<>();
        Internals.fetchers(reading.consumer())
            .forEach((fetcher) -> counts.put(fetcher.number(), fetcher.partitionCount()));
        return counts;
    }

    /** Delivers nothing while connections are opened, so that partitions go on to lag. */
    private void untilDistributed(final Map<Integer, Integer> expected)
    {
        reading.until("a further connection", 1, () -> distribution().containsKey(1));
        reading.until("its partitions", 0, () -> distribution().equals(expected));
    }

    /** Connections that are opened from then on are further ones. */
    private boolean isFetched()
    {
        return broker.fetchCount(0) > 0;
    }

    private void untilRefused()
    {
        reading.until("a further connection", 1, () -> distribution().containsKey(1) || isRefused());
        reading.until("its refusal", 0, this::isRefused);
    }

    private boolean isRefused()
    {
        return reading.consumer().describe().contains("the broker has refused another");
    }

    @Test
    void shouldUseOneConnectionWhileNoPartitionLags()
    {
        start(3, 1, 8);
        readAll(3, 1);

        assertEquals(Map.of(0, 3), distribution());
        assertEquals(0, counter(ConsumerCounters.FETCH_CONNECTIONS_ADDED));
    }

    @Test
    void shouldUseOneConnectionUnlessTheBrokerIsDistant()
    {
        append(4, 60);
        // Time passes with each request that arrives, while the thread waits for the response.
        reading = Reading.start(Reading.context(broker).fetchMaxBytes(1).fetchConnections(0)
            .nanoClock(() -> broker.peer().requestCount() * NEAR_NS));
        readAll(4, 60);

        assertEquals(Map.of(0, 4), distribution());
        assertEquals(0, counter(ConsumerCounters.FETCH_CONNECTIONS_ADDED));
    }

    // Behaviour P210.
    @Test
    void shouldReadOverSeveralConnectionsAndReturnToOne()
    {
        append(8, 100);
        readSkipping(3);

        untilDistributed(Map.of(0, 3, 1, 3, 2, 2));
        readAll(8, 100);
        reading.until("one connection in use", () -> distribution().equals(Map.of(0, 8, 1, 0, 2, 0)));
        untilClosed(Map.of(0, 8));

        assertAllOnce(8, 100);
        assertEquals(2, counter(ConsumerCounters.FETCH_CONNECTIONS_ADDED));
        assertEquals(2, counter(ConsumerCounters.FETCH_CONNECTIONS_REMOVED));
        assertEquals(0, counter(ConsumerCounters.CONNECTIONS_LOST));
        reading.untilRefreshed();
        assertEquals(METADATA_OF_THE_FIRST, counter(ConsumerCounters.METADATA_REFRESHES));
    }

    /** No response is empty there: that to each request holds the record that has ended its wait. */
    @Test
    void shouldReturnToOneConnectionWhileRecordsTrickleIn()
    {
        append(2, 100);
        read(2, 500);
        readAll(2, 100);

        for (int count = 101; !distribution().equals(Map.of(0, 2, 1, 0)); count++)
        {
            assertTrue(count < 120, reading.consumer().describe());
            broker.append(0, "value " + (count - 1));
            broker.append(1, "value " + (count - 1));
            readAll(2, count);
        }

        assertAllOnce(2, reading.count(0));
    }

    /** As a host with an IPv6 address on which its broker does not listen. */
    @Test
    void shouldConnectAgainToTheAddressOfTheHostThatHasAnswered()
    {
        append(2, 100);
        broker.script(ApiMessageType.METADATA, (call) ->
        {
            final MetadataResponseData metadata = broker.metadata(call);
            metadata.brokers().forEach((named) -> named.setHost("broker"));
            return call.answer(metadata);
        });
        reading = Reading.start(Reading.context(broker).fetchMaxBytes(1).fetchConnections(2).nameResolver((host) ->
            new InetAddress[] {InetAddress.getByName("127.0.0.1"), InetAddress.getByName("127.0.0.2")}));

        untilDistributed(Map.of(0, 1, 1, 1));
        readAll(2, 100);

        assertFalse(reading.consumer().describe().contains("the broker has refused another"));
        assertAllOnce(2, 100);
    }

    /** As an application whose store is slow: each connect is one to the broker, and allocates. */
    // Behaviour P210.
    @Test
    void shouldKeepTheConnectionsOfPartitionsThatArePausedAgainAndAgain()
    {
        start(2, 200, 2);
        untilDistributed(Map.of(0, 1, 1, 1));

        for (int i = 0; i < 20; i++)
        {
            final int end = polls + 20;
            reading.consumer().pause(0);
            reading.consumer().pause(1);
            reading.until("polls", 1, () -> polls++ > end);
            assertEquals(Map.of(0, 1, 1, 1), distribution());
            reading.consumer().resume(0);
            reading.consumer().resume(1);
            final int before = reading.count(0) + reading.count(1);
            reading.until("records", 1, () -> reading.count(0) + reading.count(1) > before + 5);
        }
        assertEquals(Map.of(0, 1, 1, 1), distribution());
        readAll(2, 200);

        assertAllOnce(2, 200);
        assertEquals(1, counter(ConsumerCounters.FETCH_CONNECTIONS_ADDED));
        assertEquals(0, counter(ConsumerCounters.FETCH_CONNECTIONS_REMOVED));
    }

    // Behaviour P210.
    @Test
    void shouldReturnAPartitionThatIsPausedForThirtySeconds()
    {
        append(2, 100);
        readSkipping(2);
        untilDistributed(Map.of(0, 1, 1, 1));

        reading.consumer().pause(0);
        reading.consumer().pause(1);
        reading.until("what is in flight", 1, () -> polls++ > 1_000);
        skippedNs += TimeUnit.SECONDS.toNanos(15);
        reading.until("more polls", 1, () -> polls++ > 2_000);
        assertEquals(Map.of(0, 1, 1, 1), distribution());
        untilClosed(Map.of(0, 2));
        assertTrue(reading.consumer().awaitReady(0));
        reading.consumer().resume(0);
        reading.consumer().resume(1);
        readAll(2, 100);

        assertAllOnce(2, 100);
    }

    // Behaviour B21.
    @Test
    void shouldDeliverAThrottledResponseAndRequestNothingUntilTheBrokerAllowsIt()
    {
        start(2, 100, 2);
        untilDistributed(Map.of(0, 1, 1, 1));
        final int last = broker.peer().acceptedCount() - 1;
        final AtomicReference<PartitionData> throttled = new AtomicReference<>();
        broker.script(ApiMessageType.FETCH, (call) ->
        {
            if (call.frame().connection() != last)
            {
                return null;
            }
            final FetchResponseData response = (FetchResponseData)broker.model().usual(call);
            throttled.set(response.responses().get(0).partitions().get(0));
            return call.answer(response.setThrottleTimeMs(60_000));
        });

        reading.until("a demand to wait", 1, () -> reading.hasEvent("throttled"));
        reading.until("all that was in flight", 1, () -> reading.fetchesInFlight() == 0);
        final int fetches = broker.requestCount(ApiMessageType.FETCH);
        reading.until("more polls", 1, () -> polls++ > 200);

        assertEquals(fetches, broker.requestCount(ApiMessageType.FETCH));
        assertEquals(fetches, counter(ConsumerCounters.FETCHES));
        final long offset = ((MemoryRecords)throttled.get().records()).batches().iterator().next().baseOffset();
        assertTrue(reading.offsets(throttled.get().partitionIndex()).contains(offset));
    }

    @Test
    void shouldReportNoLossOfAConnectionBesideTheFirst()
    {
        start(2, 100, 2);
        untilDistributed(Map.of(0, 1, 1, 1));
        final int last = broker.peer().acceptedCount() - 1;
        broker.script(ApiMessageType.FETCH, (call) -> call.frame().connection() == last ? Answer.reset() : null);

        reading.until("one connection", 1, () -> distribution().equals(Map.of(0, 2)));
        readAll(2, 100);

        assertAllOnce(2, 100);
        assertEquals(0, counter(ConsumerCounters.CONNECTIONS_LOST));
        assertFalse(reading.hasEvent("lost"));
        reading.untilRefreshed();
        assertEquals(METADATA_OF_THE_FIRST, counter(ConsumerCounters.METADATA_REFRESHES));
    }

    /** The other partition is paused, so that nothing is in flight over the first connection. */
    // Behaviour I118.
    @Test
    void shouldRequestMetadataWhenAFurtherConnectionTimesOut()
    {
        final AtomicLong nowNs = new AtomicLong();
        append(2, 100);
        reading = Reading.start(Reading.context(broker).fetchMaxBytes(1).fetchConnections(2).fetchMaxWaitMs(20)
            .nanoClock(nowNs::get).metadataMaxAgeMs(Integer.MAX_VALUE));
        untilDistributed(Map.of(0, 1, 1, 1));
        final int further = broker.peer().acceptedCount() - 1;
        final AtomicInteger read = new AtomicInteger(-1);
        broker.script(ApiMessageType.FETCH, (call) ->
        {
            if (call.frame().connection() == further)
            {
                read.set(((FetchRequestData)call.request()).topics().get(0).partitions().get(0).partition());
            }
            return null;
        });
        reading.until("a fetch over the further connection", 1, () -> read.get() >= 0);
        reading.consumer().pause(1 - read.get());
        final AtomicInteger unanswered = new AtomicInteger();
        broker.script(ApiMessageType.FETCH, (call) -> call.frame().connection() == further &&
            unanswered.incrementAndGet() > 0 ? Answer.never() : null);
        reading.until("a fetch without an answer", 1, () -> unanswered.get() > 0);
        reading.until("the answer to any other", 1, () -> reading.fetchesInFlight() == 1);
        reading.untilRefreshed();
        final int before = broker.requestCount(ApiMessageType.METADATA);
        final AtomicInteger seconds = new AtomicInteger();
        reading.until("metadata before another timeout", () ->
        {
            nowNs.addAndGet(seconds.incrementAndGet() <= 35 ? 1_000_000_000L : 0);
            return broker.requestCount(ApiMessageType.METADATA) > before;
        });
    }

    /** As one whose token has expired since. */
    @Test
    void shouldGoOnIfTheBrokerRefusesTheCredentialsOfAFurtherConnection()
    {
        append(2, 100);
        broker.maxVersion(ApiMessageType.SASL_HANDSHAKE, 1).maxVersion(ApiMessageType.SASL_AUTHENTICATE, 2);
        broker.script(ApiMessageType.SASL_HANDSHAKE, (call) -> call.answer(new SaslHandshakeResponseData()));
        broker.script(ApiMessageType.SASL_AUTHENTICATE, (call) -> call.answer(new SaslAuthenticateResponseData()
            .setErrorCode((isFetched() ? Errors.SASL_AUTHENTICATION_FAILED : Errors.NONE).code())));
        reading = Reading.start(Reading.context(broker).fetchMaxBytes(1).fetchConnections(2).security(
            SecuritySettings.sasl(PlainMechanism.plain("alice", "password".toCharArray())).withoutTls()));

        untilRefused();
        readAll(2, 100);

        assertAllOnce(2, 100);
        assertEquals(List.of(), reading.errors());
    }

    /** As when the partitions return from a replica to their leader. */
    @Test
    void shouldRememberThatABrokerRefusesConnectionsWhilePartitionsAreElsewhere()
    {
        append(2, 100);
        read(2, 20);
        broker.script(ApiMessageType.API_VERSIONS, (call) -> isFetched() ? Answer.close() : null);
        untilRefused();
        readAll(2, 100);
        broker.script(ApiMessageType.API_VERSIONS, (call) -> null);
        final long added = counter(ConsumerCounters.FETCH_CONNECTIONS_ADDED);

        for (int p = 0; p < 2; p++)
        {
            reading.consumer().unassign(p);
            reading.forget(p);
        }
        reading.until("no fetcher", () -> distribution().isEmpty());
        reading.consumer().assign(0, StartPosition.earliest());
        reading.consumer().assign(1, StartPosition.earliest());
        readAll(2, 100);

        assertEquals(added, counter(ConsumerCounters.FETCH_CONNECTIONS_ADDED));
    }

    /** Each of eight connections would otherwise have a buffer of its own for them. */
    @Test
    void shouldReadBatchesThatAreTooLargeForAllConnectionsOverOne()
    {
        append(4, 20);
        final String large = "x".repeat(4 << 20);
        for (int p = 0; p < 4; p++)
        {
            broker.append(p, large).append(p, large).append(p, "last");
        }
        read(4, 20);
        untilDistributed(Map.of(0, 1, 1, 1, 2, 1, 3, 1));

        readAll(4, 23);

        assertEquals(1, counter(ConsumerCounters.BUFFERS_GROWN));
        assertTrue(reading.consumer().describe().contains("batches are too large"));
        for (int p = 0; p < 4; p++)
        {
            assertEquals(List.of(large, large, "last"), reading.values(p).subList(20, 23));
        }
    }

    /** As a load balancer whose broker is down, or one whose SYN queue is full. */
    @Test
    void shouldGoOnWhileAConnectionIsNotAnswered()
    {
        append(2, 100);
        reading = Reading.start(
            Reading.context(broker).fetchMaxBytes(1).fetchConnections(2).requestTimeoutMs(600_000));
        broker.script(ApiMessageType.API_VERSIONS, (call) -> isFetched() ? Answer.never() : null);

        reading.until("a second connection", 1, () -> distribution().containsKey(1));
        assertTrue(reading.consumer().awaitReady(0));
        readAll(2, 100);

        assertEquals(Map.of(0, 2, 1, 0), distribution());
        assertAllOnce(2, 100);
    }

    /** A session's broker leaves partitions out of a full response, and each is in few of the responses. */
    @Test
    void shouldFindThatPartitionsLagWhichASessionLeavesOut()
    {
        start(64, 20, 2);

        reading.until("a further connection", 1, () -> distribution().containsKey(1));

        assertEquals(1, broker.sessionCount());
        final long fetches = counter(ConsumerCounters.FETCHES);
        assertTrue(fetches <= 20, () -> "after " + fetches + " fetches");
        readAll(64, 20);
        assertAllOnce(64, 20);
    }

    @Test
    void shouldOpenNoConnectionWithoutAPartition()
    {
        start(2, 100, 8);

        untilDistributed(Map.of(0, 1, 1, 1));
        readAll(2, 100);

        assertAllOnce(2, 100);
        assertEquals(1, counter(ConsumerCounters.FETCH_CONNECTIONS_ADDED));
    }
}
