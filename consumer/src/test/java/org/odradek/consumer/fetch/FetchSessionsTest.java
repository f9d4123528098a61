// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.fetch;

import org.apache.kafka.common.message.ApiMessageType;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.odradek.consumer.FetchSessionMode;
import org.odradek.consumer.Internals;
import org.odradek.consumer.StartPosition;
import org.odradek.consumer.support.OneTopicBroker;
import org.odradek.consumer.support.Reading;
import org.odradek.consumer.support.SessionScene;

import java.util.ArrayList;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.odradek.consumer.support.SessionScene.PARTITIONS;
import static org.odradek.consumer.support.SessionScene.forgotten;
import static org.odradek.consumer.support.SessionScene.listed;

/**
 * Reads with fetch sessions from a broker that keeps them as Kafka's does.
 */
class FetchSessionsTest
{
    private final SessionScene scene = new SessionScene();
    private Reading reading;

    @AfterEach
    void close()
    {
        scene.close();
    }

    // Behaviour F62, tried 2026-11-29: After the first request of a session, requests list only the partitions that
    // have changed; the other partitions are still fetched.
    // Behaviour F67, tried 2026-11-29: A partition that a response of a session omits counts as unchanged.
    @ParameterizedTest
    @ValueSource(ints = {7, 9, 11, 12, 13, 16, 18})
    void shouldListOnlyChangedPartitions(final int version)
    {
        scene.broker().maxVersion(ApiMessageType.FETCH, version);
        scene.appendToAll("a");
        reading = scene.read(FetchSessionMode.ON);
        scene.untilAll(1);
        scene.untilMoreFetches();
        final int before = scene.requests().size();

        scene.broker().append(2, "b");
        reading.untilCount(2, 2);
        scene.untilMoreFetches();

        for (int i = 0; i < scene.requests().size(); i++)
        {
            assertEquals(i == 0 ? 0 : scene.firstSessionId(), scene.requests().get(i).sessionId());
            assertEquals(i, scene.requests().get(i).sessionEpoch());
            assertEquals(List.of(), forgotten(scene.requests().get(i)));
        }
        assertEquals(List.of(0, 1, 2, 3), listed(scene.requests().get(0)));
        final List<List<Integer>> changes = new ArrayList<>();
        scene.requests().stream().skip(before).map(SessionScene::listed).filter((p) -> !p.isEmpty())
            .forEach(changes::add);
        assertEquals(List.of(List.of(2)), changes);
        assertEquals(1, scene.fullFetches());
        assertTrue(scene.incrementalFetches() > 1);
        assertEquals(0, scene.sessionResets());
    }

    @ParameterizedTest
    @ValueSource(ints = {4, 6})
    void shouldUseNoSessionInVersionsWithoutSessions(final int version)
    {
        scene.broker().maxVersion(ApiMessageType.FETCH, version);
        scene.appendToAll("a");
        reading = scene.read(FetchSessionMode.ON);

        scene.untilAll(1);

        assertEquals(0, scene.incrementalFetches());
        assertEquals(0, scene.broker().sessionCount());
    }

    /** A broker returns a batch that is larger than the limits only for the first partition with records. */
    // Behaviour E58.
    @Test
    void shouldListEachPartitionFirstInTurnWithoutASession()
    {
        scene.appendToAll("a");
        reading = scene.read(FetchSessionMode.OFF);
        scene.untilAll(1);
        final int before = scene.requests().size();

        reading.until("fetches", () -> scene.requests().size() >= before + 2 * PARTITIONS);

        final List<Integer> first = scene.requests().stream().skip(before).limit(2 * PARTITIONS)
            .map((request) -> request.topics().get(0).partitions().get(0).partition()).toList();
        for (int i = 1; i < first.size(); i++)
        {
            assertEquals((first.get(i - 1) + 1) % PARTITIONS, first.get(i), first::toString);
        }
    }

    /** As in a session, where the broker does the same; without it one of 16 responses would have the other records. */
    // Behaviour E58.
    @Test
    void shouldReadTwoPartitionsInTurnAmongManyWithoutASession()
    {
        try (OneTopicBroker broker = OneTopicBroker.start(16))
        {
            for (int i = 0; i < 40; i++)
            {
                broker.append(0, "value").append(1, "value");
            }
            // Each response has one batch.
            try (Reading slow = Reading.start(
                Reading.context(broker).fetchSession(FetchSessionMode.OFF).fetchMaxBytes(1)))
            {
                slow.until("records", () -> slow.count(0) + slow.count(1) >= 30);
                assertTrue(Math.abs(slow.count(0) - slow.count(1)) <= 2, () -> slow.count(0) + " " + slow.count(1));
            }
        }
    }

    @Test
    void shouldNotCountASessionThatIsGivenUpAsAReset()
    {
        scene.appendToAll("a");
        reading = scene.read(FetchSessionMode.ON);
        scene.untilAll(1);
        scene.untilMoreFetches();
        for (int p = 0; p < PARTITIONS; p++)
        {
            reading.consumer().unassign(p);
        }

        reading.until("no connection", () -> Internals.fetchers(reading.consumer()).findAny().isEmpty());
        assertEquals(0, scene.sessionResets());
    }

    // Behaviour F61.
    @Test
    void shouldUseNoSessionWhenSessionsAreOff()
    {
        scene.appendToAll("a");
        reading = scene.read(FetchSessionMode.OFF);

        scene.untilAll(1);
        scene.untilMoreFetches();

        scene.requests().forEach((request) -> assertEquals(0, request.sessionId()));
        scene.requests().forEach((request) -> assertEquals(-1, request.sessionEpoch()));
        assertEquals(0, scene.broker().sessionCount());
    }

    @Test
    void shouldContinueWithoutASessionThatIsNotGranted()
    {
        scene.broker().grantSessions(0);
        scene.appendToAll("a");
        reading = scene.read(FetchSessionMode.ON);

        scene.untilAll(1);
        scene.untilMoreFetches();
        scene.requests().forEach((request) -> assertEquals(0, request.sessionId()));
        scene.requests().forEach((request) -> assertEquals(0, request.sessionEpoch()));
        scene.requests().forEach((request) -> assertEquals(PARTITIONS, listed(request).size()));

        scene.broker().grantSessions(1);
        reading.until("a session", () -> scene.incrementalFetches() > 0);
        scene.appendToAll("b");
        scene.untilAll(2);
    }

    // Behaviour F63, tried 2026-11-29: Partitions that are no longer read are forgotten, but not all of them at once.
    @Test
    void shouldForgetPausedPartitionsAndListThemWhenResumed()
    {
        scene.appendToAll("a");
        reading = scene.read(FetchSessionMode.ON);
        scene.untilAll(1);

        reading.consumer().pause(1);
        reading.until("it to be forgotten", () -> scene.hasForgotten(1));
        scene.broker().append(1, "b");
        scene.untilMoreFetches();
        assertEquals(List.of(0, 2, 3), scene.broker().sessionPartitions());
        assertEquals(1, reading.count(1));
        reading.consumer().resume(1);
        reading.untilCount(1, 2);

        assertEquals(List.of(0, 1, 2, 3), scene.broker().sessionPartitions());
        assertEquals(1, scene.fullFetches());
    }

    // Behaviour F63.
    @Test
    void shouldKeepTheSessionWhenAllPartitionsArePaused()
    {
        scene.appendToAll("a");
        reading = scene.read(FetchSessionMode.ON);
        scene.untilAll(1);

        for (int p = 0; p < PARTITIONS; p++)
        {
            reading.consumer().pause(p);
        }
        scene.appendToAll("b");
        reading.until("no more requests", () -> reading.fetchesInFlight() == 0);
        reading.consumer().resume(3);
        reading.untilCount(3, 2);
        assertEquals(List.of(3), scene.broker().sessionPartitions());
        for (int p = 0; p < 3; p++)
        {
            reading.consumer().resume(p);
        }
        scene.untilAll(2);

        assertEquals(1, scene.fullFetches());
        assertEquals(0, scene.sessionResets());
    }

    @Test
    void shouldReadAPartitionAgainThatIsAssignedAgain()
    {
        scene.appendToAll("a");
        reading = scene.read(FetchSessionMode.ON);
        scene.untilAll(1);
        scene.untilMoreFetches();

        reading.consumer().unassign(0);
        reading.consumer().assign(0, StartPosition.offset(1));
        scene.broker().append(0, "b");
        reading.untilCount(0, 2);
        reading.consumer().unassign(0);
        reading.forget(0);
        reading.consumer().assign(0, StartPosition.offset(0));
        reading.untilCount(0, 2);

        assertEquals(List.of("a", "b"), reading.values(0));
    }

    // Behaviour E55.
    @Test
    void shouldUseSessionsByTopicNameWhenTheTopicIdIsUnknown()
    {
        scene.broker().maxVersion(ApiMessageType.METADATA, 9);
        scene.appendToAll("a");
        reading = scene.read(FetchSessionMode.ON);
        scene.untilAll(1);
        assertEquals(0, scene.sessionResets());
        assertTrue(scene.incrementalFetches() > 0);
        final int version = scene.broker().peer().requests().stream()
            .filter((r) -> r.apiKey() == ApiMessageType.FETCH.apiKey()).findFirst().get().apiVersion();
        assertEquals(12, version);
    }

    @Test
    void shouldUseASessionWhenManyPartitionsAreRead()
    {
        scene.broker().addPartitions(32 - PARTITIONS);
        scene.appendToAll("a");
        reading = scene.read(FetchSessionMode.AUTO);
        scene.untilAll(1);
        reading.until("a session", () -> scene.incrementalFetches() > 0);

        reading.consumer().unassign(31);
        scene.appendToAll("b");
        scene.untilAll(2);
        reading.until("the session to be closed", () -> scene.last().sessionEpoch() == -1);
        scene.untilMoreFetches();

        assertEquals(0, scene.broker().sessionCount());
        assertEquals(31, listed(scene.last()).size());
        assertEquals(0, scene.last().sessionId());
        reading.consumer().assign(31, StartPosition.offset(0));
        reading.until("a session", () -> scene.last().sessionEpoch() > 0);
    }
}
