// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.metrics;

import org.junit.jupiter.api.Test;
import org.odradek.client.ClientCounters;
import org.odradek.client.metrics.ExportedMetric;
import org.odradek.client.metrics.ListedCounter;
import org.odradek.consumer.handler.ConsumerCounters;

import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** The constants of users and the list of counters are two places, which must agree. */
class ListedCounterTest
{
    private static void check(final Class<?> type, final boolean isOfEachClient, final List<Integer> ids)
        throws IllegalAccessException
    {
        for (final Field field : type.getDeclaredFields())
        {
            if (field.getType() == int.class)
            {
                final ListedCounter counter = ListedCounter.of(field.getInt(null));
                assertEquals(field.getName(), counter.name().toUpperCase(Locale.ROOT).replace(' ', '_'));
                assertEquals(isOfEachClient, counter.isOfEachClient(), field::toString);
                ids.add(counter.id());
            }
        }
    }

    @Test
    void shouldHaveAConstantForEachCounterInTheClassThatShowsIt() throws IllegalAccessException
    {
        final List<Integer> ids = new ArrayList<>();
        check(ClientCounters.class, true, ids);
        check(ConsumerCounters.class, false, ids);

        assertEquals(ListedCounter.count(), ids.size());
        assertEquals(ListedCounter.count(), Set.copyOf(ids).size());
    }

    @Test
    void shouldHaveEachCounterAtTheIndexThatIsItsId()
    {
        for (int id = 0; id < ListedCounter.count(); id++)
        {
            assertEquals(id, ListedCounter.of(id).id());
        }
    }

    @Test
    void shouldExportEachMetricUnderANameOfItsOwn()
    {
        final Set<String> names = new HashSet<>();
        for (final ExportedMetric metric : ListedCounter.metrics())
        {
            assertTrue(names.add(metric.prometheusName()), metric::toString);
            assertTrue(metric.help().endsWith("."), metric::toString);
        }
    }
}
