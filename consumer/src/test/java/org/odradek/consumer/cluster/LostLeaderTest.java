// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.cluster;

import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponsePartition;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.odradek.consumer.ConsumerContext;
import org.odradek.consumer.Internals;
import org.odradek.consumer.StartPosition;
import org.odradek.consumer.handler.ConsumerCounters;
import org.odradek.consumer.handler.OffsetQuery;
import org.odradek.consumer.support.OneTopicBroker;
import org.odradek.consumer.support.Reading;

import java.net.InetAddress;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Tests lookups at a leader that cannot be reached, of a partition that is not assigned: nothing else notices that
 * the leader is gone. Later metadata names the other broker as the leader.
 */
class LostLeaderTest
{
    private static final int LOST_ID = 8;
    private static final String LOST_HOST = "lost.test";
    private static final int FURTHER_STEPS = 20;

    private final OneTopicBroker broker = OneTopicBroker.start(2).append(0, "a").append(1, "x", "y");
    /** After an odd number of them the other broker leads. */
    private final AtomicInteger elections = new AtomicInteger();
    private final AtomicLong nowNs = new AtomicLong();
    private Reading reading;

    @BeforeEach
    void nameTheLostLeader()
    {
        broker.script(ApiMessageType.METADATA, (call) ->
        {
            final MetadataResponseData metadata = broker.metadata(call);
            final MetadataResponsePartition partition =
                metadata.topics().find(OneTopicBroker.TOPIC).partitions().get(1);
            partition.setLeaderEpoch(-1);
            if (elections.get() % 2 == 0)
            {
                OneTopicBroker.addBroker(metadata, LOST_ID, 1);
                metadata.brokers().find(LOST_ID).setHost(LOST_HOST);
                partition.setLeaderId(LOST_ID);
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

    /** Without timeouts, because time also passes while a broker does not answer. */
    private ConsumerContext contextWithClock()
    {
        return Reading.withoutTimeouts(Reading.context(broker)).nanoClock(nowNs::get).fetchMaxWaitMs(1);
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
        reading.untilAnswered(ApiMessageType.METADATA);
        return broker.requestCount(ApiMessageType.METADATA);
    }

    /** Lets time pass in which broker and consumer exchange something. */
    private void step()
    {
        final int fetches = broker.fetchCount(0);
        nowNs.addAndGet(TimeUnit.SECONDS.toNanos(1));
        reading.until("a fetch", () -> broker.fetchCount(0) > fetches + 1);
        reading.untilAnswered(ApiMessageType.METADATA);
    }

    private void untilLeaderIs(final int nodeId)
    {
        while (Internals.table(reading.consumer()).leaderId(1) != nodeId)
        {
            step();
        }
    }

    // Behaviour K139.
    @Test
    void shouldSendTheQueryToTheLeaderThatMetadataNamesNext()
    {
        final OffsetQuery query = queryAtTheLostLeader(Reading.context(broker));

        elections.incrementAndGet();
        reading.until("the offset", query::isDone);

        assertFalse(query.isFailed());
        assertEquals(2, query.offset());
        assertEquals(1, reading.errors().size(), () -> reading.errors().toString());
    }

    /** The clock stops, so that the metadata does not age. */
    // Behaviour K139.
    @Test
    void shouldRequestMetadataForEachFailureAfterABackoff()
    {
        final OffsetQuery query = queryAtTheLostLeader(contextWithClock());
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

    // Behaviour K139.
    @Test
    void shouldNotConnectToALeaderThatNoQueryWaitsFor()
    {
        final OffsetQuery query = queryAtTheLostLeader(contextWithClock().metadataMaxAgeMs(2_000));
        elections.incrementAndGet();
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

    /** Each time the connection for the query is a new one. */
    @Test
    void shouldConnectLessAndLessOftenToALeaderThatComesBackAndIsLost()
    {
        OffsetQuery query = queryAtTheLostLeader(contextWithClock()
            .metadataMaxAgeMs(2_000).reconnectBackoffMs(1_000, 1_000_000));
        final long lookUps = reading.consumer().counters().get(ConsumerCounters.NAME_LOOKUPS);
        for (int i = 0; i < FURTHER_STEPS; i++)
        {
            elections.incrementAndGet();
            untilLeaderIs(OneTopicBroker.NODE_ID);
            reading.until("the offset", query::isDone);
            elections.incrementAndGet();
            untilLeaderIs(LOST_ID);
            query = reading.consumer().queryEndOffset(1);
            step();
            step();
        }

        final long further = reading.consumer().counters().get(ConsumerCounters.NAME_LOOKUPS) - lookUps;
        assertTrue(further > 2 && further < FURTHER_STEPS / 2, () -> "further attempts " + further);
    }
}
