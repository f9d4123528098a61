// SPDX-License-Identifier: Apache-2.0
package org.odradek.tools.status;

import org.hawkular.agent.prometheus.PrometheusDataFormat;
import org.hawkular.agent.prometheus.PrometheusScraper;
import org.hawkular.agent.prometheus.types.Counter;
import org.hawkular.agent.prometheus.types.Gauge;
import org.hawkular.agent.prometheus.types.Metric;
import org.hawkular.agent.prometheus.types.MetricFamily;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.odradek.client.CountersFileReader;
import org.odradek.client.metrics.ExportedMetric;
import org.odradek.client.metrics.ListedCounter;
import org.odradek.consumer.ConsumerContext;
import org.odradek.consumer.TopicConsumer;
import org.odradek.consumer.WrittenCounters;
import org.odradek.consumer.handler.ConsumerCounters;
import org.odradek.testkit.Await;
import org.odradek.testkit.internal.FreePorts;
import org.odradek.testkit.internal.JavaProcess;
import org.odradek.tools.OdradekCommand;
import picocli.CommandLine;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReference;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

class PrometheusCommandTest
{
    /** Longer than a test takes. */
    private static final int HOUR_MS = 3_600_000;
    private static final int SHORT_MS = 1_500;
    private static final int MANY_PARTITIONS = 1_000;
    private static final int MANY_FILES = 64;

    private final HttpClient client = HttpClient.newHttpClient();
    private MetricsServer server;
    private Thread serving;

    @TempDir
    private Path folder;

    @AfterEach
    void tearDown()
    {
        if (server != null)
        {
            server.close();
            Await.until("the end of the server", () -> !serving.isAlive());
        }
    }

    private void serve(final String pattern) throws IOException
    {
        serve(pattern, HOUR_MS);
    }

    private void serve(final String pattern, final int maxPollAgeMs) throws IOException
    {
        server = new MetricsServer(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), new MonitoredFiles(
            List.of(folder.resolve(pattern).toString()), new MonitoredFiles.Limits(maxPollAgeMs, 40_000, 500)));
        serving = new Thread(server, "metrics");
        serving.start();
    }

    private HttpResponse<String> get(final String path, final String... headers)
    {
        final HttpRequest.Builder request =
            HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.address().getPort() + path));
        try
        {
            return client.send(headers.length == 0 ? request.build() : request.headers(headers).build(),
                HttpResponse.BodyHandlers.ofString());
        }
        catch (final IOException | InterruptedException ex)
        {
            throw new IllegalStateException(ex);
        }
    }

    /** Whoever can create a file in the folder could otherwise forge lines of an answer. */
    @Test
    void shouldIgnoreAMatchWhoseNameIsNotPrintable() throws IOException
    {
        new WrittenCounters(folder.resolve("good.counters"), "evil\u001b[2J").partition(0, 8, 10, 2);
        Files.writeString(folder.resolve("a\nThe consumer of topic forged.counters"), "x");
        Files.writeString(folder.resolve("b\u001b[2J.counters"), "x");
        serve("*.counters");

        assertEquals(200, get("/readyz").statusCode(), () -> get("/readyz").body());
        final String metrics = get("/metrics").body();
        assertTrue(metrics.contains("topic=\"evil?[2J\""), metrics);
        assertFalse(metrics.contains("forged") || metrics.contains("\u001b"), metrics);
    }

    /** The value of each series, by its name and those of its labels that are not empty. */
    private Map<String, Double> scraped()
    {
        final Map<String, Double> values = new TreeMap<>();
        try
        {
            for (final MetricFamily family : new PrometheusScraper(
                URI.create("http://127.0.0.1:" + server.address().getPort() + "/metrics").toURL(),
                PrometheusDataFormat.TEXT).scrape())
            {
                for (final Metric metric : family.getMetrics())
                {
                    final Map<String, String> labels = new TreeMap<>(metric.getLabels());
                    labels.values().removeIf(String::isEmpty);
                    final double value = metric instanceof Counter counter ? counter.getValue() :
                        ((Gauge)metric).getValue();
                    assertNull(values.put(family.getName() + labels, value), family::getName);
                }
            }
        }
        catch (final IOException ex)
        {
            throw new IllegalStateException(ex);
        }
        return values;
    }

    private String labels(final String file)
    {
        return "{client=" + folder.resolve(file) + ", topic=orders}";
    }

    private String labels(final String file, final int partition)
    {
        return "{client=" + folder.resolve(file) + ", partition=" + partition + ", topic=orders}";
    }

    private List<String> shown(final Object command, final String file)
    {
        final StringWriter shown = new StringWriter();
        final CommandLine commandLine = new CommandLine(command);
        commandLine.setOut(new PrintWriter(shown, true));
        assertEquals(0, commandLine.execute(folder.resolve(file).toString()));
        return shown.toString().lines().toList();
    }

    private static long number(final String text)
    {
        return Long.parseLong(text.replace(",", ""));
    }

    @Test
    void shouldServeTheValuesThatStatAndLagShow() throws IOException
    {
        final WrittenCounters file = new WrittenCounters(folder.resolve("a.counters"), "orders");
        file.poll();
        for (int id = 0; id < ConsumerCounters.count(); id++)
        {
            file.add(id, 1_234_567 + 1_000L * id);
        }
        file.partition(0, 90, 1_100, 1_010);
        file.partition(2, 5, -1, -1);
        file.partition(3, -1, -1, -1);
        serve("*.counters");

        final Map<String, Double> values = scraped();

        final List<String> stat = shown(new StatusCommands.Stat(), "a.counters");
        for (int id = 0; id < ConsumerCounters.count(); id++)
        {
            final ExportedMetric metric = ListedCounter.of(id).metric();
            final String line = stat.get(4 + id);
            assertTrue(line.startsWith(ConsumerCounters.name(id) + " "), line);
            assertEquals(metric.value(number(line.substring(line.lastIndexOf(' ') + 1))),
                values.remove(metric + labels("a.counters")), metric::toString);
        }
        final List<String> lags = shown(new StatusCommands.Lag(), "a.counters");
        int partitions = 0;
        for (final String line : lags.subList(4, lags.size() - 1))
        {
            final String[] cells = line.split(" +");
            final String labels = labels("a.counters", Integer.parseInt(cells[0]));
            final ExportedMetric[] columns = {ExportedMetric.NEXT_OFFSET, ExportedMetric.HIGH_WATERMARK,
                ExportedMetric.LAG};
            for (int i = 0; i < columns.length; i++)
            {
                final Double value = values.remove(columns[i] + labels);
                assertEquals("-".equals(cells[i + 1]) ? null : (Double)(double)number(cells[i + 1]), value, line);
            }
            partitions++;
        }
        assertEquals(2, partitions);
        assertEquals(2, values.remove(ExportedMetric.PARTITIONS + labels("a.counters")));
        assertEquals(1, values.remove(ExportedMetric.UP + labels("a.counters")));
        assertEquals(0, values.remove(ExportedMetric.IGNORED_FILES + "{}"));
        assertEquals(0, values.remove(ExportedMetric.CLOSED + labels("a.counters")));
        final CountersFileReader reader = CountersFileReader.open(folder.resolve("a.counters"));
        assertEquals(reader.startMs() / 1e3, values.remove(ExportedMetric.START_TIME + labels("a.counters")));
        assertTrue(values.remove(ExportedMetric.LAST_POLL_AGE + labels("a.counters")) < 60);
        assertTrue(values.remove(ExportedMetric.LAST_HEARTBEAT_AGE + labels("a.counters")) > 1_000_000);
        assertEquals(Map.of(), values);
    }

    @Test
    void shouldServeEveryFileThatMatchesWhenItIsAsked() throws IOException
    {
        serve("*.counters");
        assertEquals(Map.of(ExportedMetric.IGNORED_FILES + "{}", 0.0), scraped());
        assertEquals(200, get("/healthz").statusCode());
        assertEquals("There is no counters file at " + folder.resolve("*.counters") + ".\n", get("/readyz").body());

        final WrittenCounters first = new WrittenCounters(folder.resolve("a.counters"), "orders");
        first.add(ConsumerCounters.RECORDS, 7);
        new WrittenCounters(folder.resolve("b.counters"), "orders");
        Files.writeString(folder.resolve("c.counters"), "something else");
        Files.writeString(folder.resolve("d.counters.new"), "not complete");
        final Map<String, Double> values = scraped();
        assertEquals(7, values.get("odradek_records_total" + labels("a.counters")));
        assertEquals(0, values.get("odradek_records_total" + labels("b.counters")));
        assertEquals(1, values.get(ExportedMetric.IGNORED_FILES + "{}"));
        assertFalse(get("/readyz").body().contains("c.counters"), get("/readyz").body());

        first.end();
        Files.delete(folder.resolve("b.counters"));
        Files.delete(folder.resolve("c.counters"));
        assertEquals(1, scraped().get("odradek_closed" + labels("a.counters")));
        assertEquals(0, scraped().get("odradek_up" + labels("a.counters")));
        new WrittenCounters(folder.resolve("a.counters"), "orders").add(ConsumerCounters.RECORDS, 3);
        assertEquals(3, scraped().get("odradek_records_total" + labels("a.counters")));
        assertFalse(scraped().containsKey("odradek_records_total" + labels("b.counters")));
    }

    @Test
    void shouldAnswerTheProbes() throws IOException
    {
        final WrittenCounters file = new WrittenCounters(folder.resolve("a.counters"), "orders");
        serve("a.counters");
        final String consumer = "The consumer of topic orders at " + folder.resolve("a.counters");
        file.poll();
        assertEquals("ok\n", get("/healthz").body());
        assertEquals(consumer + " has no partition whose next offset is known.\n", get("/readyz").body());
        file.partition(4, 10, 511, 501);
        assertEquals(consumer + " has a lag of 501 on partition 4; the limit is 500.\n", get("/readyz").body());
        file.partition(4, 11, 511, 500);
        assertEquals("ok\n", get("/readyz").body());

        file.add(ConsumerCounters.STOPPED_PARTITIONS, 2);
        assertEquals(consumer + " has 2 partitions that have stopped.\n", get("/readyz").body());
        assertEquals("ok\n", get("/healthz").body());
        assertEquals(2, scraped().get("odradek_stopped_partitions" + labels("a.counters")));
        file.add(ConsumerCounters.STOPPED_PARTITIONS, -1);
        assertEquals(consumer + " has 1 partition that has stopped.\n", get("/readyz").body());
        file.add(ConsumerCounters.STOPPED_PARTITIONS, -1);

        file.add(ConsumerCounters.LAST_HEARTBEAT_MS, System.currentTimeMillis() - 50_000);
        for (final String probe : List.of("/healthz", "/readyz"))
        {
            final HttpResponse<String> response = get(probe);
            assertEquals(503, response.statusCode());
            assertTrue(response.body().matches("\\Q" + consumer +
                "\\E had its last heartbeat confirmed \\d+\\.\\d s ago; the limit is 40\\.0 s\\.\n"), response.body());
        }
        file.end();
        assertEquals(200, get("/healthz").statusCode());
        assertEquals(consumer + " is closed.\n", get("/readyz").body());
    }

    @Test
    void shouldAnswerNothingElse() throws IOException
    {
        new WrittenCounters(folder.resolve("a.counters"), "orders");
        serve("a.counters");
        assertTrue(server.address().getAddress().isLoopbackAddress());
        assertTrue(get("/metrics").headers().firstValue("Content-Type").orElse("")
            .startsWith("text/plain; version=0.0.4"));
        for (final String path : List.of("/", "/metricsx", "/metrics/x", "/%00", "/healthz/"))
        {
            assertEquals(404, get(path).statusCode(), path);
        }
        assertTrue(get("/metrics", "Accept", "application/openmetrics-text; version=1.0.0").body().endsWith("# EOF\n"));
        assertEquals("HTTP/1.1 405 Method Not Allowed", firstLine("POST /metrics HTTP/1.1\r\nContent-Length: 5\r\n"));
        assertEquals("HTTP/1.1 200 OK", firstLine("HEAD /metrics HTTP/1.1\r\n"));
    }

    private String firstLine(final String request) throws IOException
    {
        try (Socket socket = new Socket(server.address().getAddress(), server.address().getPort()))
        {
            socket.getOutputStream().write((request + "Host: a\r\nConnection: close\r\n\r\n").getBytes());
            return new String(socket.getInputStream().readAllBytes()).lines().findFirst().orElse("");
        }
    }

    /** Polls a topic of a broker that does not exist, until it is killed. */
    public static final class Polling
    {
        public static void main(final String[] args)
        {
            try (TopicConsumer consumer = TopicConsumer.connect(new ConsumerContext().bootstrapServers("127.0.0.1:1")
                .topic("orders").errorHandler((error) -> { })
                .countersFile(Path.of(args[0]))))
            {
                while (!Thread.currentThread().isInterrupted())
                {
                    consumer.poll((record) -> { }, 1, 50_000_000);
                }
            }
        }
    }

    /** The samples of all files would take a multiple of the heap: those of the first files are served. */
    @Test
    void shouldServeFilesWithManyPartitionsOutOfASmallHeap() throws Exception
    {
        final WrittenCounters file = new WrittenCounters(folder.resolve("0.counters"), "orders");
        for (int partition = 0; partition < MANY_PARTITIONS; partition++)
        {
            file.partition(partition, 1, 2, 1);
        }
        for (int i = 1; i < MANY_FILES; i++)
        {
            Files.createLink(folder.resolve(i + ".counters"), folder.resolve("0.counters"));
        }
        final AtomicReference<String> address = new AtomicReference<>();
        try (JavaProcess process = JavaProcess.of(OdradekCommand.class).flags("-Xmx32m", "-XX:+UseSerialGC")
            .args("prometheus", folder.resolve("*.counters").toString(), "--port", "0").onStdout(address::set).start())
        {
            Await.until("the server", () -> address.get() != null || !process.isAlive());
            final URI uri = URI.create(address.get().replaceAll("Serving (.*/metrics),.*", "$1"));
            long lines = 0;
            String ignored = null;
            try (BufferedReader reader = new BufferedReader(new InputStreamReader(uri.toURL().openStream())))
            {
                for (String line = reader.readLine(); line != null; line = reader.readLine())
                {
                    lines += line.contains(",partition=") ? 1 : 0;
                    ignored = line.startsWith("odradek_ignored_files ") ? line : ignored;
                }
            }

            final long served = lines / (3 * MANY_PARTITIONS);
            assertTrue(served >= 8, process::outputTail);
            assertEquals(3 * MANY_PARTITIONS * served, lines, process::outputTail);
            assertEquals("odradek_ignored_files " + (double)(MANY_FILES - served), ignored);
        }
    }

    /** A consumer that hangs or has died still has metrics. */
    @Test
    void shouldShowThatAProcessIsStoppedGoesOnAndIsKilled() throws IOException
    {
        serve("a.counters", SHORT_MS);
        final String up = ExportedMetric.UP + labels("a.counters");
        try (JavaProcess process = JavaProcess.of(Polling.class).args(folder.resolve("a.counters").toString()).start())
        {
            Await.until("the consumer is up", () -> Double.valueOf(1).equals(scraped().get(up)));
            Await.until("it is healthy", () -> get("/healthz").statusCode() == 200);

            assertTrue(process.suspend());
            final double polls = scraped().get(ListedCounter.of(ConsumerCounters.EMPTY_POLLS).metric() +
                labels("a.counters"));
            // .ci/flakes continues each process that it stops, so the process is suspended again.
            Await.until("it hangs", () -> process.suspend() && scraped().get(up) == 0 &&
                scraped().get(ExportedMetric.LAST_POLL_AGE + labels("a.counters")) > SHORT_MS / 1e3 &&
                get("/healthz").statusCode() == 503 && get("/healthz").body().contains(" was last polled "));
            assertTrue(scraped().get(ListedCounter.of(ConsumerCounters.EMPTY_POLLS).metric() +
                labels("a.counters")) >= polls);

            assertTrue(process.resume());
            Await.until("it goes on", () -> scraped().get(up) == 1);
            Await.until("it is healthy again", () -> get("/healthz").statusCode() == 200);
            process.kill();
            Await.until("it is dead", () -> scraped().get(up) == 0);
            assertEquals(0, scraped().get(ExportedMetric.CLOSED + labels("a.counters")));
        }
    }

    /** Also checks the alert rules, with the server's own tool. */
    @Test
    void shouldBeScrapedByARealServer() throws Exception
    {
        final Path program = Path.of("/usr/bin/prometheus");
        assumeTrue(Files.isExecutable(program), "not run: " + program + " is not installed");
        final WrittenCounters file = new WrittenCounters(folder.resolve("a.counters"), "orders");
        file.poll();
        file.add(ConsumerCounters.RECORDS, 4_711);
        serve("*.counters");
        final Path rules = Path.of("..", "examples", "monitoring", "alerts.yml").toAbsolutePath().normalize();
        final Path config = Files.writeString(folder.resolve("prometheus.yml"), """
            global: {scrape_interval: 1s}
            rule_files: [%s]
            scrape_configs:
              - job_name: consumers
                static_configs: [{targets: ["127.0.0.1:%d"]}]
            """.formatted(rules, server.address().getPort()));
        final Process check = new ProcessBuilder("promtool", "check", "config", config.toString())
            .redirectErrorStream(true).start();
        final String said = new String(check.getInputStream().readAllBytes());
        assertEquals(0, check.waitFor(), said);
        final int port = FreePorts.next();
        try (JavaProcess prometheus = JavaProcess.ofProgram(List.of(program.toString(), "--config.file=" + config,
            "--storage.tsdb.path=" + folder.resolve("data"), "--web.listen-address=127.0.0.1:" + port)).start())
        {
            Await.until("the value is stored", () -> query(port, "odradek_records_total").contains("\"4711\""));
            assertTrue(prometheus.isAlive(), prometheus::outputTail);
            assertTrue(query(port, "odradek_up").contains("\"topic\":\"orders\""));
        }
        finally
        {
            FreePorts.release(port);
        }
    }

    private String query(final int port, final String expression)
    {
        try
        {
            return client.send(HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port +
                "/api/v1/query?query=" + expression)).build(), HttpResponse.BodyHandlers.ofString()).body();
        }
        catch (final IOException ex)
        {
            return "";    // it has not started yet
        }
        catch (final InterruptedException ex)
        {
            throw new IllegalStateException(ex);
        }
    }

    @Test
    void shouldNameEachMetricOnceAndByTheRulesOfPrometheus()
    {
        final Set<String> names = new HashSet<>();
        for (final ExportedMetric metric : ListedCounter.metrics())
        {
            final String name = metric.prometheusName();
            assertTrue(names.add(name), name);
            assertTrue(name.matches("odradek(_[a-z]+)+"), name);
            assertEquals(metric.isCounter(), name.endsWith("_total"), name);
            assertTrue(metric.help().matches("[A-Z1].*\\."), metric.help());
        }
        final long ofPublisher =
            ListedCounter.shownByPublisher().stream().filter(ListedCounter::isOfPublisher).count();
        assertEquals(ConsumerCounters.count() + ofPublisher + ListedCounter.workerCount() + 12, names.size());
    }
}
