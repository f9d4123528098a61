// SPDX-License-Identifier: Apache-2.0
package org.odradek.harness.model;

import org.apache.kafka.common.utils.Time;
import org.apache.kafka.coordinator.common.runtime.CoordinatorRecord;
import org.apache.kafka.coordinator.common.runtime.CoordinatorTimer;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** The time and the timers of a group coordinator, which pass only in {@link #next}. */
final class GroupTimers implements Time, CoordinatorTimer<CoordinatorRecord>
{
    /** An operation at a time. */
    record Timeout(long timeMs, TimeoutOperation<CoordinatorRecord> operation)
    {
    }

    private static final long NS_PER_MS = 1_000_000;

    private final Map<String, Timeout> timeouts = new LinkedHashMap<>();
    private long nowMs;

    GroupTimers(final long nowMs)
    {
        this.nowMs = nowMs;
    }

    /**
     * Lets time pass until the next operation is due.
     *
     * @return the operation, or null if none is due until this time.
     */
    Timeout next(final long untilMs)
    {
        String earliest = null;
        for (final Map.Entry<String, Timeout> timeout : timeouts.entrySet())
        {
            if (timeout.getValue().timeMs() <= untilMs &&
                (earliest == null || timeout.getValue().timeMs() < timeouts.get(earliest).timeMs()))
            {
                earliest = timeout.getKey();
            }
        }
        final Timeout due = timeouts.remove(earliest);
        nowMs = Math.max(nowMs, due == null ? untilMs : due.timeMs());
        return due;
    }

    /** Returns when the next operation is due, or {@link Long#MAX_VALUE}. */
    long nextMs()
    {
        return timeouts.values().stream().mapToLong(Timeout::timeMs).min().orElse(Long.MAX_VALUE);
    }

    @Override
    public void schedule(
        final String key,
        final long delay,
        final TimeUnit unit,
        final boolean isRetried,
        final TimeoutOperation<CoordinatorRecord> operation)
    {
        timeouts.remove(key);
        timeouts.put(key, new Timeout(nowMs + unit.toMillis(delay), operation));
    }

    @Override
    public void schedule(
        final String key,
        final long delay,
        final TimeUnit unit,
        final boolean isRetried,
        final long retryBackoff,
        final TimeoutOperation<CoordinatorRecord> operation)
    {
        schedule(key, delay, unit, isRetried, operation);
    }

    @Override
    public void scheduleIfAbsent(
        final String key,
        final long delay,
        final TimeUnit unit,
        final boolean isRetried,
        final TimeoutOperation<CoordinatorRecord> operation)
    {
        if (!isScheduled(key))
        {
            schedule(key, delay, unit, isRetried, operation);
        }
    }

    @Override
    public void cancel(final String key)
    {
        timeouts.remove(key);
    }

    @Override
    public boolean isScheduled(final String key)
    {
        return timeouts.containsKey(key);
    }

    @Override
    public long milliseconds()
    {
        return nowMs;
    }

    @Override
    public long nanoseconds()
    {
        return nowMs * NS_PER_MS;
    }

    @Override
    public void sleep(final long ms)
    {
        throw new UnsupportedOperationException("the coordinator does not wait");
    }

    @Override
    public void waitObject(final Object object, final Supplier<Boolean> condition, final long deadlineMs)
    {
        throw new UnsupportedOperationException("the coordinator does not wait");
    }
}
