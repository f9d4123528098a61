// SPDX-License-Identifier: Apache-2.0
package org.odradek.workers;

import org.junit.jupiter.api.Test;
import org.odradek.client.Acknowledgements;
import org.odradek.consumer.handler.ControlledRecordHandler.Action;
import org.odradek.consumer.handler.HandlerErrorPolicy;

import java.util.ArrayList;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Tests workers whose application completes records after their handler has returned. */
class CompletionTest
{
    private final List<Long> positions = new ArrayList<>();

    private WorkersFixture fixture(final HandlerErrorPolicy policy)
    {
        final WorkersFixture fixture = new WorkersFixture(policy);
        fixture.handler = (record) ->
        {
            positions.add(fixture.workers.worker(0).position());
            return Action.CONTINUE;
        };
        return fixture;
    }

    /** Works once and passes the interval of barriers, after which these offsets have been acknowledged. */
    private static void assertAcknowledgedAfterWork(final WorkersFixture fixture, final String... acknowledged)
    {
        fixture.work(0);
        fixture.pass();
        assertEquals(List.of(acknowledged), fixture.acknowledged);
    }

    @Test
    void shouldAcknowledgeOnlyWhatTheApplicationHasCompleted()
    {
        try (WorkersFixture fixture = fixture(HandlerErrorPolicy.STOP))
        {
            final Acknowledgements completion = fixture.workers.worker(0).completion();
            fixture.record(0, "0a").record(0, "0b").record(0, "0c");
            fixture.dispatch();
            assertAcknowledgedAfterWork(fixture);
            assertEquals(3, positions.size());
            assertEquals(positions.get(2), fixture.workers.worker(0).position());

            completion.acknowledge(0, 1, positions.get(1));
            assertAcknowledgedAfterWork(fixture);
            completion.acknowledge(0, 1, positions.get(2));
            completion.acknowledge(0, 1, positions.get(0));
            fixture.pass();
            assertEquals(List.of(), fixture.acknowledged);
            assertAcknowledgedAfterWork(fixture, "0:3");
        }
    }

    @Test
    void shouldTakeTheCompletionBeforeTheFirstRecordOnly()
    {
        try (WorkersFixture fixture = fixture(HandlerErrorPolicy.STOP))
        {
            fixture.record(0, "0a");
            fixture.dispatch();
            fixture.work(0);
            assertThrows(IllegalStateException.class, fixture.workers.worker(0)::completion);
            final Acknowledgements other = fixture.workers.worker(1).completion();
            assertThrows(IllegalArgumentException.class, () -> other.acknowledge(1, 1, 0));
            assertThrows(IllegalArgumentException.class, () -> other.acknowledge(0, 2, 0));
            assertThrows(IllegalArgumentException.class, () -> other.acknowledge(0, 1, -1));
        }
    }

    /** The application never completes a record that its handler has not processed. */
    @Test
    void shouldCompleteARecordThatThePolicySkips()
    {
        try (WorkersFixture fixture = fixture(HandlerErrorPolicy.SKIP))
        {
            final Acknowledgements completion = fixture.workers.worker(0).completion();
            fixture.handler = (record) ->
            {
                if (record.offset() == 1)
                {
                    throw new IllegalStateException("planted");
                }
                positions.add(fixture.workers.worker(0).position());
                return Action.CONTINUE;
            };
            fixture.record(0, "0a").record(0, "0b");
            fixture.dispatch();
            assertAcknowledgedAfterWork(fixture);
            completion.acknowledge(0, 1, positions.get(0));
            assertAcknowledgedAfterWork(fixture, "0:2");
        }
    }

    /** The application may complete a record, and then throw for it. */
    @Test
    void shouldNotPassARecordAtWhichTheWorkerHasStopped()
    {
        try (WorkersFixture fixture = fixture(HandlerErrorPolicy.STOP))
        {
            final Acknowledgements completion = fixture.workers.worker(0).completion();
            fixture.handler = (record) ->
            {
                completion.acknowledge(0, 1, fixture.workers.worker(0).position());
                if (record.offset() == 1)
                {
                    throw new IllegalStateException("planted");
                }
                return Action.CONTINUE;
            };
            fixture.record(0, "0a").record(0, "0b");
            fixture.dispatch();
            assertAcknowledgedAfterWork(fixture);
            assertTrue(fixture.workers.worker(0).position() > 0);

            fixture.handler = (record) -> Action.CONTINUE;
            fixture.workers.worker(0).resume();
            assertAcknowledgedAfterWork(fixture, "0:2");
        }
    }
}
