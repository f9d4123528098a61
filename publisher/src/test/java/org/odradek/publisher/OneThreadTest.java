// SPDX-License-Identifier: Apache-2.0
package org.odradek.publisher;

import org.agrona.concurrent.UnsafeBuffer;
import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.message.InitProducerIdResponseData;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.message.ProduceResponseData.PartitionProduceResponse;
import org.apache.kafka.common.message.ProduceResponseData.TopicProduceResponse;
import org.apache.kafka.common.protocol.ApiMessage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.odradek.consumer.CommitPolicy;
import org.odradek.consumer.ConsumerContext;
import org.odradek.consumer.GroupSettings;
import org.odradek.consumer.StartPosition;
import org.odradek.consumer.TopicConsumer;
import org.odradek.consumer.handler.ConsumerListener;
import org.odradek.consumer.handler.ControlledRecordHandler.Action;
import org.odradek.harness.model.BatchTemplate;
import org.odradek.harness.model.BrokerHooks;
import org.odradek.harness.model.BrokerRelease;
import org.odradek.harness.model.ModelBroker;
import org.odradek.harness.model.ModelCluster;
import org.odradek.harness.model.ModelRequest;
import org.odradek.protocol.record.Record;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * A thread with a consumer and a publisher, which waits in their poller until the earlier of their deadlines. It never
 * spins, and sleeps through no deadline: time is that of {@link ManualPoller}, and waits are counted.
 */
class OneThreadTest
{
    private static final String INPUT = "input";
    private static final String OUTPUT = "output";
    private static final long MS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
    private static final int FETCH_MAX_WAIT_MS = 500;
    private static final int SEND_INTERVAL_MS = 5;
    private static final int REQUEST_TIMEOUT_MS = 10_000;
    private static final int METADATA_AGE_MS = 20_000;
    private static final int BATCH_LENGTH = 1024;
    private static final int COMMIT_INTERVAL_MS = 1_000;
    /** Kafka's default. */
    private static final int HEARTBEAT_INTERVAL_MS = 5_000;
    /** A deadline is the last moment at which something is not due: 1 ns later it is. */
    private static final int WAITS_PER_DEADLINE = 2;

    private final ModelCluster cluster = new ModelCluster(this::nowNs).withGroups(Map.of());
    private final ModelBroker broker = cluster.addBroker(1, "127.0.0.1", 9092, BrokerRelease.NEWEST);
    private final ManualPoller poller = new ManualPoller(broker, this::answer, SECOND);
    private final Map<ApiMessageType, List<Long>> requests = new EnumMap<>(ApiMessageType.class);
    private final List<String> lost = new ArrayList<>();
    private boolean isSilent;
    private boolean isAnsweringPublisher = true;
    private TopicConsumer consumer;
    private Publisher publisher;
    private TopicPublisher output;
    private int turns;

    private long nowNs()
    {
        return poller == null ? 0 : poller.nanoTime();
    }

    @BeforeEach
    void connect()
    {
        broker.versions().range(ApiMessageType.PRODUCE, 3, 13).range(ApiMessageType.INIT_PRODUCER_ID, 0, 5);
        cluster.hooks(new BrokerHooks()
        {
            @Override
            public void onRequest(final ModelRequest request)
            {
                note(request.type());
                if (isSilent)
                {
                    request.dropResponse();
                }
            }
        });
        cluster.createTopic(INPUT, 1, 1);
        cluster.createTopic(OUTPUT, 2, 1);
        consumer = TopicConsumer.connect(consumerContext());
        connectPublisher();
    }

    private ConsumerContext consumerContext()
    {
        return new ConsumerContext().bootstrapServers("127.0.0.1:9092").topic(INPUT)
            .startPosition(StartPosition.earliest()).poller(poller).nanoClock(poller)
            .fetchMaxWaitMs(FETCH_MAX_WAIT_MS).requestTimeoutMs(REQUEST_TIMEOUT_MS).metadataMaxAgeMs(METADATA_AGE_MS)
            .reconnectBackoffMs(100, 100).errorHandler((error) -> { }).listener(new ConsumerListener()
            {
                @Override
                public void onConnectionLost(final int nodeId, final String address, final String reason)
                {
                    lost.add("consumer " + (nowNs() - lastNs(ApiMessageType.FETCH)) / MS);
                }
            });
    }

    private void connectPublisher()
    {
        publisher = Publisher.connect(new PublisherContext().bootstrapServers("127.0.0.1:9092")
            .poller(poller).nanoClock(poller).sendIntervalUs(1_000 * SEND_INTERVAL_MS)
            .requestTimeoutMs(REQUEST_TIMEOUT_MS).metadataMaxAgeMs(METADATA_AGE_MS)
            .reconnectBackoffMs(100, 100).batchLength(BATCH_LENGTH).bufferMemory(2 * BATCH_LENGTH)
            .errorHandler((error) -> { }).listener(new PublisherListener()
            {
                @Override
                public void onConnectionLost(final int nodeId, final String address, final String reason)
                {
                    lost.add("publisher " + (nowNs() - lastNs(ApiMessageType.PRODUCE)) / MS);
                }
            }));
        output = publisher.topic(OUTPUT);
    }

    @AfterEach
    void close()
    {
        publisher.close(0);
        consumer.close();
    }

    private void note(final ApiMessageType type)
    {
        requests.computeIfAbsent(type, (any) -> new ArrayList<>()).add(nowNs());
    }

    private ApiMessage answer(final ApiMessageType type, final ApiMessage request)
    {
        note(type);
        if (type == ApiMessageType.INIT_PRODUCER_ID)
        {
            return new InitProducerIdResponseData().setProducerId(7);
        }
        final ProduceResponseData response = new ProduceResponseData();
        ((ProduceRequestData)request).topicData().forEach((topic) -> response.responses().add(
            new TopicProduceResponse().setName(topic.name()).setTopicId(topic.topicId()).setPartitionResponses(
            topic.partitionData().stream().map((p) -> new PartitionProduceResponse().setIndex(p.index())).toList())));
        return isSilent || !isAnsweringPublisher ? null : response;
    }

    private int count(final ApiMessageType type)
    {
        return requests.getOrDefault(type, List.of()).size();
    }

    private long lastNs(final ApiMessageType type)
    {
        return requests.get(type).get(count(type) - 1);
    }

    /** One turn of the loop that docs/publishing.md shows. */
    private void turn(final long endNs)
    {
        turns++;
        final int records = consumer.controlledPoll(this::onRecord, 10);
        if (records + publisher.doWork() == 0)
        {
            final long nowNs = nowNs();
            final long untilNs = Math.min(Math.min(consumer.nextDeadlineNs(), publisher.nextDeadlineNs()), endNs);
            poller.await(Math.max(1, untilNs - nowNs));
        }
    }

    private void turnFor(final long durationNs)
    {
        final long endNs = nowNs() + durationNs;
        while (nowNs() < endNs)
        {
            turn(endNs);
        }
    }

    private Action onRecord(final Record record)
    {
        return output.offer(0, null, 0, TopicPublisher.NULL_LENGTH, record.buffer(), record.valueIndex(),
            record.valueLength()) == OfferResult.BACK_PRESSURED ? Action.ABORT : Action.CONTINUE;
    }

    private void start()
    {
        turnFor(SECOND);
        assertTrue(publisher.awaitReady(SECOND), publisher::describe);
        assertTrue(consumer.awaitReady(SECOND), consumer::describe);
        turnFor(SECOND);
        reset();
    }

    private void reset()
    {
        turns = 0;
        poller.readyCount = 0;
        poller.deadlineCount = 0;
        poller.shortCount = 0;
        requests.clear();
    }

    private long offer(final int partition, final int length)
    {
        return output.offer(partition, null, 0, TopicPublisher.NULL_LENGTH, new UnsafeBuffer(new byte[length]), 0,
            length);
    }

    private void append(final int length)
    {
        cluster.topic(INPUT).partition(0).log().append(BatchTemplate.ofValues("v".repeat(length)));
    }

    /** Nothing is connected that could end a wait. */
    @Test
    void shouldNotWaitBeforeATopicIsRequested()
    {
        assertTrue(publisher.nextDeadlineNs() <= nowNs());
    }

    @Test
    void shouldBeReadyWithoutSpinning()
    {
        turnFor(SECOND);

        assertTrue(turns < 60, () -> turns + " turns");
        assertTrue(publisher.awaitReady(0) && consumer.awaitReady(0));
    }

    /** Each wait ends with a response or at a deadline, and after each there is something to do. */
    // Behaviour Q224.
    @Test
    void shouldWaitForAMinuteWithoutSpinning()
    {
        start();
        turnFor(60 * SECOND);

        final int responses = requests.values().stream().mapToInt(List::size).sum();
        assertTrue(count(ApiMessageType.FETCH) >= 115, requests::toString);
        assertEquals(2 * 60_000 / METADATA_AGE_MS, count(ApiMessageType.METADATA), requests::toString);
        assertTrue(poller.readyCount <= responses, () -> poller.readyCount + " of " + responses);
        assertTrue(poller.deadlineCount <= 16, () -> poller.deadlineCount + " waits to the end");
        assertTrue(turns <= 2 * (responses + poller.deadlineCount), () -> turns + " turns");
    }

    // Behaviour Q224.
    @Test
    void shouldSendAtTheEndOfTheInterval()
    {
        start();
        for (int i = 0; i < 20; i++)
        {
            offer(0, 10);
            turn(nowNs() + SECOND);
            offer(1, 10);
            turnFor(20 * MS);
        }

        final List<Long> sent = requests.get(ApiMessageType.PRODUCE);
        assertEquals(40, sent.size());
        for (int i = 0; i < sent.size(); i += 2)
        {
            assertEquals(SEND_INTERVAL_MS * MS, sent.get(i + 1) - sent.get(i));
        }
        assertEquals(40, publisher.counters().get(PublisherCounters.RECORDS_ACKNOWLEDGED));
        assertEquals(0, poller.shortCount);
    }

    /** A second after the timeout: the first read after it finds nothing. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldNoticeATimeoutWhenItIsDue(final boolean isPublishing)
    {
        start();
        isSilent = true;
        turnFor(FETCH_MAX_WAIT_MS * MS);
        if (isPublishing)
        {
            offer(0, 10);
        }
        turnFor(REQUEST_TIMEOUT_MS * MS + 2 * SECOND);

        final long dueMs = REQUEST_TIMEOUT_MS + SECOND / MS;
        final List<String> expected = new ArrayList<>(List.of("consumer " + dueMs));
        if (isPublishing)
        {
            expected.add("publisher " + dueMs);
        }
        assertEquals(expected, lost.stream().sorted().toList());
        assertTrue(poller.shortCount <= WAITS_PER_DEADLINE * 4, () -> poller.shortCount + " short waits");

        isSilent = false;
        turnFor(2 * REQUEST_TIMEOUT_MS * MS);
        assertEquals(isPublishing ? 1 : 0, publisher.counters().get(PublisherCounters.RECORDS_ACKNOWLEDGED));
    }

    @Test
    void shouldWaitForAcknowledgementsWithARefusedRecord()
    {
        start();
        isAnsweringPublisher = false;
        for (int i = 0; i < 5; i++)
        {
            append(BATCH_LENGTH - 200);
        }
        turnFor(5 * SECOND);

        assertEquals(2, publisher.counters().get(PublisherCounters.RECORDS));
        assertTrue(publisher.counters().get(PublisherCounters.BACK_PRESSURED) > 0);
        assertTrue(turns < 60, () -> turns + " turns");

        isAnsweringPublisher = true;
        turnFor(2 * REQUEST_TIMEOUT_MS * MS);
        assertEquals(5, publisher.counters().get(PublisherCounters.RECORDS_ACKNOWLEDGED));
    }

    // Behaviour Q225.
    @Test
    void shouldSendHeartbeatsAndCommitsWhenTheyAreDue()
    {
        consumer.close();
        consumer = TopicConsumer.connect(consumerContext().group(
            new GroupSettings("group").commitPolicy(CommitPolicy.delivered(COMMIT_INTERVAL_MS))));
        turnFor(20 * SECOND);
        assertTrue(consumer.group().isOwned(0), consumer::describe);
        reset();

        turnFor(60 * SECOND);
        final List<Long> heartbeats = requests.get(ApiMessageType.CONSUMER_GROUP_HEARTBEAT);
        assertTrue(heartbeats.size() >= 10, heartbeats::toString);
        for (int i = 1; i < heartbeats.size(); i++)
        {
            // The interval begins when the answer has arrived.
            assertTrue(heartbeats.get(i) - heartbeats.get(i - 1) < (HEARTBEAT_INTERVAL_MS + 2) * MS,
                heartbeats::toString);
        }
        final int responses = requests.values().stream().mapToInt(List::size).sum();
        assertTrue(turns <= 2 * (responses + poller.deadlineCount), () -> turns + " turns");
        assertTrue(poller.shortCount <= WAITS_PER_DEADLINE, () -> poller.shortCount + " short waits");
        assertEquals(0, count(ApiMessageType.OFFSET_COMMIT));

        append(10);
        turnFor(2 * COMMIT_INTERVAL_MS * MS);
        assertEquals(1, count(ApiMessageType.OFFSET_COMMIT), requests::toString);
    }

    /** What is undelivered is due at once; a change is, too. */
    @Test
    void shouldNotWaitForRecordsThatHaveArrived()
    {
        start();
        append(10);
        append(10);
        int records = 0;
        while (records == 0)
        {
            poller.await(SECOND);
            records = consumer.poll((record) -> { }, 1);
        }
        assertTrue(consumer.nextDeadlineNs() <= nowNs());
        assertEquals(1, consumer.poll((record) -> { }, 1));
        consumer.poll((record) -> { }, 1);
        assertTrue(consumer.nextDeadlineNs() > nowNs() + SECOND);

        consumer.seek(0, 0);
        assertTrue(consumer.nextDeadlineNs() <= nowNs());
    }

    /** A poll that waits ends when something arrives for the publisher, and waits again once that is at work. */
    @Test
    void shouldEndAPollThatWaitsOnceForEachAcknowledgement()
    {
        start();
        for (int i = 0; i < 20; i++)
        {
            offer(0, 10);
            while (publisher.counters().get(PublisherCounters.RECORDS_ACKNOWLEDGED) <= i)
            {
                publisher.doWork();
                assertEquals(0, consumer.poll((record) -> { }, 10,
                    Math.max(1, Math.min(SECOND, publisher.nextDeadlineNs() - nowNs()))));
                turns++;
            }
        }

        assertTrue(turns <= 3 * 20 + count(ApiMessageType.FETCH), () -> turns + " turns");
        assertTrue(poller.shortCount <= 2, () -> poller.shortCount + " short waits");
    }
}
