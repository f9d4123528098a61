// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.fetch;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.odradek.consumer.StartPosition;
import org.odradek.consumer.handler.ConsumerCounters;
import org.odradek.consumer.support.OneTopicBroker;
import org.odradek.consumer.support.Reading;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import static org.junit.jupiter.api.Assertions.assertEquals;

/**
 * Tests how the partitions of one broker are distributed over several connections.
 */
@Timeout(120)
class FetchConnectionsTest
{
    private static final Pattern FETCHER =
        Pattern.compile("fetcher: broker \\d+ at [^ ,]+(?:, connection (\\d))? \\w+, (\\d+) partitions");

    private OneTopicBroker broker;
    private Reading reading;

    @AfterEach
    void close()
    {
        reading.close();
        broker.close();
    }

    private void start(final int partitions, final int connections)
    {
        broker = OneTopicBroker.start(partitions);
        for (int p = 0; p < partitions; p++)
        {
            broker.append(p, "first", "second");
        }
        reading = Reading.start(Reading.context(broker).fetchConnections(connections));
        for (int p = 0; p < partitions; p++)
        {
            reading.untilCount(p, 2);
        }
    }

    /** The number of partitions by the number of the connection. */
    private Map<Integer, Integer> distribution()
    {
        final Map<Integer, Integer> counts = new TreeMap<>();
        final Matcher matcher = FETCHER.matcher(reading.consumer().describe());
        while (matcher.find())
        {
            final int number = matcher.group(1) == null ? 0 : Integer.parseInt(matcher.group(1));
            counts.put(number, Integer.parseInt(matcher.group(2)));
        }
        return counts;
    }

    @Test
    void shouldUseOneConnectionUnlessToldOtherwise()
    {
        broker = OneTopicBroker.start(3).append(0, "value");
        reading = Reading.start(Reading.context(broker));
        reading.untilCount(0, 1);

        assertEquals(Map.of(0, 3), distribution());
    }

    @Test
    void shouldDistributePartitionsEvenly()
    {
        start(8, 3);

        assertEquals(Map.of(0, 3, 1, 3, 2, 2), distribution());
        for (int p = 0; p < 8; p++)
        {
            assertEquals(Arrays.asList("first", "second"), reading.values(p));
        }
    }

    @Test
    void shouldOpenNoConnectionWithoutAPartition()
    {
        start(2, 8);

        assertEquals(Map.of(0, 1, 1, 1), distribution());
    }

    @Test
    void shouldMoveNoPartitionThatStays()
    {
        start(4, 2);
        assertEquals(Map.of(0, 2, 1, 2), distribution());

        reading.consumer().unassign(0);
        reading.consumer().unassign(2);
        reading.until("one connection", () -> distribution().equals(Map.of(1, 2)));
        reading.consumer().assign(0, StartPosition.offset(2));
        broker.append(0, "third");
        reading.until("another partition", () -> distribution().equals(Map.of(0, 1, 1, 2)));
        broker.append(1, "third").append(3, "third");
        for (final int p : new int[] {0, 1, 3})
        {
            reading.untilCount(p, 3);
        }

        assertEquals(0, reading.consumer().counters().get(ConsumerCounters.BYTES_DISCARDED));
        assertEquals(List.of("first", "second", "third"), reading.values(0));
    }
}
