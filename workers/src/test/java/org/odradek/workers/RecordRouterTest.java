// SPDX-License-Identifier: Apache-2.0
package org.odradek.workers;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.odradek.consumer.handler.HandlerErrorPolicy;
import org.odradek.protocol.record.Record;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Tests which worker a record has, and which settings are refused. */
class RecordRouterTest
{
    private static final int KEYS = 3_000;

    private static void deliver(final Consumer<WorkersFixture> records, final Consumer<Record> handler)
    {
        try (WorkersFixture fixture = new WorkersFixture(1, HandlerErrorPolicy.STOP, (settings) -> settings.router(
            (record, workers) ->
            {
                handler.accept(record);
                return RecordRouter.DONE;
            })))
        {
            records.accept(fixture);
            fixture.dispatch();
            assertEquals(List.of(), fixture.errors);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 7})
    void shouldSpreadKeysOverAllWorkersAndKeepEach(final int workers)
    {
        final Map<String, Integer> workerOfKey = new HashMap<>();
        final int[] counts = new int[workers];
        deliver((fixture) ->
        {
            for (int i = 0; i < 2 * KEYS; i++)
            {
                fixture.record(i / KEYS, "key-" + "x".repeat(i % KEYS % 11) + i % KEYS);
            }
        }, (record) ->
        {
            final int worker = RecordRouter.BY_KEY.worker(record, workers);
            final Integer before = workerOfKey.putIfAbsent(US_ASCII.decode(record.keyByteBuffer()).toString(), worker);
            assertEquals(worker, before == null ? worker : before);
            counts[worker]++;
        });
        assertEquals(KEYS, workerOfKey.size());
        for (final int count : counts)
        {
            assertTrue(Math.abs(count - 2.0 * KEYS / workers) < 0.2 * 2 * KEYS / workers, () -> List.of(counts) + "");
        }
    }

    @Test
    void shouldChooseTheWorkerOfARecordWithoutKeyByItsPartition()
    {
        final List<Integer> workers = new ArrayList<>();
        deliver((fixture) ->
        {
            for (int p = 0; p < 20; p++)
            {
                fixture.frames().record(p, null, new byte[p]).record(p, null, null);
            }
        }, (record) -> workers.add(RecordRouter.BY_KEY.worker(record, 2)));
        for (int i = 0; i < workers.size(); i += 2)
        {
            assertEquals(workers.get(i), workers.get(i + 1));
        }
        final long first = workers.stream().filter((worker) -> worker == 0).count();
        assertTrue(first > 10 && first < 30, workers::toString);
    }

    private static void assertRefused(final String message, final WorkerSettings settings)
    {
        assertEquals(message + "", assertThrows(IllegalArgumentException.class,
            () -> Workers.of(settings, (partition, epoch, offset) -> {})).getMessage());
    }

    private static WorkerSettings settings()
    {
        return new WorkerSettings(2, (worker) -> (record) -> null);
    }

    @Test
    void shouldRefuseSettingsThatAreWrong()
    {
        assertRefused("count of the workers is 0: it must be from 1 to 1024",
            new WorkerSettings(0, (worker) -> (record) -> null));
        assertRefused("handlers of the workers is null: it must be set", new WorkerSettings(1, null));
        assertRefused("router of the workers is null: it must be set", settings().router(null));
        assertRefused("ringLength of the workers is 5000: it must be a power of two from 4096 to 1073741824",
            settings().ringLength(5000));
        assertRefused("barrierIntervalMs of the workers is 0: it must be 1 or more", settings().barrierIntervalMs(0));
        assertRefused("barrierMaxAgeMs of the workers is 9: it must be barrierIntervalMs or more, which is 10",
            settings().barrierMaxAgeMs(9));
    }

    @Test
    void shouldHaveDefaults()
    {
        assertEquals(8 * 1024 * 1024, settings().ringLength());
        assertEquals(10, settings().barrierIntervalMs());
        assertEquals(10_000, settings().barrierMaxAgeMs());
        assertEquals(2, settings().count());
        assertEquals(false, settings().skipTooLarge());
    }
}
