// SPDX-License-Identifier: Apache-2.0
package org.odradek.publisher;

import org.junit.jupiter.api.Test;
import org.odradek.client.ClientCounters;
import org.odradek.client.core.CounterWriter;
import org.odradek.client.metrics.ListedCounter;

import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class PublisherCountersTest
{
    private final CounterWriter ofClient = new CounterWriter();
    private final PublisherCounters counters = new PublisherCounters(ofClient, null);

    /** The constants of users and the list of counters are two places, which must agree. */
    @Test
    void shouldHaveAConstantForEachCounterOfTheList() throws IllegalAccessException
    {
        final List<Integer> ids = new ArrayList<>();
        for (final Field field : PublisherCounters.class.getDeclaredFields())
        {
            if (field.getType() == int.class)
            {
                final int id = field.getInt(null);
                final ListedCounter counter = ListedCounter.ofPublisher(id);
                assertEquals(field.getName(), counter.name().toUpperCase(Locale.ROOT).replace(' ', '_'));
                assertTrue(counter.isOfPublisher(), field::toString);
                assertEquals(id, counter.id());
                ids.add(id);
            }
        }
        final int first = ListedCounter.FIRST_ID_OF_PUBLISHER;
        assertEquals(IntStream.range(first, first + ListedCounter.publisherCount()).boxed().toList(), ids);
        assertTrue(ClientCounters.count() <= first, "an id must not mean two counters");
    }

    @Test
    void shouldReadWhatEachClientCounts()
    {
        ofClient.add(ClientCounters.CONNECTS, 3);
        ofClient.add(ClientCounters.BUDGET_EXCEEDED_BYTES, 40);
        counters.add(PublisherCounters.BATCHES_ACKNOWLEDGED, 5);

        assertEquals(3, counters.get(ClientCounters.CONNECTS));
        assertEquals("connects", PublisherCounters.name(ClientCounters.CONNECTS));
        assertEquals(40, counters.get(ClientCounters.BUDGET_EXCEEDED_BYTES));
        assertEquals("batches acknowledged=5, connects=3, budget exceeded bytes=40", counters.toString());
    }

    @Test
    void shouldRefuseTheIdsThatItDoesNotHave()
    {
        final Set<Integer> ids = IntStream.of(PublisherCounters.ids()).boxed().collect(Collectors.toSet());
        assertEquals(ListedCounter.shownByPublisher().size(), ids.size());
        IntStream.concat(IntStream.range(-1, 200), IntStream.of(Integer.MIN_VALUE, Integer.MAX_VALUE)).forEach((id) ->
        {
            if (ids.contains(id))
            {
                assertEquals(0, counters.get(id));
                assertEquals(id, ListedCounter.ofPublisher(id).id());
            }
            else
            {
                assertThrows(IndexOutOfBoundsException.class, () -> counters.get(id), () -> "id " + id);
                assertThrows(IndexOutOfBoundsException.class, () -> PublisherCounters.name(id), () -> "id " + id);
            }
        });
    }

    @Test
    void shouldAddToEachOfItsOwn()
    {
        for (int id = PublisherCounters.RECORDS; id <= PublisherCounters.STOPPED_PARTITIONS; id++)
        {
            counters.add(id, id);
        }

        for (final int id : PublisherCounters.ids())
        {
            assertEquals(ListedCounter.ofPublisher(id).isOfPublisher() ? id : 0, counters.get(id));
        }
        assertTrue(counters.toString().startsWith("records=100, records acknowledged=101, "), counters::toString);
        assertTrue(counters.toString().endsWith(", stopped partitions=113"), counters::toString);
    }
}
