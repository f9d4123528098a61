// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.cluster;

import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.MetadataResponseData;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.odradek.client.ClientException;
import org.odradek.consumer.Internals;
import org.odradek.consumer.StartPosition;
import org.odradek.consumer.fetch.BrokerFetcher;
import org.odradek.consumer.handler.ConsumerCounters;
import org.odradek.consumer.handler.OffsetQuery;
import org.odradek.consumer.support.OneTopicBroker;
import org.odradek.consumer.support.Reading;
import org.odradek.harness.Answer;
import org.odradek.protocol.ErrorCode;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Tests metadata that is wrong, old or newer than known, and names that cannot be resolved.
 */
class MetadataFaultsTest
{
    private static final long MAX_AGE_MS = 10_000;

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

    /** Changes the first responses; all later ones are unchanged. */
    private AtomicInteger spoil(final int times, final UnaryOperator<MetadataResponseData> change)
    {
        final AtomicInteger calls = new AtomicInteger();
        broker.script(ApiMessageType.METADATA, (call) -> calls.getAndIncrement() >= times ? null :
            call.answer(change.apply(broker.metadata(call))));
        return calls;
    }

    private void readAll(final Reading reading)
    {
        reading.untilCount(0, 2);
        assertEquals(List.of("a", "b"), reading.values(0));
    }

    // Behaviour D40, tried 2026-11-29: An empty broker list is ignored and metadata is requested again.
    @Test
    void shouldRequestMetadataAgainWhenNoBrokerIsNamed()
    {
        final AtomicInteger calls = spoil(3, (valid) ->
        {
            valid.brokers().clear();
            return valid;
        });
        try (Reading reading = Reading.start(Reading.context(broker)))
        {
            readAll(reading);

            assertTrue(calls.get() > 3);
            assertEquals(List.of(), reading.errors());
        }
    }

    // Behaviour D40.
    @Test
    void shouldKeepTheKnownBrokersWhenMetadataNamesNone()
    {
        try (Reading reading = Reading.start(Reading.context(broker).metadataMaxAgeMs(20)))
        {
            readAll(reading);
            final AtomicInteger calls = spoil(Integer.MAX_VALUE, (valid) ->
            {
                valid.brokers().clear();
                return valid;
            });
            reading.until("metadata without brokers", () -> calls.get() > 3);

            assertTrue(reading.consumer().describe().contains("@" + broker.address()), reading.consumer()::describe);
        }
    }

    /**
     * Everything is counted again after the last refresh: another one before it would have been received, too. The
     * broker holds a fetch meanwhile.
     */
    // Behaviour B32, D41.
    @Test
    void shouldRequestMetadataOnceEachTimeItIsOld()
    {
        final AtomicLong nowNs = new AtomicLong();
        try (Reading reading = Reading.start(Reading.context(broker).nanoClock(nowNs::get)
            .metadataMaxAgeMs((int)MAX_AGE_MS).requestTimeoutMs(Integer.MAX_VALUE).fetchMaxWaitMs(600_000)))
        {
            readAll(reading);
            reading.untilRefreshed();
            final int requests = broker.requestCount(ApiMessageType.METADATA);
            final long refreshes = refreshes(reading);
            for (int i = 1; i <= 5; i++)
            {
                final long expected = refreshes + i;
                nowNs.addAndGet(TimeUnit.MILLISECONDS.toNanos(MAX_AGE_MS));
                poll(reading, 200);
                assertEquals(expected - 1, refreshes(reading), "it is not older than allowed");
                nowNs.incrementAndGet();
                reading.until("a refresh", () -> refreshes(reading) >= expected);
                poll(reading, 200);
            }
            assertEquals(refreshes + 5, refreshes(reading));
            assertEquals(requests + 5, broker.requestCount(ApiMessageType.METADATA));
        }
    }

    /** The request that is not answered times out, after 25 days of the clock, only at the end. */
    // Behaviour D41.
    @Test
    void shouldSendNoRequestForMetadataWhileOneIsOutstanding()
    {
        final AtomicLong nowNs = new AtomicLong();
        final AtomicInteger refused = new AtomicInteger();
        try (Reading reading = Reading.start(Reading.withoutTimeouts(Reading.context(broker)).nanoClock(nowNs::get)
            .fetchMaxWaitMs(0)))
        {
            readAll(reading);
            reading.untilRefreshed();
            final int requests = broker.requestCount(ApiMessageType.METADATA);
            broker.script(ApiMessageType.METADATA, (call) ->
                broker.requestCount(ApiMessageType.METADATA) == requests + 1 ? Answer.never() : null);
            // Each of these responses casts doubt on the leader.
            broker.script(0, (requested) ->
            {
                refused.incrementAndGet();
                return new FetchResponseData.PartitionData().setPartitionIndex(0).setErrorCode((short)6);
            });
            reading.until("doubts", () ->
            {
                nowNs.addAndGet(TimeUnit.MICROSECONDS.toNanos(10));
                return refused.get() >= 20;
            });
            assertEquals(requests + 1, broker.requestCount(ApiMessageType.METADATA));

            broker.heal(0);
            reading.until("another request", () ->
            {
                nowNs.addAndGet(TimeUnit.HOURS.toNanos(1));
                return broker.requestCount(ApiMessageType.METADATA) > requests + 1;
            });
        }
    }

    private static long refreshes(final Reading reading)
    {
        return reading.consumer().counters().get(ConsumerCounters.METADATA_REFRESHES);
    }

    private static void poll(final Reading reading, final int count)
    {
        for (int i = 0; i < count; i++)
        {
            reading.consumer().poll(reading, 1_000);
        }
    }

    private void refuse(final int partition)
    {
        broker.script(partition, (requested) -> OneTopicBroker.error(partition, ErrorCode.NOT_LEADER_OR_FOLLOWER));
    }

    /** Each reading of the clock moves it, and each partition is requested again after a backoff of its own. */
    // Behaviour D41.
    @Test
    void shouldShareABackoffBetweenThePartitionsInError()
    {
        final int partitions = 50;
        final long longestNs = TimeUnit.MILLISECONDS.toNanos(20);
        final AtomicLong nowNs = new AtomicLong();
        broker.addPartitions(partitions - 1);
        for (int p = 0; p < partitions; p++)
        {
            refuse(p);
        }
        try (Reading reading = Reading.start(Reading.withoutTimeouts(Reading.context(broker))
            .startPosition(StartPosition.offset(0)).nanoClock(() -> nowNs.addAndGet(2_000)).retryBackoffMs(5, 20)
            .metadataMaxAgeMs(Integer.MAX_VALUE)))
        {
            reading.until("repeated errors", () -> broker.fetchCount(0) > 5 && broker.fetchCount(partitions - 1) > 5);
            final int before = broker.requestCount(ApiMessageType.METADATA);
            final long startNs = nowNs.get();
            reading.until("requests because of errors", () -> nowNs.get() - startNs > 50 * longestNs &&
                broker.requestCount(ApiMessageType.METADATA) > before + 1);

            final int requests = broker.requestCount(ApiMessageType.METADATA) - before;
            final long mostNs = nowNs.get() - startNs;
            assertTrue(requests <= 1 + 1.25 * mostNs / longestNs, () -> requests + " requests in " + mostNs + " ns");
        }
    }

    /** The clock stands still, and the backoff of the topic has begun. */
    // Behaviour D41.
    @Test
    void shouldRequestMetadataAtOnceForTheFirstErrorOfAPartition()
    {
        final AtomicLong nowNs = new AtomicLong();
        broker.addPartitions(2);
        broker.append(1, "x").append(2, "y");
        try (Reading reading = Reading.start(Reading.withoutTimeouts(Reading.context(broker))
            .startPosition(StartPosition.offset(0)).nanoClock(nowNs::get).fetchMaxWaitMs(1)
            .metadataMaxAgeMs(Integer.MAX_VALUE)))
        {
            reading.untilCount(1, 1);
            reading.untilRefreshed();
            refuse(0);
            for (int i = 0; i < 5; i++)
            {
                final long before = refreshes(reading);
                reading.until("metadata", () ->
                {
                    nowNs.addAndGet(TimeUnit.MILLISECONDS.toNanos(1));
                    return refreshes(reading) > before;
                });
            }
            final int before = broker.requestCount(ApiMessageType.METADATA);
            final int fetches = broker.fetchCount(2);
            reading.until("fetches", () -> broker.fetchCount(2) > fetches + 100);
            assertEquals(before, broker.requestCount(ApiMessageType.METADATA));

            refuse(1);
            reading.until("a request", () -> broker.requestCount(ApiMessageType.METADATA) > before);
        }
    }

    @Test
    void shouldRequestMetadataAgainWhenAnAssignedPartitionIsLeftOut()
    {
        broker.addPartitions(1);
        broker.append(1, "x");
        spoil(3, (valid) ->
        {
            valid.topics().find(OneTopicBroker.TOPIC).partitions().remove(0);
            return valid;
        });
        try (Reading reading = Reading.start(Reading.context(broker).partitions(0, 1)))
        {
            reading.untilCount(1, 1);
            readAll(reading);
        }
    }

    @Test
    void shouldChangeNothingWhenALaterPartOfTheResponseIsInvalid()
    {
        final int max = 1_000_000;
        spoil(3, (valid) ->
        {
            valid.topics().find(OneTopicBroker.TOPIC).partitions().add(
                valid.topics().find(OneTopicBroker.TOPIC).partitions().get(0).duplicate()
                    .setPartitionIndex(broker.requestCount(ApiMessageType.METADATA) == 1 ? -1 : max));
            return valid;
        });
        try (Reading reading = Reading.start(Reading.context(broker)))
        {
            reading.until("the error", () -> reading.hasError("partition id " + max));
            assertEquals(0, reading.consumer().partitionCount());
            readAll(reading);
        }
    }

    // Behaviour D46, tried 2026-11-29: Partitions that have an error in the first metadata response are read when later
    // metadata names a leader.
    // Behaviour D41.
    @Test
    void shouldRequestMetadataAgainWhileThereIsNoLeader()
    {
        spoil(3, (valid) ->
        {
            valid.topics().find(OneTopicBroker.TOPIC).partitions().get(0)
                .setLeaderId(-1).setErrorCode((short)5);
            return valid;
        });
        try (Reading reading = Reading.start(Reading.context(broker)))
        {
            readAll(reading);

            assertEquals(List.of(), reading.errors());
        }
    }

    @Test
    void shouldRequestMetadataAgainWhenTheLeaderIsNotAmongTheBrokers()
    {
        spoil(3, (valid) ->
        {
            valid.brokers().clear();
            OneTopicBroker.addBroker(valid, 99, 1);
            return valid;
        });
        try (Reading reading = Reading.start(Reading.context(broker)))
        {
            readAll(reading);
        }
    }

    // Behaviour D43, tried 2026-11-29: An invalid topic and a missing authorization are each reported as such.
    @ParameterizedTest
    @ValueSource(shorts = {3, 5, 17, 29})
    void shouldReportATopicErrorOnce(final short errorCode)
    {
        spoil(4, (valid) ->
        {
            valid.topics().find(OneTopicBroker.TOPIC).setErrorCode(errorCode).partitions().clear();
            return valid;
        });
        try (Reading reading = Reading.start(Reading.context(broker)))
        {
            readAll(reading);

            assertEquals(1, reading.errors().size(), () -> reading.errors().toString());
            assertTrue(reading.errors().get(0).startsWith("Topic " + OneTopicBroker.TOPIC + ": " +
                ErrorCode.name(errorCode)), reading.errors()::toString);
        }
    }

    @Test
    void shouldDescribeWhatIsMissingAndSinceWhen()
    {
        final AtomicLong nowNs = new AtomicLong();
        spoil(Integer.MAX_VALUE, (valid) ->
        {
            valid.topics().find(OneTopicBroker.TOPIC).setErrorCode((short)3).partitions().clear();
            return valid;
        });
        try (Reading reading = Reading.start(Reading.withoutTimeouts(Reading.context(broker)).nanoClock(nowNs::get)
            .metadataMaxAgeMs(Integer.MAX_VALUE)))
        {
            nowNs.addAndGet(TimeUnit.SECONDS.toNanos(2));
            poll(reading, 1);
            assertDescribed(reading, ": its partitions are not known, no broker has described it for 2000 ms");
            reading.until("the error", () -> reading.hasError("UNKNOWN_TOPIC_OR_PARTITION"));
            nowNs.addAndGet(TimeUnit.SECONDS.toNanos(5));
            poll(reading, 1);
            assertDescribed(reading,
                ": its partitions are not known, brokers have answered UNKNOWN_TOPIC_OR_PARTITION for 5000 ms");

            broker.script(ApiMessageType.METADATA, (call) -> null);
            reading.until("the partitions", () ->
            {
                nowNs.addAndGet(TimeUnit.MILLISECONDS.toNanos(100));
                return reading.values(0).size() == 2;
            });
            assertDescribed(reading, ": 1 partition");
        }
    }

    private static void assertDescribed(final Reading reading, final String expected)
    {
        final String text = reading.consumer().describe();
        assertTrue(text.contains("\ntopic " + OneTopicBroker.TOPIC + expected + "\n"), text);
    }

    // Behaviour D38.
    @Test
    void shouldIgnoreALeaderOfAnOlderEpoch()
    {
        try (Reading reading = Reading.start(Reading.context(broker).metadataMaxAgeMs(20)))
        {
            readAll(reading);
            final AtomicInteger calls = spoil(3, (valid) ->
            {
                OneTopicBroker.addBroker(valid, 99, 1);
                valid.topics().find(OneTopicBroker.TOPIC).partitions().get(0)
                    .setLeaderId(99).setLeaderEpoch(OneTopicBroker.LEADER_EPOCH - 1);
                return valid;
            });
            reading.until("old responses", () -> calls.get() > 4);
            broker.append(0, "c");
            reading.untilCount(0, 3);

            assertFalse(reading.hasEvent("leader of 0"), () -> reading.events().toString());
            assertEquals(0, reading.consumer().counters().get(ConsumerCounters.CONNECTIONS_LOST));
        }
    }

    /** Brokers before 2.8 have no topic ids, so only the epochs show that the topic was created again. */
    // Behaviour D38.
    @Test
    void shouldStopWhenAllBrokersNameAnOlderEpochOfATopicWithoutId()
    {
        spoil(Integer.MAX_VALUE, (valid) ->
        {
            valid.topics().find(OneTopicBroker.TOPIC).setTopicId(Uuid.ZERO_UUID);
            return valid;
        });
        try (Reading reading = Reading.start(Reading.context(broker).metadataMaxAgeMs(20)))
        {
            readAll(reading);
            broker.lead(OneTopicBroker.LEADER_EPOCH - 1);

            reading.until("the stop", () -> reading.hasEvent("stopped"));
            assertTrue(reading.errors().get(0).contains("was deleted and created again"),
                () -> reading.errors().toString());
        }
    }

    /** The controllers were restored from a backup. */
    // Behaviour D38.
    @Test
    void shouldAcceptAnOlderEpochThatAllBrokersName()
    {
        final AtomicLong nowNs = new AtomicLong();
        try (Reading reading =
            Reading.start(Reading.withoutTimeouts(Reading.context(broker)).nanoClock(nowNs::get)))
        {
            readAll(reading);
            broker.lead(OneTopicBroker.LEADER_EPOCH - 1);
            broker.append(0, "c");
            reading.until("the record", () ->
            {
                nowNs.addAndGet(TimeUnit.MILLISECONDS.toNanos(10));
                return reading.count(0) == 3;
            });

            assertTrue(nowNs.get() > TimeUnit.SECONDS.toNanos(40), "a minute, less up to 20 %");
            assertTrue(reading.hasError("all brokers name older"), () -> reading.errors().toString());
            assertFalse(reading.hasEvent("stopped"), () -> reading.events().toString());
        }
    }

    /** The topic was created again while the brokers had no topic ids yet, so its epochs began again. */
    // Behaviour D38.
    @Test
    void shouldAcceptAnOlderEpochWithTheFirstTopicId()
    {
        final AtomicInteger calls = spoil(3, (valid) ->
        {
            valid.topics().find(OneTopicBroker.TOPIC).setTopicId(Uuid.ZERO_UUID).partitions().get(0)
                .setLeaderEpoch(OneTopicBroker.LEADER_EPOCH + 1);
            return valid;
        });
        try (Reading reading = Reading.start(Reading.context(broker).metadataMaxAgeMs(20)))
        {
            readAll(reading);
            reading.until("the id", () -> calls.get() > 4);

            assertEquals(OneTopicBroker.LEADER_EPOCH, Internals.table(reading.consumer()).leaderEpoch(0));
            assertFalse(reading.hasEvent("stopped"), () -> reading.events().toString());
        }
    }

    /** A broker may not have learned the topic's id yet. */
    // Behaviour D38.
    @Test
    void shouldReadOnWhenMetadataNamesTheTopicWithoutItsId()
    {
        try (Reading reading = Reading.start(Reading.context(broker).metadataMaxAgeMs(20)))
        {
            readAll(reading);
            final AtomicInteger calls = spoil(3, (valid) ->
            {
                valid.topics().find(OneTopicBroker.TOPIC).setTopicId(Uuid.ZERO_UUID);
                return valid;
            });
            reading.until("metadata without and with the id", () -> calls.get() > 4);
            broker.append(0, "c");
            reading.untilCount(0, 3);

            assertEquals(List.of(), reading.errors());
            assertFalse(reading.hasEvent("stopped"), () -> reading.events().toString());
        }
    }

    /** The leader has only older epochs than the metadata, because the topic was created again. */
    // Behaviour D38.
    @Test
    void shouldRequestMetadataWhenALeaderDoesNotKnowTheEpochOfALookup()
    {
        // The first fetcher requests metadata a second time.
        spoil(2, (valid) ->
        {
            valid.topics().find(OneTopicBroker.TOPIC).setTopicId(Uuid.ONE_UUID).partitions().get(0)
                .setLeaderEpoch(OneTopicBroker.LEADER_EPOCH + 1);
            return valid;
        });
        try (Reading reading = Reading.start(Reading.context(broker)))
        {
            readAll(reading);

            assertEquals(1, reading.errors().size(), () -> reading.errors().toString());
            assertTrue(reading.hasError("created again"), () -> reading.errors().toString());
        }
    }

    // Behaviour D42, tried 2026-11-29: A retriable topic error keeps the known leaders, and is reported once.
    @ParameterizedTest
    @ValueSource(shorts = {3, 5})
    void shouldReadOnWhileTheTopicIsInError(final short errorCode)
    {
        try (Reading reading = Reading.start(Reading.context(broker).metadataMaxAgeMs(20)))
        {
            readAll(reading);
            final AtomicBoolean isOver = new AtomicBoolean();
            final AtomicInteger calls = spoil(Integer.MAX_VALUE, (valid) ->
            {
                if (!isOver.get())
                {
                    valid.topics().find(OneTopicBroker.TOPIC).setErrorCode(errorCode).partitions().clear();
                }
                return valid;
            });
            reading.until("errors", () -> calls.get() >= 3);
            broker.append(0, "c");
            reading.untilCount(0, 3);
            isOver.set(true);
            final int before = calls.get();
            reading.until("the end of the errors", () -> calls.get() > before + 1);

            assertEquals(1, reading.errors().size(), () -> reading.errors().toString());
            assertFalse(reading.hasEvent("leader") || reading.hasEvent("lost"), () -> reading.events().toString());
        }
    }

    // Behaviour B27, tried 2026-11-29: Two nodes at one address remain two nodes. If a node moves, the client connects
    // to the new address of the node.
    @Test
    void shouldTreatTwoBrokersAtOneAddressAsTwo()
    {
        // A newer broker refuses a client that takes it for another one.
        broker.maxVersion(ApiMessageType.API_VERSIONS, 4);
        broker.addPartitions(1);
        broker.append(1, "x");
        broker.script(ApiMessageType.METADATA, (call) ->
        {
            final MetadataResponseData response = broker.metadata(call);
            OneTopicBroker.addBroker(response, 8, broker.peer().port());
            response.topics().find(OneTopicBroker.TOPIC).partitions().get(1).setLeaderId(8);
            return call.answer(response);
        });
        try (Reading reading = Reading.start(Reading.context(broker).startPosition(StartPosition.offset(0))))
        {
            readAll(reading);
            reading.untilCount(1, 1);

            assertEquals(Set.of(7, 8),
                Internals.fetchers(reading.consumer()).map(BrokerFetcher::nodeId).collect(Collectors.toSet()));
            assertEquals(List.of(), reading.errors());
        }
    }

    /** The broker has another address; its partitions and their epochs are as before. */
    // Behaviour B27.
    @ParameterizedTest
    @ValueSource(ints = {1, 4})
    void shouldFollowABrokerToAnotherAddress(final int recordLimit)
    {
        broker.addPartitions(2);
        broker.append(1, "p", "q", "r").append(2, "s", "t", "u");
        try (OneTopicBroker movedBroker = OneTopicBroker.start(3))
        {
            movedBroker.append(0, "a", "b").append(0, "c").append(1, "p", "q", "r").append(2, "s", "t", "u");
            try (Reading reading = Reading.start(Reading.context(broker)
                .startPosition(StartPosition.offset(0)).metadataMaxAgeMs(20)))
            {
                // given a response of which only some records were delivered
                reading.until("a first record", 0, () -> reading.consumer().poll(reading, recordLimit) > 0);

                // when the broker moves
                broker.script(ApiMessageType.METADATA, (call) -> call.answer(movedBroker.metadata(call)));
                reading.until("the other address", 0, () -> movedBroker.requestCount(ApiMessageType.FETCH) > 0);
                broker.script(ApiMessageType.FETCH,
                    (call) -> call.answer(new FetchResponseData().setErrorCode((short)-1)));

                // then nothing is lost
                reading.untilCount(0, 3);
                reading.untilCount(1, 3);
                reading.untilCount(2, 3);
                assertEquals(List.of("a", "b", "c"), reading.values(0));
                assertEquals(List.of("p", "q", "r"), reading.values(1));
                assertEquals(List.of("s", "t", "u"), reading.values(2));
            }
        }
    }

    @Test
    void shouldReadPartitionsThatAreAddedFromTheirBeginning()
    {
        try (Reading reading = Reading.start(
            Reading.context(broker).metadataMaxAgeMs(20).startPosition(StartPosition.latest())))
        {
            reading.until("the offset", () -> reading.consumer().isAssigned(0) &&
                reading.consumer().nextOffset(0) == 2);
            broker.addPartitions(1);
            broker.append(1, "x", "y");
            reading.untilCount(1, 2);

            assertEquals(List.of("x", "y"), reading.values(1));
            assertTrue(reading.events().containsAll(List.of("added 0", "added 1")), () -> reading.events().toString());
        }
    }

    // Behaviour B28.
    @Test
    void shouldRefuseToStartWhenNoNameHasAnAddress()
    {
        final ClientException error = assertThrows(ClientException.class, () -> Reading.start(
            Reading.context("one.invalid:9092,two.invalid:9092", "t").nameResolver(MetadataFaultsTest::unknown)));

        assertTrue(error.getMessage().contains("one.invalid:9092,two.invalid:9092"), error::getMessage);
    }

    private static InetAddress[] unknown(final String host) throws UnknownHostException
    {
        throw new UnknownHostException(host);
    }

    // Behaviour B28, tried 2026-11-29: Bootstrap entries whose names do not resolve are skipped. If no name resolves,
    // or a port is missing, an error is reported. IPv6 addresses are written in brackets.
    @Test
    void shouldContinueWithTheNamesThatHaveAnAddress()
    {
        final String servers = "one.invalid:9092,known.test:" + broker.peer().port();
        final List<String> resolvedHosts = new ArrayList<>();
        try (Reading reading = Reading.start(Reading.context(servers, OneTopicBroker.TOPIC).nameResolver((host) ->
        {
            resolvedHosts.add(host);
            return "known.test".equals(host) ? InetAddress.getAllByName("127.0.0.1") : unknown(host);
        })))
        {
            final ConsumerCounters counters = reading.consumer().counters();
            assertEquals(2, counters.get(ConsumerCounters.NAME_LOOKUPS));
            assertTrue(counters.get(ConsumerCounters.NAME_LOOKUP_NS) > 0);
            readAll(reading);

            assertEquals(resolvedHosts.size(), counters.get(ConsumerCounters.NAME_LOOKUPS));
            assertTrue(resolvedHosts.containsAll(List.of("one.invalid", "known.test")), resolvedHosts::toString);
            // The broker advertises a literal address.
            assertFalse(resolvedHosts.contains("127.0.0.1"), resolvedHosts::toString);
        }
    }

    @Test
    void shouldNotLookUpALiteralAddress()
    {
        try (Reading reading = Reading.start(Reading.context(broker).nameResolver((host) ->
        {
            throw new AssertionError("looked up " + host);
        })))
        {
            readAll(reading);

            assertEquals(0, reading.consumer().counters().get(ConsumerCounters.NAME_LOOKUPS));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1", "nowhere.invalid"})
    void shouldNameAdvertisedListenersWhenAnAddressCannotBeReached(final String host)
    {
        broker.script(ApiMessageType.METADATA, (call) ->
        {
            final MetadataResponseData response = broker.metadata(call);
            response.brokers().find(OneTopicBroker.NODE_ID).setHost(host).setPort(1);
            return call.answer(response);
        });
        try (Reading reading = Reading.start(Reading.context(broker).nameResolver(MetadataFaultsTest::unknown)
            .startPosition(StartPosition.offset(0))))
        {
            reading.until("the error", () -> !reading.errors().isEmpty());

            final String error = reading.errors().get(0);
            assertTrue(error.contains("advertised.listeners") && error.contains(host + ":1") &&
                error.contains("broker " + OneTopicBroker.NODE_ID), error);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 0, 65_536, 70_000, Integer.MIN_VALUE})
    void shouldReadOnAfterAnInvalidPort(final int port)
    {
        spoil(1, (valid) ->
        {
            OneTopicBroker.addBroker(valid, 99, port);
            return valid;
        });
        try (Reading reading = Reading.start(Reading.context(broker).startPosition(StartPosition.offset(0))))
        {
            readAll(reading);

            assertTrue(reading.errors().get(0).contains("port " + port + " of broker 99"),
                () -> reading.errors().toString());
        }
    }

    @Test
    void shouldReadOnAfterATopicThatIsNamedTwice()
    {
        spoil(1, (valid) ->
        {
            valid.topics().mustAdd(valid.topics().iterator().next().duplicate());
            return valid;
        });
        try (Reading reading = Reading.start(Reading.context(broker).startPosition(StartPosition.offset(0))))
        {
            readAll(reading);

            assertTrue(reading.errors().get(0).contains("twice where once was expected"), reading.errors()::toString);
        }
    }

    @Test
    void shouldAnswerAQueryAboutAPartitionThatIsNewerThanTheMetadata()
    {
        try (Reading reading = Reading.start(Reading.context(broker)))
        {
            readAll(reading);
            broker.addPartitions(1);
            broker.append(1, "x");
            final OffsetQuery query = reading.consumer().queryEndOffset(1);
            assertTrue(reading.consumer().await(query::isDone, TimeUnit.SECONDS.toNanos(30)), query::toString);
            assertEquals(1, query.offset());
        }
    }
}
