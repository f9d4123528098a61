// SPDX-License-Identifier: Apache-2.0
package org.odradek.flink;

import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.runtime.client.JobStatusMessage;
import org.apache.flink.runtime.execution.ExecutionState;
import org.apache.flink.runtime.executiongraph.AccessExecutionVertex;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.runtime.jobgraph.SavepointRestoreSettings;
import org.apache.flink.runtime.jobmaster.JobResult;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.minicluster.MiniClusterConfiguration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.types.LongValue;
import org.odradek.testkit.Await;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** A cluster of Flink in this JVM that runs jobs of a source and a {@link Tally}. */
final class FlinkJobs implements AutoCloseable
{
    private static final long LIMIT_MS = 120_000;

    private final MiniCluster cluster;

    FlinkJobs() throws Exception
    {
        cluster = new MiniCluster(new MiniClusterConfiguration.Builder()
            .setConfiguration(Configuration.fromMap(Map.of(
                "rest.port", "0",
                "taskmanager.memory.managed.size", "8m",
                "taskmanager.memory.network.min", "8m",
                "taskmanager.memory.network.max", "8m")))
            .setNumTaskManagers(1)
            .setNumSlotsPerTaskManager(4)
            .build());
        cluster.start();
    }

    /** Returns settings of a job that takes a checkpoint every 50 ms, and ends at its first failure. */
    static Map<String, String> settings()
    {
        final Map<String, String> settings = new HashMap<>();
        settings.put("execution.checkpointing.interval", "50ms");
        settings.put("restart-strategy.type", "none");
        settings.put("pipeline.object-reuse", "true");
        settings.put("pipeline.auto-watermark-interval", "5ms");
        return settings;
    }

    /** Starts a job, if wanted from a savepoint. */
    JobID start(
        final OdradekSource<LongValue> source,
        final WatermarkStrategy<LongValue> watermarks,
        final int parallelism,
        final Map<String, String> settings,
        final String savepoint) throws Exception
    {
        final StreamExecutionEnvironment environment =
            new StreamExecutionEnvironment(Configuration.fromMap(settings));
        environment.setParallelism(parallelism);
        environment.fromSource(source, watermarks, "source").uid("source")
            .flatMap(new Tally()).uid("tally").returns(LongValue.class)
            .sinkTo(new DiscardingSink<>()).uid("sink");
        final JobGraph graph = environment.getStreamGraph().getJobGraph();
        if (savepoint != null)
        {
            graph.setSavepointRestoreSettings(SavepointRestoreSettings.forPath(savepoint, false));
        }
        cluster.submitJob(graph).get();
        return graph.getJobID();
    }

    JobID start(final OdradekSource<LongValue> source, final int parallelism) throws Exception
    {
        return start(source, WatermarkStrategy.noWatermarks(), parallelism, settings(), null);
    }

    /** Waits for a condition, and fails at once if the job has failed. */
    void await(final JobID job, final String what, final BooleanSupplier condition)
    {
        Await.until(what, LIMIT_MS, () ->
        {
            final JobStatus status = cluster.getJobStatus(job).join();
            if (status == JobStatus.FAILED)
            {
                throw new AssertionError("the job has failed", failure(job));
            }
            return condition.getAsBoolean();
        });
    }

    /** Waits until the job has emitted so many records. */
    void awaitCount(final JobID job, final long count)
    {
        await(job, count + " records", () -> Tally.count() >= count);
    }

    /** Waits until the job has ended by itself. */
    void awaitEnd(final JobID job) throws Exception
    {
        result(job).toJobExecutionResult(getClass().getClassLoader());
    }

    /** Waits until the job has failed, and returns why. */
    Throwable failure(final JobID job)
    {
        return result(job).getSerializedThrowable()
            .orElseThrow(() -> new AssertionError("the job has not failed"))
            .deserializeError(getClass().getClassLoader());
    }

    private JobResult result(final JobID job)
    {
        return cluster.requestJobResult(job).orTimeout(LIMIT_MS, TimeUnit.MILLISECONDS).join();
    }

    void cancel(final JobID job)
    {
        cluster.cancelJob(job).join();
        result(job);
    }

    /** Takes a savepoint and ends the job. Flink refuses a savepoint before all tasks run. */
    String stop(final JobID job, final Path folder)
    {
        await(job, "all tasks", () -> isRunning(job));
        final String path = cluster.stopWithSavepoint(job, folder.toUri().toString(), false,
            SavepointFormatType.CANONICAL).orTimeout(LIMIT_MS, TimeUnit.MILLISECONDS).join();
        result(job);
        return path;
    }

    private boolean isRunning(final JobID job)
    {
        for (final AccessExecutionVertex task : cluster.getExecutionGraph(job).join().getAllExecutionVertices())
        {
            if (task.getExecutionState() != ExecutionState.RUNNING)
            {
                return false;
            }
        }
        return true;
    }

    /** Ends the jobs that a failed test has left. */
    void cancelAll() throws Exception
    {
        for (final JobStatusMessage job : cluster.listJobs().get())
        {
            if (!job.getJobState().isGloballyTerminalState())
            {
                cancel(job.getJobId());
            }
        }
    }

    @Override
    public void close()
    {
        cluster.closeAsync().join();
    }
}
