// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.cluster;

import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.FetchResponseData.LeaderIdAndEpoch;
import org.apache.kafka.common.message.FetchResponseData.NodeEndpoint;
import org.apache.kafka.common.message.FetchResponseData.PartitionData;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.odradek.client.PolledSocket;
import org.odradek.client.Poller;
import org.odradek.client.TransportType;
import org.odradek.client.support.ForwardingPoller;
import org.odradek.consumer.ConsumerContext;
import org.odradek.consumer.FetchSessionMode;
import org.odradek.consumer.Internals;
import org.odradek.consumer.handler.ConsumerCounters;
import org.odradek.consumer.support.OneTopicBroker;
import org.odradek.consumer.support.Reading;
import org.odradek.consumer.support.RequestTimes;
import org.odradek.harness.Answer;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

/**
 * Tests responses that name another broker to read from: the new leader (KIP-951) or the preferred replica (KIP-392).
 */
class OtherBrokersTest extends TwoBrokersFixture
{
    private static final int UNKNOWN_ID = 99;
    private static final int NEW_EPOCH = OneTopicBroker.LEADER_EPOCH + 1;
    private static final int NOT_LEADER_OR_FOLLOWER = 6;
    private static final long MAX_AGE_NS = TimeUnit.MINUTES.toNanos(5);

    /** Wraps, as nanoTime may. */
    private final AtomicLong nowNs = new AtomicLong(Long.MAX_VALUE - 5);
    private final AtomicInteger addressed = new AtomicInteger();

    private ConsumerContext context(final FetchSessionMode mode)
    {
        return context().fetchSession(mode).clientRack("here");
    }

    private static PartitionData notLeader(final int leaderId, final int epoch)
    {
        return OneTopicBroker.error(0, NOT_LEADER_OR_FOLLOWER)
            .setCurrentLeader(new LeaderIdAndEpoch().setLeaderId(leaderId).setLeaderEpoch(epoch));
    }

    /** Adds the address of the other broker to every fetch response. */
    private void endpoint(final String host, final int port)
    {
        broker.script(ApiMessageType.FETCH, (call) ->
        {
            final FetchResponseData response = (FetchResponseData)broker.model().usual(call);
            response.nodeEndpoints().removeIf((endpoint) -> endpoint.nodeId() == OTHER_ID);
            response.nodeEndpoints().add(new NodeEndpoint().setNodeId(OTHER_ID).setHost(host).setPort(port));
            addressed.incrementAndGet();
            return call.answer(response);
        });
    }

    /**
     * Responds to a fetch of partition 0 with the new leader and its address. A fetch that has arrived before the
     * address was known would otherwise be answered with the leader alone.
     */
    private void hint(final int epoch)
    {
        other.lead(epoch);
        endpoint("127.0.0.1", other.peer().port());
        reading.until("the address in a response", () -> addressed.get() > 0);
        broker.script(0, (requested) -> notLeader(OTHER_ID, epoch));
    }

    // Behaviour I117, tried 2026-11-29: A leader that an error response names is used if its epoch is newer.
    @ParameterizedTest
    @EnumSource(names = {"ON", "OFF"})
    void shouldFollowTheLeaderThatAnErrorNames(final FetchSessionMode mode)
    {
        start(context(mode));

        // Metadata still names the old leader.
        hint(NEW_EPOCH);
        reading.untilCount(0, 2);

        assertEquals(List.of("a", "b"), reading.values(0));
        assertEquals(List.of("leader of 0 is 8 epoch 6"),
            reading.events().stream().filter((event) -> event.startsWith("leader")).toList());
        assertEquals(1, reading.consumer().counters().get(ConsumerCounters.LEADER_CHANGES));
        broker.append(1, "y");
        reading.untilCount(1, 2);
        assertEquals(0, other.fetchCount(1));
        assertEquals(List.of(), reading.errors());
    }

    // Behaviour I117.
    @ParameterizedTest
    @ValueSource(ints = {OneTopicBroker.LEADER_EPOCH, OneTopicBroker.LEADER_EPOCH - 1})
    void shouldNotFollowALeaderThatIsNotNewer(final int epoch)
    {
        nameBoth(broker, other);
        start(context(FetchSessionMode.ON));

        hint(epoch);
        final int before = broker.fetchCount(0);
        reading.until("retries", () -> broker.fetchCount(0) > before + 3);

        assertEquals(0, other.fetchCount(0));
        assertFalse(reading.hasEvent("leader"));
    }

    /** As a string, a host that is no valid UTF-8 is three times as long. */
    @Test
    void shouldGoOnWhenTheHostOfTheNamedLeaderIsNoText()
    {
        final int length = 200;
        broker.script(0, (requested) -> notLeader(OTHER_ID, NEW_EPOCH));
        broker.script(ApiMessageType.FETCH, (call) ->
        {
            final FetchResponseData response = (FetchResponseData)broker.model().usual(call);
            response.nodeEndpoints().add(
                new NodeEndpoint().setNodeId(OTHER_ID).setHost("X".repeat(length)).setPort(1));
            final byte[] body = call.body(response);
            for (int i = 0; i < body.length; i++)
            {
                body[i] = body[i] == 'X' ? (byte)0xFF : body[i];
            }
            return Answer.reply(body);
        });
        reading = Reading.start(context(FetchSessionMode.ON));
        reading.until("the leader", () -> reading.hasEvent("leader of 0 is 8"));
        broker.append(1, "y");
        reading.untilCount(1, 2);
    }

    // Behaviour I117.
    @ParameterizedTest
    @CsvSource({"127.0.0.1, 0", "127.0.0.1, -1", "127.0.0.1, 70000", "'', 9092"})
    void shouldRequestMetadataWhenTheAddressOfTheNamedLeaderIsUnknown(final String host, final int port)
    {
        endpoint(host, port);
        start(context(FetchSessionMode.ON));

        other.lead(NEW_EPOCH);
        broker.script(0, (requested) -> notLeader(OTHER_ID, NEW_EPOCH));
        reading.until("the leader", () -> reading.hasEvent("leader of 0 is 8"));
        nameBoth(broker, other);
        reading.untilCount(0, 2);

        assertEquals(List.of("a", "b"), reading.values(0));
    }

    /** The leader of partition 0 names a preferred replica. */
    private void prefer(final int nodeId)
    {
        broker.script(0, (requested) -> OneTopicBroker.data(0, 2).setPreferredReadReplica(nodeId));
    }

    private void readFromReplica(final ConsumerContext context)
    {
        nameBoth(broker, other);
        prefer(OTHER_ID);
        reading = Reading.start(context);
        reading.untilCount(0, 2);
        assertEquals(List.of("a", "b"), reading.values(0));
    }

    // Behaviour L149, tried 2026-11-29: A replica that the leader prefers is read until the time of the preference has
    // expired, the leader changes, or the replica fails. An unknown replica is not read.
    // Behaviour D47.
    @ParameterizedTest
    @EnumSource(names = {"ON", "OFF"})
    void shouldReadFromThePreferredReplica(final FetchSessionMode mode)
    {
        broker.script(ApiMessageType.FETCH, (call) ->
        {
            assertEquals("here", ((FetchRequestData)call.request()).rackId());
            return null;
        });
        readFromReplica(context(mode));
        reading.untilCount(1, 1);

        final int before = broker.fetchCount(0);
        other.append(0, "c");
        reading.untilCount(0, 3);
        broker.append(1, "y");
        reading.untilCount(1, 2);

        assertEquals(before, broker.fetchCount(0));
        assertEquals(0, other.fetchCount(1));
        assertFalse(reading.hasEvent("leader"));
        assertEquals(List.of(), reading.errors());
    }

    @Test
    void shouldSendNoFurtherFetchToALeaderThatNamesAReplica()
    {
        broker.script(1, (requested) -> OneTopicBroker.data(1, 2).setPreferredReadReplica(OTHER_ID));
        readFromReplica(context(FetchSessionMode.ON));
        reading.untilCount(1, 2);

        assertEquals(1, broker.requestCount(ApiMessageType.FETCH));
    }

    // Behaviour L150, tried 2026-11-29: If an offset is out of range at a replica, the client returns to the leader,
    // without a reset.
    // Behaviour L151, tried 2026-11-29: If a replica responds that it is not a replica of the partition, the client
    // returns to the leader.
    @ParameterizedTest
    @ValueSource(ints = {1, 3, 6, 9, 56, 74, 100})
    void shouldReturnToTheLeaderWhenTheReplicaCannotServe(final int errorCode)
    {
        readFromReplica(context(FetchSessionMode.ON));
        broker.append(0, "b", "c");
        broker.heal(0);

        other.script(0, (requested) -> OneTopicBroker.error(0, errorCode));
        reading.untilCount(0, 3);

        assertEquals(List.of("a", "b", "c"), reading.values(0));
        assertFalse(reading.hasEvent("stopped"), () -> reading.events().toString());
        assertFalse(reading.hasEvent("gap"));
        assertEquals(List.of(), reading.errors());
    }

    // Behaviour L149.
    @Test
    void shouldReturnToTheLeaderWhenTheConnectionToTheReplicaBreaks()
    {
        readFromReplica(context(FetchSessionMode.ON));
        broker.append(0, "b", "c");
        broker.heal(0);

        other.peer().cut();
        reading.untilCount(0, 3);

        assertEquals(List.of("a", "b", "c"), reading.values(0));
    }

    /** Those of further connections would otherwise wait until the first one finds that the replica is gone. */
    @Test
    void shouldReturnAllPartitionsToTheLeaderWhenTheFirstConnectionToTheReplicaBreaks()
    {
        broker.append(0, "b").append(1, "y");
        for (int p = 0; p < 2; p++)
        {
            final int partition = p;
            broker.script(p, (requested) -> OneTopicBroker.data(partition, 2).setPreferredReadReplica(OTHER_ID));
            for (int i = 0; i < 100; i++)
            {
                broker.append(p, "value " + i);
                other.append(p, "value " + i);
            }
        }
        nameBoth(broker, other);
        reading = Reading.start(context(FetchSessionMode.OFF).fetchMaxBytes(1).fetchConnections(2));
        reading.until("two connections to the replica", 1, () -> other.peer().acceptedCount() == 2);
        reading.until("partitions on both", 1, () ->
            Internals.fetchers(reading.consumer()).anyMatch((fetcher) -> fetcher.nodeId() == OTHER_ID &&
                fetcher.number() == 1 && fetcher.isReady() && fetcher.partitionCount() == 1));

        other.script(ApiMessageType.FETCH, (call) ->
            call.frame().connection() == 0 ? Answer.reset() : Answer.never());
        broker.heal(0);
        broker.heal(1);
        reading.untilCount(0, 102);
        reading.untilCount(1, 102);

        assertEquals(2, other.peer().acceptedCount());
    }

    /**
     * The leader goes on naming a replica that is down. Each return to the leader is a new fetcher for the replica, but
     * the backoff between attempts to connect grows as for any broker.
     */
    @Test
    void shouldConnectEverLessOftenToAReplicaThatIsDown()
    {
        nameBoth(broker, other);
        prefer(OTHER_ID);
        final int port = other.peer().port();
        other.close();
        final RequestTimes connects = new RequestTimes();
        try (Poller poller = new ForwardingPoller(ConsumerContext.openPoller(TransportType.NIO))
        {
            @Override
            public PolledSocket openSocket(final int receiveBufferLength, final int sendBufferLength)
            {
                return new Socket(super.openSocket(receiveBufferLength, sendBufferLength))
                {
                    @Override
                    public boolean connect(final InetSocketAddress address) throws IOException
                    {
                        if (address.getPort() == port)
                        {
                            connects.note();
                        }
                        return super.connect(address);
                    }
                };
            }
        })
        {
            reading = Reading.start(connects.set(context(FetchSessionMode.ON).poller(poller)
                .reconnectBackoffMs(20, 1_000).retryBackoffMs(10, 20)));
            reading.until("six attempts", () -> connects.count() == 6);

            // A cycle reads the clock before it connects.
            connects.assertDelays(19, 39, 79, 159, 319);
            reading.close();
        }
    }

    // Behaviour L149.
    @Test
    void shouldReturnToTheLeaderWhenTheLeaseOfTheReplicaExpires()
    {
        readFromReplica(
            Reading.withoutTimeouts(context(FetchSessionMode.ON)).nanoClock(nowNs::get).fetchMaxWaitMs(0));
        final int before = broker.fetchCount(0);

        nowNs.addAndGet(MAX_AGE_NS - 1);
        final int replicaFetches = other.fetchCount(0);
        reading.until("the replica to be read", () -> other.requestCount(ApiMessageType.FETCH) > replicaFetches + 5);
        assertEquals(before, broker.fetchCount(0));
        nowNs.addAndGet(TimeUnit.MILLISECONDS.toNanos(20));
        reading.until("a fetch from the leader", () -> broker.fetchCount(0) > before);
        other.append(0, "c");
        reading.until("the replica to be read", () ->
        {
            nowNs.addAndGet(TimeUnit.MILLISECONDS.toNanos(1));
            return reading.count(0) == 3;
        });
    }

    // Behaviour L149.
    @Test
    void shouldLeaveAReplicaWhenTheLeaderChanges()
    {
        readFromReplica(context(FetchSessionMode.ON));
        broker.append(0, "b", "c");
        broker.heal(0);
        broker.lead(NEW_EPOCH);

        // The error of another partition causes a metadata request; an expired metadata age would end the lease too.
        broker.script(1, (requested) -> OneTopicBroker.error(1, NOT_LEADER_OR_FOLLOWER));
        reading.until("the leader's new epoch", () -> reading.hasEvent("leader of 0 is 7 epoch 6"));
        reading.untilCount(0, 3);

        assertEquals(List.of("a", "b", "c"), reading.values(0));
    }

    // Behaviour D47, tried 2026-11-29: A partition is read only from its leader, or from a replica that the leader
    // names and that is in the metadata (see 149).
    // Behaviour L149.
    @Test
    void shouldStayWithTheLeaderWhenTheReplicaIsUnknown()
    {
        prefer(UNKNOWN_ID);
        reading = Reading.start(context(FetchSessionMode.ON));
        reading.untilCount(1, 1);
        reading.until("the next fetch from the leader", () -> broker.fetchCount(0) > 2);

        broker.heal(0);
        reading.untilCount(0, 1);
        assertEquals(List.of(), reading.errors());
    }
}
