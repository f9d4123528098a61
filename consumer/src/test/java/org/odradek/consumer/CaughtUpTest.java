// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

import org.apache.kafka.common.message.FetchResponseData.PartitionData;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.odradek.consumer.handler.OffsetResetPolicy;
import org.odradek.consumer.support.OneTopicBroker;
import org.odradek.consumer.support.Reading;

import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;

/**
 * Tests the event of catching up. Each event is noted with the number of records delivered before it.
 */
class CaughtUpTest
{
    private OneTopicBroker broker;
    private Reading reading;

    @BeforeEach
    void start()
    {
        broker = OneTopicBroker.start(2).append(0, "a", "b").append(0, "c");
    }

    @AfterEach
    void close()
    {
        reading.close();
        broker.close();
    }

    private List<String> caughtUp(final int partition)
    {
        return reading.events().stream().filter((event) -> event.startsWith("caught up " + partition)).toList();
    }

    private void untilCaughtUp(final int partition, final int times)
    {
        reading.until("catching up", 1, () -> caughtUp(partition).size() == times);
    }

    private void pollSomeMore()
    {
        final int before = broker.fetchCount(0);
        reading.until("more fetches", () -> broker.fetchCount(0) > before + 5);
    }

    @Test
    void shouldReportOnceThatTheEndIsReached()
    {
        reading = Reading.start(Reading.context(broker));
        untilCaughtUp(0, 1);
        untilCaughtUp(1, 1);
        broker.append(0, "d");
        reading.untilCount(0, 4);
        pollSomeMore();

        assertEquals(List.of("caught up 0 at 3 with 3"), caughtUp(0));
        assertEquals(List.of("caught up 1 at 0 with 0"), caughtUp(1));
    }

    @Test
    void shouldReportAgainAfterASeek()
    {
        reading = Reading.start(Reading.context(broker));
        untilCaughtUp(0, 1);
        reading.forget(0);
        reading.consumer().seek(0, 1);
        untilCaughtUp(0, 2);
        reading.consumer().seek(0, 3);
        untilCaughtUp(0, 3);
        pollSomeMore();

        assertEquals(List.of("caught up 0 at 3 with 3", "caught up 0 at 3 with 2", "caught up 0 at 3 with 2"),
            caughtUp(0));
    }

    /** The broker's session holds that offset already, and has nothing to send. */
    @Test
    void shouldReportAgainAfterASeekToTheRequestedOffset()
    {
        reading = Reading.start(Reading.context(broker).fetchSession(FetchSessionMode.ON));
        untilCaughtUp(0, 1);
        pollSomeMore();
        reading.consumer().seek(0, 3);
        untilCaughtUp(0, 2);

        assertEquals(List.of("caught up 0 at 3 with 3", "caught up 0 at 3 with 3"), caughtUp(0));
    }

    @Test
    void shouldReportAgainAfterAnotherAssignmentAndAReset()
    {
        reading = Reading.start(Reading.context(broker).offsetResetPolicy(OffsetResetPolicy.latest()));
        untilCaughtUp(0, 1);
        reading.consumer().unassign(0);
        reading.forget(0);
        reading.consumer().assign(0, StartPosition.offset(2));
        untilCaughtUp(0, 2);
        reading.consumer().seek(0, 100);
        untilCaughtUp(0, 3);

        assertEquals(List.of("caught up 0 at 3 with 3", "caught up 0 at 3 with 1", "caught up 0 at 3 with 0"),
            caughtUp(0));
    }

    @ParameterizedTest
    @EnumSource
    void shouldUseTheEndOfDeliverableRecords(final IsolationLevel level)
    {
        // one of three records can be read under read_committed
        broker.script(0, (requested) ->
        {
            final PartitionData data = requested.fetchOffset() > 0 ? OneTopicBroker.data(0, 3) :
                OneTopicBroker.data(0, 3, OneTopicBroker.batch(0, "a"));
            return data.setLastStableOffset(1);
        });
        reading = Reading.start(Reading.context(broker).isolationLevel(level));
        reading.untilCount(0, 1);
        pollSomeMore();
        assertEquals(level == IsolationLevel.READ_COMMITTED ? List.of("caught up 0 at 1 with 1") : List.of(),
            caughtUp(0));
        broker.heal(0);
        reading.until("the end", () -> caughtUp(0).size() == 1);
        pollSomeMore();

        assertEquals(level == IsolationLevel.READ_COMMITTED ? "caught up 0 at 1 with 1" : "caught up 0 at 3 with 3",
            caughtUp(0).get(0));
        assertEquals(1, caughtUp(0).size());
    }
}
