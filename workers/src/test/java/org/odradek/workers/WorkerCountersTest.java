// SPDX-License-Identifier: Apache-2.0
package org.odradek.workers;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.odradek.client.CountersFileReader;
import org.odradek.client.metrics.ListedCounter;
import org.odradek.consumer.CommitPolicy;
import org.odradek.consumer.ConsumerContext;
import org.odradek.consumer.GroupSettings;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

import static org.junit.jupiter.api.Assertions.assertEquals;

class WorkerCountersTest
{
    @TempDir
    private Path folder;
    private final List<String> errors = new ArrayList<>();

    @Test
    void shouldHaveAConstantForEachCounterOfTheList() throws IllegalAccessException
    {
        int count = 0;
        for (final Field field : WorkerCounters.class.getDeclaredFields())
        {
            if (Modifier.isPublic(field.getModifiers()))
            {
                final ListedCounter counter = ListedCounter.ofWorker(field.getInt(null));
                assertEquals(field.getName(), counter.name().toUpperCase(Locale.ROOT).replace(' ', '_'));
                assertEquals(field.getInt(null), counter.id());
                assertEquals(counter.name(), WorkerCounters.name(counter.id()));
                count++;
            }
        }
        assertEquals(WorkerCounters.count(), count);
    }

    /** No broker is needed for a consumer that is never polled. */
    private void assertCounted(final int workers, final int inFile)
    {
        final Path path = folder.resolve(workers + ".counters");
        final Workers connected = Workers.connect(new ConsumerContext().bootstrapServers("127.0.0.1:1").topic("topic")
            .countersFile(path)
            .group(new GroupSettings("group").commitPolicy(CommitPolicy.acknowledged()))
            .errorHandler((error) -> errors.add(error.getMessage())),
            new WorkerSettings(workers, (worker) -> (record) -> null).ringLength(4096));
        connected.counters().add(workers - 1, WorkerCounters.RECORDS, 7);
        assertEquals(7, connected.counters().get(workers - 1, WorkerCounters.RECORDS));
        final long[] values = CountersFileReader.open(path).workerValues(WorkerCounters.RECORDS);
        assertEquals(inFile, values.length);
        assertEquals(inFile == 0 ? 0 : 7, inFile == 0 ? 0 : values[workers - 1]);
        connected.close();
    }

    @Test
    void shouldCountInTheFileOfTheConsumer()
    {
        assertCounted(1, 1);
        assertCounted(3, 3);
        assertEquals(List.of(), errors);
    }

    @Test
    void shouldReportThatTheFileHasNoRoom()
    {
        assertCounted(503, 503);
        assertEquals(List.of(), errors);

        assertCounted(504, 0);

        assertEquals(List.of("The counters file has no room for the counters of 504 workers; the workers count, but " +
            "the file does not show it."), errors);
    }
}
