// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.cluster;

import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.message.MetadataResponseData;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.odradek.consumer.ConsumerContext;
import org.odradek.consumer.OffsetQuery;
import org.odradek.consumer.StartPosition;
import org.odradek.consumer.handler.ConsumerCounters;
import org.odradek.consumer.support.OneTopicBroker;
import org.odradek.consumer.support.Reading;

import java.net.InetAddress;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

/**
 * Tests lookups at a leader that cannot be reached, of a partition that is not assigned: nothing else notices that
 * the leader is gone. Later metadata names the other broker as the leader.
 */
@Timeout(100)
class LostLeaderTest
{
    private static final int LOST_ID = 8;
    private static final String LOST_HOST = "lost.test";
    private static final int FURTHER_STEPS = 20;

    private final OneTopicBroker broker = OneTopicBroker.start(2).append(0, "a").append(1, "x", "y");
    private final AtomicBoolean isElected = new AtomicBoolean();
    private final AtomicLong nowNs = new AtomicLong();
    private Reading reading;

    @BeforeEach
    void nameTheLostLeader()
    {
        broker.script(ApiMessageType.METADATA, (call) ->
        {
            final MetadataResponseData metadata = broker.metadata(call);
            if (!isElected.get())
            {
                OneTopicBroker.addBroker(metadata, LOST_ID, 1);
                metadata.brokers().find(LOST_ID).setHost(LOST_HOST);
                metadata.topics().find(OneTopicBroker.TOPIC).partitions().get(1)
                    .setLeaderId(LOST_ID).setLeaderEpoch(OneTopicBroker.LEADER_EPOCH - 1);
            }
            return call.answer(metadata);
        });
    }

    @AfterEach
    void close()
    {
        reading.close();
        broker.close();
    }

    private OffsetQuery queryAtTheLostLeader(final ConsumerContext context)
    {
        reading = Reading.start(context.partitions(0).startPosition(StartPosition.offset(0))
            .nameResolver((host) -> InetAddress.getAllByName("127.0.0.1")));
        reading.untilCount(0, 1);
        final OffsetQuery query = reading.consumer().queryEndOffset(1);
        reading.until("a failed connection", () -> reading.hasError(LOST_HOST));
        return query;
    }

    /** The number of requests once no more follow while the clock stands still. */
    private int metadataRequests()
    {
        final int fetches = broker.fetchCount(0);
        reading.until("fetches", () -> broker.fetchCount(0) > fetches + FURTHER_STEPS);
        return broker.requestCount(ApiMessageType.METADATA);
    }

    /** Lets time pass in which broker and consumer exchange something, so that no request times out. */
    private void step()
    {
        final int fetches = broker.fetchCount(0);
        nowNs.addAndGet(TimeUnit.SECONDS.toNanos(1));
        reading.until("a fetch", () -> broker.fetchCount(0) > fetches + 1);
    }

    @Test
    void shouldSendTheQueryToTheLeaderThatMetadataNamesNext()
    {
        final OffsetQuery query = queryAtTheLostLeader(Reading.context(broker));

        isElected.set(true);
        reading.until("the offset", query::isDone);

        assertFalse(query.isFailed());
        assertEquals(2, query.offset());
        assertEquals(1, reading.errors().size(), () -> reading.errors().toString());
    }

    /** The clock stops, so that the metadata does not age. */
    @Test
    void shouldRequestMetadataForEachFailureAfterABackoff()
    {
        final OffsetQuery query = queryAtTheLostLeader(Reading.context(broker).nanoClock(nowNs::get).fetchMaxWaitMs(1));
        int count = metadataRequests();
        for (int i = 0; i < FURTHER_STEPS; i++)
        {
            final int before = count;
            nowNs.addAndGet(TimeUnit.SECONDS.toNanos(1));
            reading.until("metadata", () -> broker.requestCount(ApiMessageType.METADATA) > before);
            count = metadataRequests();
            assertEquals(before + 1, count);
        }
        assertFalse(query.isDone());
    }

    @Test
    void shouldNotConnectToALeaderThatNoQueryWaitsFor()
    {
        final OffsetQuery query = queryAtTheLostLeader(Reading.context(broker).nanoClock(nowNs::get)
            .fetchMaxWaitMs(1).metadataMaxAgeMs(2_000));
        isElected.set(true);
        while (!query.isDone())
        {
            step();
        }
        final long lookUps = reading.consumer().counters().get(ConsumerCounters.NAME_LOOKUPS);

        for (int i = 0; i < FURTHER_STEPS; i++)
        {
            step();
        }

        assertEquals(lookUps, reading.consumer().counters().get(ConsumerCounters.NAME_LOOKUPS));
    }
}
