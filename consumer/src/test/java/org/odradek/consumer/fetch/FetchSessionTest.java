// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.fetch;

import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

class FetchSessionTest
{
    private static final int ID = 0x5E55;
    private static final int VERSION = 18;

    private final FetchSession session = new FetchSession(0);

    private void send()
    {
        session.begin(VERSION, 1, 0);
        session.onSent();
    }

    // Behaviour F61, tried 2026-11-29: Session epochs count from 0 and continue with 1 after the maximum; -1 means no
    // session.
    @Test
    void shouldCountEpochs()
    {
        for (int epoch = 0; epoch < 5; epoch++)
        {
            send();
            assertEquals(epoch, session.epoch);
            assertEquals(epoch == 0 ? FetchSession.NULL_ID : ID, session.id);
            assertTrue(session.onResponse(ID));
        }
    }

    /** A paused partition is dropped, so it does not count. */
    @Test
    void shouldCountThePartitionsThatLagWhileTheyAreHeld()
    {
        session.ensureCapacity(3);
        for (int p = 0; p < 3; p++)
        {
            session.lagging(p, true);
            assertEquals(0, session.laggingCount);
            session.hold(p, 0, 0, 0);
        }
        session.lagging(0, true);
        session.lagging(0, true);
        session.lagging(1, true);
        session.hold(1, 5, 0, 0);
        assertEquals(2, session.laggingCount);
        session.drop(0);
        session.lagging(0, true);
        assertEquals(1, session.laggingCount);
        session.lagging(1, false);
        assertEquals(0, session.laggingCount);
        session.hold(0, 0, 0, 0);
        assertEquals(0, session.laggingCount);
        session.lagging(0, true);
        session.dropAll();
        session.hold(0, 0, 0, 0);

        assertEquals(0, session.laggingCount);
        assertEquals(1, session.heldCount);
    }

    // Behaviour F61.
    @Test
    void shouldBeginAgainWithOneAfterTheLastEpoch()
    {
        assertEquals(2, FetchSession.epochAfter(1));
        assertEquals(Integer.MAX_VALUE, FetchSession.epochAfter(Integer.MAX_VALUE - 1));
        assertEquals(1, FetchSession.epochAfter(Integer.MAX_VALUE));
    }

    // Behaviour F70.
    @Test
    void shouldKeepTheIdToEndTheSessionWith()
    {
        send();
        session.onResponse(ID);
        send();

        assertTrue(session.restart());
        assertFalse(session.restart());
        assertFalse(session.begin(VERSION, 1, 0));

        assertEquals(ID, session.id);
        assertEquals(FetchSession.INITIAL_EPOCH, session.epoch);
    }

    // Behaviour F64, tried 2026-11-29: If the topic has a new id, or requests change between id and name, the next
    // request begins a new fetch session.
    // Behaviour E55.
    @Test
    void shouldBeginAgainWhenTheTopicIdOrTheWayToNameTheTopicChanges()
    {
        send();
        session.onResponse(ID);
        assertTrue(session.begin(VERSION, 1, 0));

        assertFalse(session.begin(VERSION, 1, 1));
        session.onSent();
        session.onResponse(ID + 1);
        assertTrue(session.begin(VERSION, 1, 1));
        assertFalse(session.begin(12, 1, 1));
    }

    @Test
    void shouldEndWithAResponseOfAnotherSession()
    {
        send();
        session.onResponse(ID);
        send();

        assertFalse(session.onResponse(FetchSession.NULL_ID));

        assertFalse(session.isOpen());
        assertEquals(FetchSession.NULL_ID, session.id);
    }

    @Test
    void shouldAcceptEachRequestedPartitionOncePerResponse()
    {
        session.ensureCapacity(3);
        session.hold(1, 100, 7, 5);
        send();

        for (int answer = 0; answer < 3; answer++)
        {
            session.onResponse(ID);
            assertFalse(session.isTaken(1));
            assertTrue(session.take(1));
            assertTrue(session.isTaken(1));
            assertFalse(session.take(1));
            for (final int other : new int[] {-1, 0, 2, 3, Integer.MAX_VALUE, Integer.MIN_VALUE})
            {
                assertFalse(session.take(other));
            }
            send();
        }
        assertEquals(1, session.heldCount);
        assertEquals(100, session.offset(1));
        assertEquals(5, session.generation(1));
    }
}
