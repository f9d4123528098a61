// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.fetch;

import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchResponseData;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.odradek.consumer.FetchSessionMode;
import org.odradek.consumer.handler.ConsumerCounters;
import org.odradek.consumer.support.OneTopicBroker;
import org.odradek.consumer.support.Reading;
import org.odradek.consumer.support.SessionScene;

import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.odradek.consumer.support.SessionScene.PARTITIONS;
import static org.odradek.consumer.support.SessionScene.listed;

/**
 * Reads with fetch sessions that end, get wrong responses, or hold partitions that are no longer read.
 */
class FetchSessionFaultsTest
{
    /** With the jitter. */
    private static final long BACKOFF_NS = TimeUnit.MILLISECONDS.toNanos(24);

    /** Wraps, as nanoTime may. */
    private final AtomicLong nowNs = new AtomicLong(Long.MAX_VALUE - 5);
    private final SessionScene scene = new SessionScene();
    private Reading reading;

    @AfterEach
    void close()
    {
        scene.close();
    }

    // Behaviour F65, tried 2026-11-29: A session that is not found, or that has an error, is replaced by a new session,
    // and each record is delivered once.
    // Behaviour F68, tried 2026-11-30: A session that the broker has evicted is replaced without an event.
    @ParameterizedTest
    @ValueSource(ints = {70, 71, 106})
    void shouldBeginANewSessionAfterASessionError(final int errorCode)
    {
        scene.appendToAll("a");
        reading = scene.read(FetchSessionMode.ON);
        scene.untilAll(1);
        scene.untilMoreFetches();

        final AtomicInteger failures = new AtomicInteger();
        final int at = scene.requests().size();
        final List<String> events = List.copyOf(reading.events());
        scene.appendToAll("b");
        if (errorCode == 70)
        {
            scene.broker().evictSessions();
        }
        else if (errorCode == 71)
        {
            scene.broker().skipSessionEpoch();
        }
        else
        {
            scene.broker().script(ApiMessageType.FETCH, (call) ->
            {
                scene.note(call);
                return failures.getAndIncrement() > 0 ? null :
                    call.answer(new FetchResponseData().setErrorCode((short)errorCode));
            });
        }
        scene.untilAll(2);
        scene.untilMoreFetches();

        final FetchRequestData fullRequest =
            scene.requests().stream().skip(at).filter((request) -> request.sessionEpoch() == 0).findFirst().get();
        assertEquals(errorCode == 70 ? 0 : scene.firstSessionId(), fullRequest.sessionId());
        assertEquals(List.of(0, 1, 2, 3), listed(fullRequest));
        assertEquals(1, scene.sessionResets());
        assertEquals(2, scene.fullFetches());
        assertEquals(1, scene.broker().sessionCount());
        assertEquals(List.of(), reading.errors());
        assertEquals(events, reading.events());
    }

    // Behaviour F65.
    @Test
    void shouldStopUsingSessionsThatAreNeverFound()
    {
        scene.broker().script(ApiMessageType.FETCH, (call) ->
        {
            scene.note(call);
            return ((FetchRequestData)call.request()).sessionEpoch() == -1 ? null :
                call.answer(new FetchResponseData().setErrorCode((short)70));
        });
        scene.appendToAll("a");
        reading = scene.read(scene.context(FetchSessionMode.ON));

        scene.untilAll(1);

        assertEquals(1, scene.requests().stream().filter((request) -> request.sessionEpoch() == 0).count());
    }

    @Test
    void shouldBackOffWhenAFullRequestFailsWithASessionError()
    {
        scene.broker().script(ApiMessageType.FETCH, (call) ->
        {
            scene.note(call);
            return call.answer(new FetchResponseData().setErrorCode((short)71));
        });
        reading = scene.read(scene.context(FetchSessionMode.ON)
            .nanoClock(nowNs::get));
        reading.until("the first error", () -> scene.counter(ConsumerCounters.FETCHES) == 1);

        for (int i = 0; i < 1_000; i++)
        {
            reading.consumer().poll(reading, 1, 0);
        }
        assertEquals(1, scene.counter(ConsumerCounters.FULL_FETCHES));
        nowNs.addAndGet(BACKOFF_NS);
        reading.until("the second error", () -> scene.requests().size() == 2);
    }

    // Behaviour F70, tried 2026-11-29: After a disconnect the next request ends the old session and begins another.
    @Test
    void shouldBeginANewSessionWithANewConnection()
    {
        scene.appendToAll("a");
        reading = scene.read(FetchSessionMode.ON);
        scene.untilAll(1);

        scene.broker().peer().cut();
        scene.appendToAll("b");
        scene.untilAll(2);

        reading.until("the reset", () -> scene.sessionResets() == 1);
        final List<FetchRequestData> full = scene.requests().stream().filter((r) -> r.sessionEpoch() == 0).toList();
        assertEquals(scene.firstSessionId(), full.get(full.size() - 1).sessionId());
        assertEquals(1, scene.broker().sessionCount());
    }

    // Behaviour F68.
    @Test
    void shouldBeginANewSessionWhenTheBrokerEndsIt()
    {
        scene.appendToAll("a");
        reading = scene.read(FetchSessionMode.ON);
        scene.untilAll(1);
        final AtomicInteger ends = new AtomicInteger();
        scene.broker().script(ApiMessageType.FETCH, (call) ->
        {
            scene.note(call);
            return ends.getAndIncrement() > 0 ? null : call.answer(new FetchResponseData());
        });

        scene.appendToAll("b");
        scene.untilAll(2);
        // The fetch in flight when the script began may have brought the records; the next one ends the session.
        reading.until("a new session", () ->
            scene.requests().stream().filter((request) -> request.sessionEpoch() == 0).count() > 1);

        assertEquals(1, scene.sessionResets());
        assertEquals(0, scene.requests().stream()
            .filter((request) -> request.sessionEpoch() == 0).skip(1).findFirst().get().sessionId());
    }

    // Behaviour F66, tried 2026-11-29: A partition that a full response omits is requested again, and a partition that
    // was not requested is ignored; an empty response that throttles is not an error.
    @Test
    void shouldListPartitionsAgainThatTheFirstResponseOfASessionLeftOut()
    {
        final AtomicInteger fetches = new AtomicInteger();
        scene.broker().script(ApiMessageType.FETCH, (call) ->
        {
            scene.note(call);
            if (fetches.getAndIncrement() > 0)
            {
                return null;
            }
            final FetchResponseData response = (FetchResponseData)scene.broker().model().usual(call);
            response.responses().get(0).partitions().removeIf((data) -> data.partitionIndex() == 1);
            return call.answer(response);
        });
        scene.appendToAll("a");
        reading = scene.read(scene.context(FetchSessionMode.ON));

        scene.untilAll(1);

        assertEquals(1, scene.fullFetches());
        assertTrue(listed(scene.requests().get(1)).contains(1));
    }

    // Behaviour F67.
    @Test
    void shouldForgetAPartitionInErrorUntilItsBackoffHasExpired()
    {
        scene.appendToAll("a");
        reading = scene.read(scene.context(FetchSessionMode.ON).nanoClock(nowNs::get).fetchMaxWaitMs(0));
        scene.untilAll(1);

        scene.broker().script(1, (requested) -> OneTopicBroker.error(1, 9));
        reading.until("it to be forgotten", () -> scene.hasForgotten(1));
        final int count = scene.broker().fetchCount(1);
        scene.broker().heal(1);
        scene.broker().append(1, "b");
        scene.untilMoreFetches();
        assertEquals(count, scene.broker().fetchCount(1));
        assertEquals(1, reading.count(1));
        nowNs.addAndGet(BACKOFF_NS);
        reading.untilCount(1, 2);

        assertEquals(List.of("a", "b"), reading.values(1));
        assertEquals(1, scene.fullFetches());
    }

    /** Waits for a fetch, which the broker answers when the latch is counted down. */
    private CountDownLatch holdNextFetch()
    {
        final CountDownLatch isReleased = new CountDownLatch(1);
        final CountDownLatch isRequested = new CountDownLatch(1);
        scene.broker().script(ApiMessageType.FETCH, (call) ->
        {
            scene.note(call);
            isRequested.countDown();
            awaitQuietly(isReleased);
            return null;
        });
        reading.until("the fetch", () -> isRequested.getCount() == 0);
        return isReleased;
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void shouldRequestRecordsAgainThatASeekDiscardedInFlight(final int soughtOffset)
    {
        // given a response with records in flight
        reading = scene.read(FetchSessionMode.ON);
        scene.untilMoreFetches();
        final CountDownLatch isSought = holdNextFetch();
        scene.broker().append(2, "a", "b");

        // when the partition is sought to its own offset or another one, and the response arrives after that
        reading.consumer().seek(2, soughtOffset);
        isSought.countDown();
        reading.untilCount(2, 2 - soughtOffset);
        scene.untilMoreFetches();

        // then the records are fetched again and delivered once
        assertEquals(soughtOffset == 0 ? List.of("a", "b") : List.of("b"), reading.values(2));
        assertEquals(OneTopicBroker.batch(0, "a", "b").sizeInBytes(), scene.counter(ConsumerCounters.BYTES_DISCARDED));
        assertEquals(1, scene.fullFetches());
    }

    // Behaviour F65.
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void shouldDeliverEachRecordOnceDespiteRandomFaults(final long seed)
    {
        final Random random = new Random(seed);
        reading = scene.read(FetchSessionMode.ON);
        reading.until("all partitions", () -> reading.hasEvent("added " + (PARTITIONS - 1)));
        for (int i = 0; i < 400; i++)
        {
            final int p = random.nextInt(PARTITIONS);
            switch (random.nextInt(9))
            {
                case 0:
                    reading.consumer().pause(p);
                    break;
                case 1:
                    reading.consumer().resume(p);
                    break;
                case 2:
                    reading.consumer().seek(p, reading.consumer().nextOffset(p));
                    break;
                case 3:
                    causeFault(random.nextInt(12), p);
                    break;
                case 4:
                    scene.broker().heal(p);
                    break;
                default:
                    scene.broker().append(p, "value", "another");
                    break;
            }
            reading.consumer().poll(reading, 1 + random.nextInt(5), random.nextInt(3) * 500_000L);
        }
        for (int p = 0; p < PARTITIONS; p++)
        {
            scene.broker().heal(p);
            reading.consumer().resume(p);
        }
        for (int p = 0; p < PARTITIONS; p++)
        {
            final int end = (int)scene.broker().endOffset(p);
            reading.untilCount(p, end);
            assertEquals(end, reading.count(p));
            assertEquals(end == 0 ? -1 : end - 1, end == 0 ? -1 : reading.offsets(p).get(end - 1));
        }
        assertFalse(reading.hasEvent("stopped"), () -> reading.events().toString());
        assertTrue(scene.incrementalFetches() > 0);
    }

    private void causeFault(final int kind, final int partition)
    {
        switch (kind)
        {
            case 0:
                scene.broker().evictSessions();
                break;
            case 1:
                scene.broker().skipSessionEpoch();
                break;
            case 2:
                scene.broker().peer().cut();
                break;
            default:
                scene.broker().script(partition, (requested) -> OneTopicBroker.error(partition, 9));
        }
    }

    /** The broker's session holds that the consumer knows the high watermark, and does not send it again. */
    @Test
    void shouldKnowTheHighWatermarkOfAResponseThatASeekMadeOutdated()
    {
        reading = scene.read(FetchSessionMode.ON);
        scene.untilMoreFetches();
        final CountDownLatch isSought = holdNextFetch();
        scene.broker().script(2, (requested) -> OneTopicBroker.data(2, 7));

        reading.consumer().seek(2, 0);
        isSought.countDown();
        scene.untilMoreFetches();

        assertEquals(7, reading.consumer().highWatermark(2));
        assertEquals(0, scene.sessionResets());
    }

    private static void awaitQuietly(final CountDownLatch latch)
    {
        try
        {
            latch.await();
        }
        catch (final InterruptedException ex)
        {
            throw new IllegalStateException(ex);
        }
    }
}
