// SPDX-License-Identifier: Apache-2.0
package org.odradek.harness.model;

import org.apache.kafka.coordinator.common.runtime.CoordinatorExecutor;
import org.apache.kafka.coordinator.common.runtime.CoordinatorRecord;
import org.apache.kafka.coordinator.common.runtime.CoordinatorResult;

import java.util.LinkedHashMap;
import java.util.Map;

/** What a group coordinator does in the background, such as an assignment: it is run after the operation that asked. */
final class GroupTasks implements CoordinatorExecutor<CoordinatorRecord>
{
    /** Something to do, and what is done with its result. */
    record Task<R>(TaskRunnable<R> runnable, TaskOperation<CoordinatorRecord, R> operation)
    {
        CoordinatorResult<Void, CoordinatorRecord> run()
        {
            R result = null;
            Throwable failure = null;
            try
            {
                result = runnable.run();
            }
            catch (final Throwable ex)
            {
                failure = ex;
            }
            return operation.onComplete(result, failure);
        }
    }

    private final Map<String, Task<?>> tasks = new LinkedHashMap<>();

    /** Removes the first task; null if there is none. */
    Task<?> poll()
    {
        return tasks.isEmpty() ? null : tasks.remove(tasks.keySet().iterator().next());
    }

    @Override
    public <R> boolean schedule(
        final String key, final TaskRunnable<R> runnable, final TaskOperation<CoordinatorRecord, R> operation)
    {
        return tasks.putIfAbsent(key, new Task<>(runnable, operation)) == null;
    }

    @Override
    public boolean isScheduled(final String key)
    {
        return tasks.containsKey(key);
    }

    @Override
    public void cancel(final String key)
    {
        tasks.remove(key);
    }
}
