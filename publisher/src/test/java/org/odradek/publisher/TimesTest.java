// SPDX-License-Identifier: Apache-2.0
package org.odradek.publisher;

import org.apache.kafka.common.message.ApiMessageType;
import org.junit.jupiter.api.Test;
import org.odradek.client.Poller;
import org.odradek.client.TransportType;
import org.odradek.harness.Answer;
import org.odradek.protocol.ErrorCode;

import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** When batches expire and requests are sent, on a clock that a test sets forward. */
class TimesTest
{
    private static final int TIMEOUT_MS = 10_000;
    /** Of an interval that does not end during a test. */
    private static final int LONG_MS = 600_000;
    /** Connections that are not used for longer are closed. */
    private static final long MAX_IDLE_NS = TimeUnit.SECONDS.toNanos(541);
    /** After which a connection that the broker closes was idle. */
    private static final long IDLE_NS = TimeUnit.SECONDS.toNanos(120);
    private static final long METADATA_AGE_NS = TimeUnit.SECONDS.toNanos(301);
    /** Enough to begin again from the bootstrap servers because no broker answers, for each of the topics. */
    private static final int REBOOTSTRAP_SECONDS = 400;
    /** After which a request that has passed its deadline is given up, if there is still nothing to read. */
    private static final long ANSWER_NS = TimeUnit.SECONDS.toNanos(1);
    private static final long PAUSE_NS = TimeUnit.MILLISECONDS.toNanos(5 * TIMEOUT_MS);

    private long pausedNs;

    private Publishing start(final ProducingBroker broker, final int sendIntervalMs)
    {
        return Publishing.start(Publishing.context(broker.address()).requestTimeoutMs(TIMEOUT_MS)
            .deliveryTimeoutMs(TIMEOUT_MS + sendIntervalMs).sendIntervalUs(1_000 * sendIntervalMs).batchLength(1_024)
            .nanoClock(() -> System.nanoTime() + pausedNs), ProducingBroker.TOPIC);
    }

    @Test
    void shouldDescribeATopicThatDoesNotExist()
    {
        try (ProducingBroker broker = ProducingBroker.start(1);
            Publishing client = new Publishing(Publishing.context(broker.address())
                .nanoClock(() -> System.nanoTime() + pausedNs)))
        {
            client.publisher.topic("missing");
            client.workUntil(() -> !client.errors.isEmpty());
            pausedNs += PAUSE_NS;
            client.publisher.doWork();

            final Matcher described = Pattern.compile("\ntopic missing: its partitions are not known, " +
                "brokers have answered UNKNOWN_TOPIC_OR_PARTITION for (\\d+) ms\n")
                .matcher(client.publisher.describe());
            assertTrue(described.find(), client.publisher::describe);
            assertTrue(Long.parseLong(described.group(1)) >= TimeUnit.NANOSECONDS.toMillis(PAUSE_NS));
        }
    }

    // Behaviour Q221.
    @Test
    void shouldNotExpireWhatWasOfferedAfterAPauseOfTheThread()
    {
        try (ProducingBroker broker = ProducingBroker.start(1); Publishing client = start(broker, 0))
        {
            pausedNs += PAUSE_NS;
            client.offer(0, "a");
            client.acknowledge();
        }
    }

    // Behaviour B22.
    @Test
    void shouldBeReadyAgainAfterAConnectionWasClosedForIdleness()
    {
        try (ProducingBroker broker = ProducingBroker.start(1); Publishing client = start(broker, 0))
        {
            pausedNs += MAX_IDLE_NS;
            client.publisher.doWork();

            assertTrue(client.publisher.describe().contains(broker.address() + " idle"), client.publisher::describe);
            assertTrue(client.publisher.awaitReady(Publishing.TIMEOUT_NS), client.publisher::describe);
        }
    }

    /** Only in a duty cycle of its own the wait finds that the broker has closed the connections. */
    @Test
    void shouldBeReadyAgainAfterAPauseInWhichTheBrokerHasClosedIdleConnections()
    {
        try (ProducingBroker broker = ProducingBroker.start(1); Publishing client = start(broker, 0))
        {
            pausedNs += IDLE_NS;
            broker.closeConnections();

            assertTrue(client.publisher.awaitReady(Publishing.TIMEOUT_NS), client.publisher::describe);
        }
    }

    /** Another broker may lead its partition by now, and its address may answer nothing any more. */
    @Test
    void shouldAskWhoLeadsWhenAConnectionThatWasIdleIsUsedAgain()
    {
        try (ProducingBroker broker = ProducingBroker.start(1);
            Publishing client = Publishing.start(Publishing.context(broker.address())
                .metadataMaxAgeMs(Integer.MAX_VALUE).nanoClock(() -> System.nanoTime() + pausedNs),
                ProducingBroker.TOPIC))
        {
            pausedNs += MAX_IDLE_NS;
            client.publisher.doWork();
            assertTrue(client.publisher.describe().contains(broker.address() + " idle"), client.publisher::describe);
            final int before = broker.requestCount(ApiMessageType.METADATA);
            client.offer(0, "a");
            client.acknowledge();

            client.workUntil(() -> broker.requestCount(ApiMessageType.METADATA) == before + 1);
        }
    }

    @Test
    void shouldEndEachWaitWithAClockThatHasStopped()
    {
        try (ProducingBroker broker = ProducingBroker.start(1);
            Publishing client = Publishing.start(
                Publishing.context(broker.address()).nanoClock(() -> 1 + pausedNs), ProducingBroker.TOPIC))
        {
            broker.always((call, response) -> Answer.never());
            client.offer(0, "a");

            assertFalse(client.publisher.awaitAcknowledged(TimeUnit.MILLISECONDS.toNanos(1_500)));
            client.publisher.close(TimeUnit.MILLISECONDS.toNanos(1_500));

            assertEquals(List.of("failed 0: 1+1 CLOSED 0 maybe written"), client.events);
        }
    }

    /** All topics are requested again, and the brokers are the same. */
    @Test
    void shouldBeginAgainFromTheBootstrapServersOnceForAllTopics()
    {
        try (ProducingBroker broker = ProducingBroker.start(1).createTopic("second", 1).createTopic("third", 1);
            Publishing client = start(broker, 0))
        {
            client.publisher.topic("second");
            client.publisher.topic("third");
            assertTrue(client.publisher.awaitReady(Publishing.TIMEOUT_NS), client.publisher::describe);
            broker.isSilent = true;
            pausedNs += METADATA_AGE_NS;
            for (int i = 0; i < REBOOTSTRAP_SECONDS; i++)
            {
                pausedNs += TimeUnit.SECONDS.toNanos(1);
                client.publisher.doWork();
            }
            assertEquals(1, client.rebootstraps);
            assertFalse(client.publisher.describe().contains("leader " + ProducingBroker.NODE_ID),
                client.publisher::describe);

            broker.isSilent = false;
            assertTrue(client.publisher.awaitReady(Publishing.TIMEOUT_NS), client.publisher::describe);
            assertEquals(1, client.rebootstraps);
        }
    }

    /** The clock stands still, so no backoff ends by itself. */
    @Test
    void shouldNotAskAtOnceAgainForAnIdWhenTheOneThatIsUsedUpIsGiven()
    {
        try (ProducingBroker broker = ProducingBroker.start(2).id(9, Short.MAX_VALUE, 0).id(9, Short.MAX_VALUE, 0);
            Publishing client = Publishing.start(Publishing.context(broker.address()).nanoClock(() -> 1 + pausedNs),
                ProducingBroker.TOPIC))
        {
            client.offer(1, "a");
            client.acknowledge();
            broker.answer(0, ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER);
            client.offer(0, "b");
            client.workUntil(() -> client.counter(PublisherCounters.EPOCH_BUMPS) == 1);
            pausedNs += PAUSE_NS;
            client.workUntil(() -> broker.requestCount(ApiMessageType.INIT_PRODUCER_ID) == 2);
            for (int i = 0; i < 10; i++)
            {
                client.offer(1, "c");
                client.workUntil(() -> client.topic().acknowledgedPosition(1) == client.topic().acceptedPosition(1));
            }
            assertEquals(2, broker.requestCount(ApiMessageType.INIT_PRODUCER_ID));

            pausedNs += PAUSE_NS;
            client.acknowledge();
            assertEquals(3, broker.requestCount(ApiMessageType.INIT_PRODUCER_ID));
            assertEquals("0: 4711, epoch 0, sequence 0, count 1", broker.sent.get(broker.sent.size() - 1).numbers());
        }
    }

    /** It would be in flight for one more request timeout. */
    @Test
    void shouldNotSendAgainWhatHasExpiredInFlight()
    {
        try (ProducingBroker broker = ProducingBroker.start(1); Publishing client = start(broker, 0))
        {
            final CompletableFuture<Answer> answer = new CompletableFuture<>();
            broker.script((call, response) -> answer.join());
            client.offer(0, "a");
            client.workUntil(() -> broker.sent.size() == 1);
            pausedNs += PAUSE_NS;
            client.publisher.doWork();
            answer.complete(Answer.close());
            client.workUntil(() -> client.topic().isStopped(0));

            assertEquals(List.of("failed 0: 1+1 EXPIRED 0 maybe written"), client.events);
            assertEquals(1, client.counter(PublisherCounters.BATCHES_SENT));
        }
    }

    @Test
    void shouldReportTheLastAnswerWhenTheAnswerToTheLastAttemptIsLost()
    {
        try (ProducingBroker broker = ProducingBroker.start(1); Publishing client = start(broker, 0))
        {
            final CompletableFuture<Answer> answer = new CompletableFuture<>();
            broker.answer(0, ErrorCode.NOT_ENOUGH_REPLICAS).script((call, response) -> answer.join());
            client.offer(0, "a");
            client.workUntil(() -> broker.sent.size() == 2);
            pausedNs += PAUSE_NS;
            client.publisher.doWork();
            answer.complete(Answer.close());
            client.workUntil(() -> client.topic().isStopped(0));

            assertEquals(List.of("failed 0: 1+1 EXPIRED 19 maybe written"), client.events);
        }
    }

    @Test
    void shouldReportNoErrorOfAResponseThatLeavesABatchOut()
    {
        try (ProducingBroker broker = ProducingBroker.start(1); Publishing client = Publishing.start(
            Publishing.context(broker.address()).retryBackoffMs(60_000, 60_000), ProducingBroker.TOPIC))
        {
            broker.script((call, response) ->
            {
                response.responses().forEach((topic) -> topic.partitionResponses().clear());
                return call.answer(response);
            });
            client.offer(0, "a");
            client.workUntil(() ->
                broker.sent.size() == 1 && !client.publisher.describe().contains("batches in flight"));
            client.publisher.close(0);

            assertEquals(List.of("failed 0: 1+1 CLOSED 0 maybe written"), client.events);
        }
    }

    @Test
    void shouldNotExpireWhatGoesOnAfterAPauseOfTheThread()
    {
        try (ProducingBroker broker = ProducingBroker.start(1); Publishing client = start(broker, 0))
        {
            broker.answer(0, ErrorCode.MESSAGE_TOO_LARGE);
            client.offer(0, "a");
            client.publisher.doWork();
            client.offer(0, "b");
            assertFalse(client.publisher.awaitAcknowledged(Publishing.TIMEOUT_NS));

            pausedNs += PAUSE_NS;
            client.topic().skipFailed(0);
            client.acknowledge();
        }
    }

    @Test
    void shouldExpireWhatHasWaitedBehindAnotherBatch()
    {
        // The clock stands still after the pause, so that the answer to the first batch may be late.
        try (ProducingBroker broker = ProducingBroker.start(1);
            Publishing client = Publishing.start(Publishing.context(broker.address()).requestTimeoutMs(TIMEOUT_MS)
                .deliveryTimeoutMs(TIMEOUT_MS).nanoClock(() -> 1 + pausedNs), ProducingBroker.TOPIC))
        {
            client.offer(0, "a");
            client.publisher.doWork();
            client.offer(0, "b");
            pausedNs += PAUSE_NS;
            client.workUntil(() -> client.events.size() == 2);

            assertEquals(List.of("acknowledged 0: 1+1", "failed 0: 2+1 EXPIRED 0"), client.events);
            assertEquals(1, broker.sent.size());
        }
    }

    /** Each batch has its own time, so that a partition without a leader does not hold the memory of the others. */
    @Test
    void shouldGiveUpTogetherWhatHasExpired()
    {
        try (ProducingBroker broker = ProducingBroker.start(1); Publishing client = start(broker, 0))
        {
            broker.always((call, response) -> Answer.never());
            client.offer(0, "a".repeat(900));
            client.publisher.doWork();
            client.offer(0, "b".repeat(900));
            client.offer(0, "c".repeat(900));
            pausedNs += PAUSE_NS;
            client.workUntil(() -> client.events.size() == 3);

            assertEquals(List.of("failed 0: 1+1 EXPIRED 0 maybe written", "failed 0: 2+1 EXPIRED 0",
                "failed 0: 3+1 EXPIRED 0"), client.events);
            broker.always((call, response) -> call.answer(response));
            client.topic().skipFailed(0);
            client.offer(0, "d");
            client.acknowledge();
        }
    }

    /** A thread that does other work for so long learns of both failures at once, and not after further timeouts. */
    // Behaviour Q221.
    @Test
    void shouldExpireInRealTimeWhetherItWasSentOrNot()
    {
        try (ProducingBroker broker = ProducingBroker.start(2); Publishing client = start(broker, 0))
        {
            broker.always((call, response) -> Answer.never());
            client.offer(0, "a");
            client.workUntil(() -> broker.sent.size() == 1);
            client.offer(1, "b");
            pausedNs += PAUSE_NS;
            client.publisher.doWork();
            assertEquals(List.of("failed 1: 1+1 EXPIRED 0"), client.events);

            // The answer may have arrived meanwhile: it is looked for once more.
            pausedNs += ANSWER_NS;
            client.publisher.doWork();
            assertEquals(List.of("failed 1: 1+1 EXPIRED 0", "failed 0: 1+1 EXPIRED 0 maybe written"), client.events);

            broker.always(null);
            client.topic().skipFailed(0);
            client.topic().skipFailed(1);
            client.offer(0, "c");
            client.offer(1, "d");
            client.acknowledge();
            assertEquals(List.of("0: 4711, epoch 0, sequence 0, count 1", "0: 4711, epoch 1, sequence 0, count 1",
                "1: 4711, epoch 0, sequence 0, count 1"),
                broker.sent.stream().map(ProducingBroker.Sent::numbers).sorted().toList());
        }
    }

    @Test
    void shouldSendOnlyWhatWasAcceptedBeforeTheIntervalWasEnded()
    {
        try (ProducingBroker broker = ProducingBroker.start(1); Publishing client = start(broker, LONG_MS))
        {
            client.offer(0, "a");
            client.workUntil(() -> client.events.size() == 1);
            client.offer(0, "b");
            client.publisher.endSendInterval();
            client.publisher.doWork();
            client.offer(0, "c");
            client.workUntil(() -> client.events.size() == 2);
            client.publisher.doWork();

            assertEquals(2, client.counter(PublisherCounters.REQUESTS));
        }
    }

    @Test
    void shouldSayThatAFormerLeaderMayHaveAppendedABatch()
    {
        try (ProducingBroker broker = ProducingBroker.start(1); Publishing client = Publishing.start(
            Publishing.context(broker.address()).retryBackoffMs(60_000, 60_000), ProducingBroker.TOPIC))
        {
            broker.answer(0, ErrorCode.NOT_LEADER_OR_FOLLOWER);
            client.offer(0, "a");
            client.workUntil(() ->
                broker.sent.size() == 1 && !client.publisher.describe().contains("batches in flight"));
            client.publisher.close(0);

            assertEquals(List.of("failed 0: 1+1 CLOSED 6 maybe written"), client.events);
        }
    }

    @Test
    void shouldReportWhatIsNotAcknowledgedWhenTheSharedPollerIsClosedBefore()
    {
        final Poller poller = PublisherContext.openPoller(TransportType.NIO);
        try (ProducingBroker broker = ProducingBroker.start(1); Publishing client = Publishing.start(
            Publishing.context(broker.address()).poller(poller), ProducingBroker.TOPIC))
        {
            broker.always((call, response) -> Answer.never());
            client.offer(0, "a");
            client.workUntil(() -> broker.sent.size() == 1);
            poller.close();

            assertThrows(IllegalStateException.class, client.publisher::close);

            assertEquals(List.of("failed 0: 1+1 CLOSED 0 maybe written"), client.events);
            client.publisher.close();
        }
    }

    // Behaviour Q227.
    @Test
    void shouldHoldNoMemoryAfterAClose()
    {
        try (ProducingBroker broker = ProducingBroker.start(1); Publishing client = start(broker, 0))
        {
            client.publisher.close(0);

            assertTrue(client.publisher.describe().contains(", memory 0 of a budget of "), client.publisher::describe);
        }
    }

    // Behaviour Q227.
    @Test
    void shouldFreeItsMemoryInAClose()
    {
        final int bufferMemory = 64 * 1024 * 1024;
        try (ProducingBroker broker = ProducingBroker.start(1);
            Publishing client = Publishing.start(
                Publishing.context(broker.address()).bufferMemory(bufferMemory), ProducingBroker.TOPIC))
        {
            final long heldBytes = directBytes();
            client.publisher.close(0);

            assertTrue(directBytes() < heldBytes - bufferMemory / 2, () -> directBytes() + " of " + heldBytes);
        }
    }

    private static long directBytes()
    {
        return ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
            .filter((pool) -> "direct".equals(pool.getName())).mapToLong(BufferPoolMXBean::getMemoryUsed).sum();
    }
}
