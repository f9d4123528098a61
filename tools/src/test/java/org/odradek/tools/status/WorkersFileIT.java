// SPDX-License-Identifier: Apache-2.0
package org.odradek.tools.status;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.odradek.client.CountersFileReader;
import org.odradek.client.metrics.ListedCounter;
import org.odradek.consumer.CommitPolicy;
import org.odradek.consumer.ConsumerContext;
import org.odradek.consumer.GroupSettings;
import org.odradek.consumer.StartPosition;
import org.odradek.testkit.Await;
import org.odradek.testkit.EmbeddedBroker;
import org.odradek.workers.WorkerCounters;
import org.odradek.workers.WorkerSettings;
import org.odradek.workers.Workers;
import picocli.CommandLine;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** The commands read the counters of two workers from the counters file of their real consumer. */
class WorkersFileIT
{
    private static final int[] RECORDS = {1_234, 567};
    private static final int RECORD_LIMIT = 1_000;
    private static final int DAY_MS = 86_400_000;

    @TempDir
    private Path folder;

    private Path path()
    {
        return folder.resolve("a.counters");
    }

    /** Each worker has a partition, and worker 1 fails on its last record. */
    private Workers connect(final EmbeddedBroker broker)
    {
        return Workers.connect(new ConsumerContext().bootstrapServers(broker.bootstrapServers()).topic("prices")
            .startPosition(StartPosition.earliest()).countersFile(path())
            .errorHandler((error) -> { })
            .group(new GroupSettings("prices").commitPolicy(CommitPolicy.acknowledged())),
            new WorkerSettings(2, (worker) -> (record) ->
            {
                if (worker.index() == 1 && record.offset() == RECORDS[1] - 1)
                {
                    throw new IllegalStateException("the last record");
                }
                return null;
            }).router((record, workers) -> record.partition()));
    }

    /** Returns when both workers have done what they can, and the dispatcher has shown it. */
    private static void work(final Workers workers, final CountersFileReader file)
    {
        Await.until("all records", () ->
        {
            workers.consumer().controlledPoll(workers.handler(), RECORD_LIMIT);
            workers.doWork();
            workers.worker(0).doWork();
            workers.worker(1).doWork();
            final long[] ringBytes = file.workerValues(WorkerCounters.RING_BYTES);
            final long[] ages = file.workerValues(WorkerCounters.BARRIER_AGE_NS);
            final WorkerCounters counters = workers.counters();
            return counters.get(0, WorkerCounters.RECORDS) == RECORDS[0] &&
                counters.get(1, WorkerCounters.STATE) == 1 && ringBytes[0] == 0 &&
                ringBytes[1] == counters.get(1, WorkerCounters.RING_BYTES) && ages[0] == 0 && ages[1] > 0;
        });
    }

    @Test
    void shouldShowWhatEachWorkerCounts() throws Exception
    {
        try (EmbeddedBroker broker = EmbeddedBroker.start())
        {
            broker.createTopic("prices", 2);
            for (int p = 0; p < 2; p++)
            {
                broker.produce("prices", p, RECORDS[p], (i) -> new byte[10]);
            }
            try (Workers workers = connect(broker))
            {
                work(workers, CountersFileReader.open(path()));
                assertStat(workers.counters());
                assertServed(workers.counters());
            }
        }
    }

    private void assertStat(final WorkerCounters counters)
    {
        final StringWriter shown = new StringWriter();
        final CommandLine commandLine = new CommandLine(new StatusCommands.Stat());
        commandLine.setOut(new PrintWriter(shown, true));
        assertEquals(0, commandLine.execute(path().toString()));
        final List<String> lines = shown.toString().lines().map((line) -> line.replaceAll("  +", " ")).toList();
        assertTrue(lines.contains("records of worker 0 1,234"), shown::toString);
        assertTrue(lines.contains("records of worker 1 566"), shown::toString);
        for (final ListedCounter counter : counters())
        {
            for (int w = 0; w < 2; w++)
            {
                final String line = String.format(
                    Locale.ROOT, "%s of worker %d %,d", counter.name(), w, counters.get(w, counter.id()));
                assertTrue(lines.contains(line), () -> line + " in " + shown);
            }
        }
    }

    private static List<ListedCounter> counters()
    {
        return IntStream.range(0, ListedCounter.workerCount()).mapToObj(ListedCounter::ofWorker).toList();
    }

    private void assertServed(final WorkerCounters counters) throws Exception
    {
        final MonitoredFiles files = new MonitoredFiles(
            List.of(path().toString()), new MonitoredFiles.Limits(DAY_MS, DAY_MS, 0));
        try (MetricsServer server = new MetricsServer(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), files))
        {
            new Thread(server, "metrics").start();
            final String metrics = HttpClient.newHttpClient().send(HttpRequest.newBuilder(
                URI.create("http://127.0.0.1:" + server.address().getPort() + "/metrics")).build(),
                HttpResponse.BodyHandlers.ofString()).body();
            final String labels = "{client=\"" + path() + "\",topic=\"prices\",worker=\"";
            assertTrue(metrics.contains("odradek_worker_records_total" + labels + "0\"} 1234.0\n"), metrics);
            assertTrue(metrics.contains("odradek_worker_records_total" + labels + "1\"} 566.0\n"), metrics);
            for (final ListedCounter counter : counters())
            {
                for (int w = 0; w < 2; w++)
                {
                    final String line = counter.metric() + labels + w + "\"} " +
                        counter.metric().value(counters.get(w, counter.id()));
                    assertTrue(metrics.contains(line + "\n"), () -> line + " in " + metrics);
                }
            }
        }
    }
}
