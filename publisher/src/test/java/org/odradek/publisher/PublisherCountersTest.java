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
import java.util.stream.IntStream;

import static org.junit.jupiter.api.Assertions.assertEquals;
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
                assertTrue(counter.isOfPublisher() ? counter.id() == id : counter.isOfEachClient(), field::toString);
                ids.add(id);
            }
        }
        assertEquals(IntStream.range(0, PublisherCounters.count()).boxed().toList(), ids);
    }

    @Test
    void shouldReadWhatEachClientCounts()
    {
        ofClient.add(ClientCounters.LISTENER_ERRORS, 3);
        ofClient.add(ClientCounters.BUDGET_EXCEEDED_BYTES, 40);

        assertEquals(3, counters.get(PublisherCounters.LISTENER_ERRORS));
        assertEquals(40, counters.get(PublisherCounters.BUDGET_EXCEEDED_BYTES));
        assertEquals(3, counters.ofClient().get(ClientCounters.LISTENER_ERRORS));
    }

    @Test
    void shouldAddToEachOfItsOwn()
    {
        for (int id = 0; id < PublisherCounters.count(); id++)
        {
            if (ListedCounter.ofPublisher(id).isOfPublisher())
            {
                counters.add(id, 100 + id);
            }
        }

        for (int id = 0; id < PublisherCounters.count(); id++)
        {
            assertEquals(ListedCounter.ofPublisher(id).isOfPublisher() ? 100 + id : 0, counters.get(id));
        }
        assertTrue(counters.toString().startsWith("records=100, records acknowledged=101, "), counters::toString);
        assertTrue(counters.toString().endsWith(", claims aborted=114, "), counters::toString);
    }
}
