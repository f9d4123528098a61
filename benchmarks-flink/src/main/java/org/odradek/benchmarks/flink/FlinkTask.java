// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.flink;

import org.HdrHistogram.Histogram;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.connector.source.Source;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.connector.kafka.source.KafkaSource;
import org.apache.flink.connector.kafka.source.enumerator.initializer.OffsetsInitializer;
import org.apache.flink.runtime.checkpoint.AbstractCheckpointStats;
import org.apache.flink.runtime.checkpoint.CheckpointStatsStatus;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.runtime.jobmaster.JobResult;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.minicluster.MiniClusterConfiguration;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.odradek.benchmarks.clients.StockClient;
import org.odradek.benchmarks.report.Usage;
import org.odradek.benchmarks.rig.Child;
import org.odradek.benchmarks.rig.RigMain;
import org.odradek.benchmarks.rig.Settings;
import org.odradek.flink.OdradekSource;
import org.odradek.flink.SourceOffsets;
import org.odradek.testkit.Await;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * Runs a job in a cluster of Flink in this JVM, and obeys the words of a client. A pass over a log that is already
 * there is a job, and so is a turn on a live topic; both are cancelled in the end. Settings, besides those of
 * {@link StockClient}: {@code source} is ours or the connector's, {@code job} what the job does.
 */
public final class FlinkTask implements RigMain.Task
{
    static final String CONNECTOR = "flink-kafka";
    static final String CHAINED = "chained";
    static final String CHECKPOINTS = "checkpoints";
    private static final long LIMIT_MS = TimeUnit.MINUTES.toMillis(5);

    private final Settings settings;
    private final boolean isOurs;
    private final String job;
    private MiniCluster cluster;
    private JobID liveJob;

    public FlinkTask(final Settings settings)
    {
        this.settings = settings;
        isOurs = !settings.text("source").equals(CONNECTOR);
        job = settings.values().getOrDefault("job", CHAINED);
    }

    @Override
    public Object obey(final String word, final String argument) throws Exception
    {
        return switch (word)
        {
            case Child.OPEN -> open();
            case Child.PASS -> pass();
            case Child.RUN -> run();
            case Child.MEASURE -> measure();
            case Child.STOP -> stop();
            default -> throw new IllegalArgumentException("A job cannot do " + word + ".");
        };
    }

    private Object open() throws Exception
    {
        startCluster();
        return RigMain.state("open");
    }

    private void startCluster() throws Exception
    {
        cluster = new MiniCluster(new MiniClusterConfiguration.Builder()
            .setConfiguration(Configuration.fromMap(Map.of(
                "rest.port", "0",
                "web.checkpoints.history", "100000",
                "taskmanager.memory.managed.size", "16m",
                "taskmanager.memory.network.min", "64m",
                "taskmanager.memory.network.max", "64m")))
            .setNumTaskManagers(1)
            .setNumSlotsPerTaskManager(1)
            .build());
        cluster.start();
    }

    private Usage pass() throws Exception
    {
        final Tally tally = Tally.ofPass(Long.parseLong(settings.text("records")), settings.number("valueLength"));
        final JobID id = start(SourceOffsets.earliest(), OffsetsInitializer.earliest());
        await(id, "the last record", tally::isDone);
        final Usage usage = tally.usage();
        if (job.equals(CHECKPOINTS))
        {
            await(id, "a complete checkpoint", () -> checkpoints(id).getTotalCount() > 0);
            usage.latency = Usage.encode(checkpoints(id));
        }
        cancel(id);
        return usage;
    }

    /** How long those took that were complete. Flink tells whole milliseconds. */
    private Histogram checkpoints(final JobID id)
    {
        final Histogram durations = Usage.histogram();
        for (final AbstractCheckpointStats checkpoint :
            cluster.getExecutionGraph(id).join().getCheckpointStatsSnapshot().getHistory().getCheckpoints())
        {
            if (checkpoint.getStatus() == CheckpointStatsStatus.COMPLETED)
            {
                durations.recordValue(TimeUnit.MILLISECONDS.toNanos(Math.max(1, checkpoint.getEndToEndDuration())));
            }
        }
        return durations;
    }

    private Object run() throws Exception
    {
        startCluster();
        final Tally tally = Tally.ofLiveTopic();
        liveJob = start(SourceOffsets.latest(), OffsetsInitializer.latest());
        await(liveJob, "the first record", tally::isReading);
        return RigMain.state("running");
    }

    /** Waits for a condition, and fails at once if the job has failed. */
    private void await(final JobID id, final String what, final BooleanSupplier condition)
    {
        final CompletableFuture<JobResult> end = cluster.requestJobResult(id);
        Await.until(what, LIMIT_MS, () ->
        {
            if (end.isDone())
            {
                throw new IllegalStateException("The job has ended before " + what + ": " + end.join());
            }
            return condition.getAsBoolean();
        });
    }

    private void cancel(final JobID id)
    {
        cluster.cancelJob(id).join();
        cluster.requestJobResult(id).join();
    }

    private Object measure()
    {
        Tally.current().begin();
        return RigMain.state("measuring");
    }

    private Usage stop()
    {
        final Usage usage = Tally.current().end();
        cancel(liveJob);
        close();
        return usage;
    }

    void close()
    {
        cluster.closeAsync().join();
    }

    private JobID start(final SourceOffsets fromOurs, final OffsetsInitializer fromTheirs) throws Exception
    {
        final Map<String, String> options = new HashMap<>(Map.of(
            "pipeline.object-reuse", "true",
            "pipeline.auto-watermark-interval", "0",
            "restart-strategy.type", "none"));
        if (job.equals(CHECKPOINTS))
        {
            options.put("execution.checkpointing.interval", settings.text("checkpointIntervalMs") + " ms");
        }
        final StreamExecutionEnvironment environment =
            new StreamExecutionEnvironment(Configuration.fromMap(options));
        environment.setParallelism(1);
        final DataStream<Sample> samples = environment.fromSource(isOurs ? ours(fromOurs) : connector(fromTheirs),
            WatermarkStrategy.noWatermarks(), "source", Sample.TYPE);
        if (job.equals(CHAINED))
        {
            Counting.chained(samples);
        }
        else
        {
            Counting.keyed(samples);
        }
        final JobGraph graph = environment.getStreamGraph().getJobGraph();
        cluster.submitJob(graph).get();
        return graph.getJobID();
    }

    private Source<Sample, ?, ?> ours(final SourceOffsets from)
    {
        return OdradekSource.<Sample>builder()
            .topic(settings.text("topic"))
            .startingOffsets(from)
            .partitionDiscoveryInterval(Duration.ZERO)
            .properties(properties())
            .deserializer(new OdradekSamples())
            .build();
    }

    private Source<Sample, ?, ?> connector(final OffsetsInitializer from)
    {
        return KafkaSource.<Sample>builder()
            .setTopics(settings.text("topic"))
            .setStartingOffsets(from)
            .setProperties(properties())
            .setProperty("partition.discovery.interval.ms", "-1")
            .setDeserializer(new ConnectorSamples())
            .build();
    }

    /** The same for both. */
    private Properties properties()
    {
        final Properties properties = new Properties();
        StockClient.properties(settings).forEach(
            (name, value) -> properties.setProperty(name.toString(), value.toString()));
        return properties;
    }
}
