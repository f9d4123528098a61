// SPDX-License-Identifier: Apache-2.0
package org.odradek.workers;

import org.junit.jupiter.api.Test;
import org.odradek.client.Acknowledgements;
import org.odradek.consumer.handler.ControlledRecordHandler.Action;
import org.odradek.consumer.handler.HandlerErrorPolicy;

import java.util.ArrayList;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Tests what workers do with records of partitions that the member does not own any more. */
class OwnershipTest
{
    @Test
    void shouldSkipRecordsOfAnOwnershipThatHasEnded()
    {
        try (WorkersFixture fixture = new WorkersFixture())
        {
            fixture.record(0, "0a").record(1, "0b");
            fixture.dispatch();
            fixture.workers.doWork();
            fixture.workers.fences().end(0);
            fixture.work(0);
            fixture.pass();

            assertEquals(List.of("0 1:0"), fixture.handled);
            assertEquals(1, fixture.count(0, WorkerCounters.RECORDS_SKIPPED));
            assertEquals(List.of("1:1"), fixture.acknowledged);
            assertTrue(fixture.workers.isPassed());
        }
    }

    @Test
    void shouldHandleRecordsOfTheNextOwnership()
    {
        try (WorkersFixture fixture = new WorkersFixture())
        {
            fixture.workers.fences().end(0);
            fixture.record(0, "0a");
            fixture.dispatch();
            fixture.work(0);
            fixture.pass();

            assertEquals(List.of("0 0:0"), fixture.handled);
            assertEquals(List.of("0:1"), fixture.acknowledged);
        }
    }

    @Test
    void shouldEndAStopWhenTheRecordIsNotOwnedAnyMore()
    {
        try (WorkersFixture fixture = new WorkersFixture())
        {
            fixture.record(0, "0a").record(1, "0b");
            fixture.dispatch();
            fixture.handler = (record) ->
            {
                throw new IllegalStateException("planted");
            };
            fixture.work(0);
            fixture.workers.fences().end(1);
            fixture.work(0);
            assertEquals(1, fixture.count(0, WorkerCounters.STATE));

            fixture.workers.fences().end(0);
            fixture.work(0);
            fixture.pass();
            assertEquals(0, fixture.count(0, WorkerCounters.STATE));
            assertEquals(2, fixture.count(0, WorkerCounters.RECORDS_SKIPPED));
            assertEquals(List.of(), fixture.acknowledged);
            assertTrue(fixture.workers.isPassed());
        }
    }

    /** Otherwise the barrier would wait for a completion that is never reported. */
    @Test
    void shouldCompleteSkippedRecordsAfterThoseOfTheApplication()
    {
        try (WorkersFixture fixture = new WorkersFixture())
        {
            final List<Long> positions = new ArrayList<>();
            final Acknowledgements completion = fixture.workers.worker(0).completion();
            fixture.handler = (record) ->
            {
                positions.add(fixture.workers.worker(0).position());
                return Action.CONTINUE;
            };
            fixture.record(0, "0a").record(1, "0b");
            fixture.dispatch();
            fixture.workers.fences().end(1);
            fixture.work(0);
            fixture.pass();
            assertFalse(fixture.workers.isPassed());

            completion.acknowledge(0, 1, positions.get(0));
            fixture.work(0);
            fixture.pass();
            assertEquals(List.of("0:1"), fixture.acknowledged);
            assertTrue(fixture.workers.isPassed());
        }
    }

    @Test
    void shouldBeginNoRecordAfterTheTimeOfTheMembership()
    {
        final long[] nowNs = {Long.MAX_VALUE - 5};
        final Fences fences = new Fences(true, () -> nowNs[0]);
        fences.deliverUntil(Long.MAX_VALUE);
        assertFalse(fences.isPast());
        nowNs[0] += 6;
        assertTrue(fences.isPast());
        fences.deliverUntil(Long.MAX_VALUE + 10);
        assertFalse(fences.isPast());
    }

    @Test
    void shouldNumberTheOwnershipsOfEachPartition()
    {
        final Fences fences = new Fences(true, () -> 0);
        fences.end(3);
        assertEquals(1, fences.ownership(2));
        assertEquals(2, fences.ownership(3));
        assertEquals(1, fences.ownership(10));
        assertTrue(fences.isEnded(3, 1));
        assertFalse(fences.isEnded(3, 2));
        fences.close();
        assertTrue(fences.isClosed());
        assertTrue(fences.isEnded(3, 2));
        assertTrue(fences.isEnded(10, 1));
    }

    @Test
    void shouldSkipEverythingAfterTheDispatcherWasClosed()
    {
        try (WorkersFixture fixture = new WorkersFixture(HandlerErrorPolicy.THROW))
        {
            fixture.record(0, "0a");
            fixture.dispatch();
            fixture.workers.fences().close();
            fixture.work(0);
            fixture.workers.worker(0).onClose();

            assertEquals(List.of(), fixture.handled);
            assertEquals(List.of(), fixture.errors);
        }
    }
}
