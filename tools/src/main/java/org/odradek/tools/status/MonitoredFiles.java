// SPDX-License-Identifier: Apache-2.0
package org.odradek.tools.status;

import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import org.odradek.client.ClientKind;
import org.odradek.client.CountersFileReader;
import org.odradek.client.metrics.ExportedMetric;
import org.odradek.client.metrics.ListedCounter;
import org.odradek.consumer.handler.ConsumerCounters;
import org.odradek.protocol.PrintableText;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Reads the counters files of consumers and publishers as metrics of Prometheus and as answers to probes. The files are
 * looked for each time, so clients may come, go and be started again. Any thread may use it.
 */
final class MonitoredFiles
{
    private static final String TOTAL = "_total";
    private static final double MS_PER_SECOND = 1e3;
    private static final int MAX_FILES = 512;
    /** The bytes of heap that a sample, its text and copies of that may take. */
    private static final int SAMPLE_LENGTH = 900;
    /** Stands for bytes of a name that are no characters. */
    private static final char UNDECODABLE = '\uFFFD';

    /**
     * What a probe accepts.
     *
     * @param maxPollAgeMs      since the last poll of a consumer, or the last work of a publisher.
     * @param maxHeartbeatAgeMs since the last confirmed heartbeat of a member of a group.
     * @param maxLag            of a partition of a consumer that is ready.
     */
    record Limits(long maxPollAgeMs, long maxHeartbeatAgeMs, long maxLag)
    {
    }

    /** @param length of the file when it was opened. */
    private record OpenFile(CountersFileReader reader, long length)
    {
    }

    private final List<String> patterns;
    private final Limits limits;
    /** In the order in which they were found, so that a new file does not take the place of one that is known. */
    private final Map<Path, OpenFile> files = new LinkedHashMap<>();
    /** Files that match a pattern and are no counters files, when the files were looked for last. */
    private int ignored;

    /**
     * @param patterns paths of files; the last element of each may be a pattern such as {@code *.counters}.
     * @param limits   of the probes.
     * @throws IllegalArgumentException if a pattern or path is malformed.
     */
    MonitoredFiles(final List<String> patterns, final Limits limits)
    {
        this.patterns = patterns;
        this.limits = limits;
        for (final String pattern : patterns)
        {
            final Path name = Path.of(pattern).getFileName();
            if (name == null)
            {
                throw new IllegalArgumentException(pattern + " must name a file");
            }
            FileSystems.getDefault().getPathMatcher("glob:" + name);
        }
    }

    /** All metrics of all clients. */
    synchronized MetricSnapshots metrics(final long nowMs)
    {
        final Samples samples = new Samples();
        read((path, problem) -> samples.add(ExportedMetric.UP, Labels.of("topic", "", "client", path.toString()), 0),
            (file) -> addAll(samples, file, nowMs));
        samples.add(ExportedMetric.IGNORED_FILES, Labels.EMPTY, ignored);
        return samples.snapshots();
    }

    private void addAll(final Samples samples, final CountersFileReader file, final long nowMs)
    {
        final long[] nextOffsets = file.partitionValues(CountersFileReader.NEXT_OFFSET_TYPE_ID);
        final List<ShownCounter> counters = ShownCounter.of(file);
        if (!samples.hasRoomFor(counters.size(), known(nextOffsets)))
        {
            ignored++;
            return;
        }
        final Labels labels = Labels.of("topic", file.topic(), "client", file.path().toString());
        for (final ShownCounter counter : counters)
        {
            if (counter.metric() != null)
            {
                samples.add(counter.metric(), counter.worker() == ShownCounter.NO_WORKER ? labels :
                    labels.add("worker", String.valueOf(counter.worker())), counter.metric().value(counter.value()));
            }
        }
        samples.add(ExportedMetric.UP, labels, file.isUp(nowMs, limits.maxPollAgeMs) ? 1 : 0);
        samples.add(ExportedMetric.CLOSED, labels, file.endMs() == 0 ? 0 : 1);
        samples.add(ExportedMetric.START_TIME, labels, file.startMs() / MS_PER_SECOND);
        samples.add(ExportedMetric.LAST_POLL_AGE, labels, file.pollAgeMs(nowMs) / MS_PER_SECOND);
        if (file.kind() == ClientKind.CONSUMER)
        {
            addOfConsumer(samples, labels, file, nextOffsets, nowMs);
        }
    }

    private static void addOfConsumer(
        final Samples samples, final Labels labels, final CountersFileReader file, final long[] nextOffsets,
        final long nowMs)
    {
        final long heartbeatAgeMs = heartbeatAgeMs(file, nowMs);
        if (heartbeatAgeMs >= 0)
        {
            samples.add(ExportedMetric.LAST_HEARTBEAT_AGE, labels, heartbeatAgeMs / MS_PER_SECOND);
        }
        samples.add(ExportedMetric.PARTITIONS, labels, known(nextOffsets));
        samples.addPartitions(ExportedMetric.NEXT_OFFSET, labels, nextOffsets);
        samples.addPartitions(ExportedMetric.HIGH_WATERMARK, labels,
            file.partitionValues(CountersFileReader.HIGH_WATERMARK_TYPE_ID));
        samples.addPartitions(ExportedMetric.LAG, labels, file.partitionValues(CountersFileReader.LAG_TYPE_ID));
    }

    /** Returns -1 while no heartbeat is expected. */
    private static long heartbeatAgeMs(final CountersFileReader file, final long nowMs)
    {
        final long confirmedMs = file.total(ConsumerCounters.LAST_HEARTBEAT_MS);
        return confirmedMs == 0 ? -1 : Math.max(0, nowMs - confirmedMs);
    }

    private static int known(final long[] values)
    {
        int count = 0;
        for (final long value : values)
        {
            count += value >= 0 ? 1 : 0;
        }
        return count;
    }

    /** One sentence for each client that is open and hangs; empty if there is none. */
    synchronized List<String> hung(final long nowMs)
    {
        final List<String> sentences = new ArrayList<>();
        read((path, problem) -> { }, (file) -> addIf(sentences, hung(file, nowMs)));
        return sentences;
    }

    /** One sentence for each client that is not ready, or one if there is no client; empty if all are ready. */
    synchronized List<String> notReady(final long nowMs)
    {
        final List<String> sentences = new ArrayList<>();
        final int[] count = {0};
        read((path, problem) -> sentences.add(problem), (file) ->
        {
            count[0]++;
            addIf(sentences, notReady(file, nowMs));
        });
        if (count[0] == 0 && sentences.isEmpty())
        {
            sentences.add("There is no counters file at " + String.join(", ", patterns) + ".");
        }
        return sentences;
    }

    private static void addIf(final List<String> sentences, final String sentence)
    {
        if (sentence != null)
        {
            sentences.add(sentence);
        }
    }

    private String hung(final CountersFileReader file, final long nowMs)
    {
        final long heartbeatAgeMs = heartbeatAgeMs(file, nowMs);
        if (file.endMs() != 0)
        {
            return null;
        }
        if (file.pollAgeMs(nowMs) > limits.maxPollAgeMs)
        {
            return tooOld(file, file.kind() == ClientKind.CONSUMER ? "was last polled" : "last worked",
                file.pollAgeMs(nowMs), limits.maxPollAgeMs);
        }
        return heartbeatAgeMs > limits.maxHeartbeatAgeMs ?
            tooOld(file, "had its last heartbeat confirmed", heartbeatAgeMs, limits.maxHeartbeatAgeMs) : null;
    }

    private String notReady(final CountersFileReader file, final long nowMs)
    {
        if (file.endMs() != 0)
        {
            return name(file) + " is closed.";
        }
        final long stopped = stoppedPartitions(file);
        if (stopped > 0)
        {
            return name(file) + " has " + stopped + (stopped == 1 ? " partition that has" : " partitions that have") +
                " stopped.";
        }
        // A publisher reads nothing. A member of a group may own no partition, and be ready all the same.
        final long[] lags = file.partitionValues(CountersFileReader.LAG_TYPE_ID);
        if (file.kind() == ClientKind.CONSUMER && heartbeatAgeMs(file, nowMs) < 0 &&
            known(file.partitionValues(CountersFileReader.NEXT_OFFSET_TYPE_ID)) == 0)
        {
            return name(file) + " has no partition whose next offset is known.";
        }
        for (int p = 0; p < lags.length; p++)
        {
            if (lags[p] > limits.maxLag)
            {
                return name(file) + " has a lag of " + lags[p] + " on partition " + p + "; the limit is " +
                    limits.maxLag + ".";
            }
        }
        return hung(file, nowMs);
    }

    private static long stoppedPartitions(final CountersFileReader file)
    {
        final int id = ListedCounter.STOPPED_PARTITIONS_OF_PUBLISHER;
        final long[] ofPublisher = file.publisherTotals();
        return file.kind() == ClientKind.CONSUMER ? file.total(ConsumerCounters.STOPPED_PARTITIONS) :
            id < ofPublisher.length ? ofPublisher[id] : 0;
    }

    private static String tooOld(final CountersFileReader file, final String what, final long ageMs, final long limitMs)
    {
        return String.format(Locale.ROOT, "%s %s %.1f s ago; the limit is %.1f s.", name(file), what,
            ageMs / MS_PER_SECOND, limitMs / MS_PER_SECOND);
    }

    private static String name(final CountersFileReader file)
    {
        return (file.kind() == ClientKind.CONSUMER ? "The consumer of topic " + file.topic() : "The publisher") +
            " at " + file.path();
    }

    /** Receives a file that cannot be read. */
    @FunctionalInterface
    private interface ProblemHandler
    {
        void onProblem(Path path, String problem);
    }

    /** Receives a file. */
    @FunctionalInterface
    private interface FileHandler
    {
        void onFile(CountersFileReader file);
    }

    private void read(final ProblemHandler problemHandler, final FileHandler fileHandler)
    {
        final TreeSet<Path> paths = new TreeSet<>();
        ignored = 0;
        patterns.forEach((pattern) -> addMatches(Path.of(pattern), paths));
        files.keySet().retainAll(paths);
        final Set<Path> inOrder = new LinkedHashSet<>(files.keySet());
        inOrder.addAll(paths);
        ignored += Math.max(0, inOrder.size() - MAX_FILES);
        for (final Path path : inOrder.stream().limit(MAX_FILES).toList())
        {
            try
            {
                OpenFile file = files.get(path);
                if (file == null || file.reader.isReplaced())
                {
                    file = new OpenFile(CountersFileReader.open(path), length(path));
                    files.put(path, file);
                }
                if (length(path) < file.length)
                {
                    // The JVM would throw an InternalError, sooner or later.
                    throw new IllegalArgumentException(path + " was cut off");
                }
                fileHandler.onFile(file.reader);
            }
            catch (final IllegalArgumentException ex)
            {
                problemHandler.onProblem(path, ex.getMessage() + ".");
            }
        }
    }

    private static long length(final Path path)
    {
        try
        {
            return Files.size(path);
        }
        catch (final IOException ex)
        {
            throw new IllegalArgumentException(path + " cannot be read: " + ex, ex);
        }
    }

    private void addMatches(final Path path, final TreeSet<Path> paths)
    {
        final String name = path.getFileName().toString();
        if (!name.matches(".*[*?\\[{].*"))
        {
            paths.add(path);
            return;
        }
        final Path folder = path.getParent() == null ? Path.of(".") : path.getParent();
        if (Files.isDirectory(folder))
        {
            try (DirectoryStream<Path> matches = Files.newDirectoryStream(folder, name))
            {
                for (final Path match : matches)
                {
                    // A file with this suffix is being created, and will have another name.
                    if (!match.toString().endsWith(".new"))
                    {
                        addMatch(match, paths);
                    }
                }
            }
            catch (final IOException ex)
            {
                throw new IllegalStateException(folder + " cannot be listed: " + ex, ex);
            }
        }
    }

    /**
     * Adds a file unless it is none of a client: others may create files in the folder, too. They could forge lines
     * of answers and logs with control characters in a name, and two names that cannot be decoded could be equal when
     * they are shown. A file that has been read is no longer ignored, whatever becomes of it.
     */
    private void addMatch(final Path match, final TreeSet<Path> paths)
    {
        final String text = match.toString();
        if (PrintableText.isPrintable(text) && text.indexOf(UNDECODABLE) < 0 &&
            (files.containsKey(match) || CountersFileReader.isCountersFile(match)))
        {
            paths.add(match);
        }
        else
        {
            ignored++;
        }
    }

    /** The values of each metric, of all clients. */
    private static final class Samples
    {
        private final Map<ExportedMetric, CounterSnapshot.Builder> counters = new LinkedHashMap<>();
        private final Map<ExportedMetric, GaugeSnapshot.Builder> gauges = new LinkedHashMap<>();
        private long count;

        /** Returns true if there is memory for the samples of so many counters and partitions, and for their text. */
        boolean hasRoomFor(final int counterCount, final int partitions)
        {
            return (count + 3L * partitions + counterCount) * SAMPLE_LENGTH <= Runtime.getRuntime().maxMemory();
        }

        void add(final ExportedMetric metric, final Labels labels, final double value)
        {
            count++;
            if (metric.isCounter())
            {
                counters.computeIfAbsent(metric, (ignore) -> named(metric, CounterSnapshot.builder()))
                    .dataPoint(CounterDataPointSnapshot.builder().labels(labels).value(value).build());
            }
            else
            {
                gauges.computeIfAbsent(metric, (ignore) -> named(metric, GaugeSnapshot.builder()))
                    .dataPoint(GaugeDataPointSnapshot.builder().labels(labels).value(value).build());
            }
        }

        void addPartitions(final ExportedMetric metric, final Labels labels, final long[] values)
        {
            for (int p = 0; p < values.length; p++)
            {
                if (values[p] >= 0)
                {
                    add(metric, labels.add("partition", String.valueOf(p)), values[p]);
                }
            }
        }

        private static <T extends MetricSnapshot.Builder<T>> T named(final ExportedMetric metric, final T builder)
        {
            final String name = metric.prometheusName();
            return builder.help(metric.help())
                .name(metric.isCounter() ? name.substring(0, name.length() - TOTAL.length()) : name);
        }

        MetricSnapshots snapshots()
        {
            final MetricSnapshots.Builder all = MetricSnapshots.builder();
            counters.values().forEach((counter) -> all.metricSnapshot(counter.build()));
            gauges.values().forEach((gauge) -> all.metricSnapshot(gauge.build()));
            return all.build();
        }
    }
}
