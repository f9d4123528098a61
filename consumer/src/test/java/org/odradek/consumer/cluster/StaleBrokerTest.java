// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.cluster;

import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.message.MetadataResponseData;
import org.junit.jupiter.api.Test;
import org.odradek.consumer.handler.ConsumerCounters;
import org.odradek.consumer.support.OneTopicBroker;
import org.odradek.consumer.support.Reading;
import org.odradek.harness.Answer;
import org.odradek.protocol.ErrorCode;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Tests a broker whose metadata does not follow the cluster, or that does not answer any more, and another one that may
 * know more.
 */
class StaleBrokerTest extends TwoBrokersFixture
{
    private static final int MAX_UNCHANGED = 3;
    private static final long STEP_NS = TimeUnit.SECONDS.toNanos(2);

    /** At the latest in the second round over all brokers, a minute and 20 percent after the first. */
    private static final long MAX_FAILING_NS = TimeUnit.SECONDS.toNanos(90);

    private final AtomicLong nowNs = new AtomicLong();

    /** The other broker leads partition 0, which the first one does not learn. */
    private void elect()
    {
        electQuietly();
        broker.script(0, (requested) -> OneTopicBroker.error(0, ErrorCode.NOT_LEADER_OR_FOLLOWER));
    }

    private void electQuietly()
    {
        other.lead(OneTopicBroker.LEADER_EPOCH + 1);
        knowElection();
    }

    private void knowElection()
    {
        other.script(ApiMessageType.METADATA, (call) ->
        {
            final MetadataResponseData metadata = other.metadata(call);
            OneTopicBroker.addBroker(metadata, OneTopicBroker.NODE_ID, broker.peer().port());
            return call.answer(metadata);
        });
    }

    // Behaviour D41.
    @Test
    void shouldAskAnotherBrokerAfterThreeAnswersThatChangeNothing()
    {
        nameBoth(broker);
        start(context());
        final int before = broker.requestCount(ApiMessageType.METADATA);

        elect();
        reading.untilCount(0, 2);

        assertEquals(List.of("a", "b"), reading.values(0));
        assertEquals(MAX_UNCHANGED, broker.requestCount(ApiMessageType.METADATA) - before);
        assertEquals(0, reading.consumer().counters().get(ConsumerCounters.CONNECTIONS_LOST));
    }

    /** Nobody has connected to it since, because it led nothing. */
    // Behaviour D41, tried 2026-11-29: Metadata is requested when it is old or in doubt, one request at a time: at once
    // for the first error of a partition, and after a backoff of the topic for repeated errors. Another broker is asked
    // after three responses that change nothing, and if a connection to the same broker has failed in the last 45 s and
    // the broker has answered no request since.
    @Test
    void shouldAskABrokerThatHasFailedLongAgo()
    {
        nameBoth(broker);
        start(Reading.withoutTimeouts(context()).nanoClock(nowNs::get));
        elect();
        final long refreshes = refreshes();
        broker.script(ApiMessageType.METADATA, (call) ->
            other.requestCount(ApiMessageType.METADATA) == 0 ?
                Answer.close() : call.answer(ofBoth(broker.metadata(call))));
        other.script(ApiMessageType.METADATA, (call) -> Answer.close());
        reading.until("an answer after the other has failed", () ->
        {
            nowNs.addAndGet(TimeUnit.MILLISECONDS.toNanos(1));
            return refreshes() > refreshes;
        });
        knowElection();

        final long sinceNs = nowNs.get();
        while (reading.count(0) < 2 && nowNs.get() - sinceNs < MAX_FAILING_NS)
        {
            step();
        }

        assertEquals(List.of("a", "b"), reading.values(0));
    }

    /** The broker forgets what it knew about an election, too: the older epoch is ignored, so it changes nothing. */
    // Behaviour D41.
    @Test
    void shouldNotTakeAnIgnoredEpochForAChange()
    {
        broker.script(ApiMessageType.METADATA, (call) ->
        {
            final MetadataResponseData metadata = ofBoth(broker.metadata(call));
            if (broker.requestCount(ApiMessageType.METADATA) > 2)
            {
                metadata.topics().find(OneTopicBroker.TOPIC).partitions().get(0)
                    .setLeaderEpoch(OneTopicBroker.LEADER_EPOCH - 1);
            }
            return call.answer(metadata);
        });
        start(context());

        elect();
        reading.untilCount(0, 2);

        assertEquals(List.of("a", "b"), reading.values(0));
    }

    /** All brokers answer for ever that a broker leads which does not. */
    // Behaviour D41.
    @Test
    void shouldWaitAMinuteAfterARoundAndThenTwice()
    {
        final List<Long> visits = new ArrayList<>();
        nameBoth(broker, other);
        start(context().nanoClock(nowNs::get));
        broker.script(0, (requested) -> OneTopicBroker.error(0, ErrorCode.NOT_LEADER_OR_FOLLOWER));

        int connections = connections();
        // The other is asked after the bootstrap server, which is known to be the first one.
        while (visits.size() < 3)
        {
            step();
            if (connections() != connections)
            {
                connections = connections();
                visits.add(nowNs.get());
            }
        }

        final long firstNs = visits.get(1) - visits.get(0);
        final long secondNs = visits.get(2) - visits.get(1);
        assertTrue(firstNs > 48_000_000_000L && firstNs < 90_000_000_000L, () -> "the waits of " + visits);
        assertTrue(secondNs > 96_000_000_000L && secondNs < 170_000_000_000L, () -> "the waits of " + visits);
        assertEquals(List.of(), reading.errors());
    }

    /** Connections for metadata to either broker: partitions are read from the first one. */
    private int connections()
    {
        return broker.peer().acceptedCount() + other.peer().acceptedCount();
    }

    /** Lets time pass in which the broker, the other one and the consumer exchange something. */
    private void step()
    {
        final int fetches = broker.fetchCount(1);
        final long refreshes = refreshes();
        nowNs.addAndGet(STEP_NS);
        reading.until("an exchange",
            () -> reading.count(0) > 1 || broker.fetchCount(1) > fetches + 1 && refreshes() > refreshes);
    }

    private long refreshes()
    {
        return reading.consumer().counters().get(ConsumerCounters.METADATA_REFRESHES);
    }

    /** It had not failed before, so that it is asked first, and would not answer. */
    // Behaviour D41.
    @Test
    void shouldNotAskABrokerOfWhichAFetchTimedOut()
    {
        nameBoth(broker);
        start(context().nanoClock(nowNs::get));
        // No fetch is answered with an error, because metadata would be requested before the timeout.
        electQuietly();
        broker.script(ApiMessageType.METADATA, (call) -> Answer.never());
        final AtomicBoolean isUnanswered = new AtomicBoolean();
        broker.script(ApiMessageType.FETCH, (call) ->
        {
            isUnanswered.set(true);
            return Answer.never();
        });
        reading.until("a fetch without an answer", isUnanswered::get);

        reading.until("the timeout", () ->
        {
            nowNs.addAndGet(TimeUnit.SECONDS.toNanos(1));
            return reading.consumer().counters().get(ConsumerCounters.CONNECTIONS_LOST) > 0;
        });
        // The clock stands still, so that nothing else times out.
        reading.untilCount(0, 2);

        assertEquals(List.of("a", "b"), reading.values(0));
    }
}
