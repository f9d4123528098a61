// SPDX-License-Identifier: Apache-2.0
package org.odradek.tools.status;

import org.agrona.CloseHelper;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.odradek.consumer.WrittenCounters;
import org.odradek.testkit.Await;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** Probes are answered whatever other clients and files do. */
class MetricsServerTest
{
    /** Far longer than an answer takes. */
    private static final Duration LIMIT = Duration.ofSeconds(60);
    /** Longer than a test takes. */
    private static final int HOUR_MS = 3_600_000;

    private final HttpClient client = HttpClient.newHttpClient();
    private final List<Socket> sockets = new ArrayList<>();
    private MetricsServer server;
    private Thread serving;

    @TempDir
    private Path folder;

    @AfterEach
    void tearDown()
    {
        sockets.forEach(CloseHelper::quietClose);
        server.close();
        Await.until("the end of the server", () -> !serving.isAlive());
    }

    private void serve() throws IOException
    {
        serve("*.counters");
    }

    private void serve(final String pattern) throws IOException
    {
        server = new MetricsServer(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), new MonitoredFiles(
            List.of(folder.resolve(pattern).toString()), new MonitoredFiles.Limits(HOUR_MS, HOUR_MS, 500)));
        serving = new Thread(server, "metrics");
        serving.start();
    }

    private HttpResponse<String> get(final String path)
    {
        try
        {
            return client.send(HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.address().getPort() +
                path)).timeout(LIMIT).build(), HttpResponse.BodyHandlers.ofString());
        }
        catch (final IOException | InterruptedException ex)
        {
            throw new IllegalStateException(ex);
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "HTTP/1.1 400 Bad Request | hello",
        "HTTP/1.1 400 Bad Request | GET /metrics",
        "HTTP/1.1 400 Bad Request | GET /metrics SMTP/1.1",
        "HTTP/1.1 200 OK | GET http://a/metrics?name=x HTTP/1.1",
        "HTTP/1.1 404 Not Found | GET mailto:a HTTP/1.1",
        "HTTP/1.1 404 Not Found | GET [ HTTP/1.1"})
    void shouldAnswerRequestsOfAnyForm(final String answer, final String request) throws IOException
    {
        serve();

        assertEquals(answer, new String(connected(request + "\r\n\r\n").getInputStream().readAllBytes())
            .lines().findFirst().orElse(""));
    }

    @Test
    void shouldReadARequestThatComesByteByByteAndNoneThatIsTooLong() throws IOException
    {
        serve();
        final Socket slow = connected("");
        for (final byte next : "GET /healthz HTTP/1.1\r\n\r\r\nX: \r\r\n\r\n".getBytes(StandardCharsets.US_ASCII))
        {
            slow.getOutputStream().write(next);
        }
        assertTrue(new String(slow.getInputStream().readAllBytes()).endsWith("\r\n\r\nok\n"));

        final Socket large = connected("GET /" + "x".repeat(8 * 1024));
        assertEquals("HTTP/1.1 431", new String(large.getInputStream().readNBytes(12)));
    }

    private Socket connected(final String sent) throws IOException
    {
        final Socket socket = new Socket();
        sockets.add(socket);
        socket.setReceiveBufferSize(1_024);
        socket.setTcpNoDelay(true);
        socket.connect(server.address());
        socket.setSoTimeout((int)LIMIT.toMillis());
        socket.getOutputStream().write(sent.getBytes(StandardCharsets.US_ASCII));
        return socket;
    }

    private void assertIsAnswered()
    {
        for (final String path : List.of("/healthz", "/readyz", "/metrics"))
        {
            assertEquals(200, get(path).statusCode(), path);
        }
    }

    private void writeCounters(final String name, final int partitions)
    {
        final WrittenCounters file = new WrittenCounters(folder.resolve(name), "orders");
        file.poll();
        for (int partition = 0; partition < partitions; partition++)
        {
            file.partition(partition, 1, 2, 1);
        }
    }

    /** There are more of them than the server keeps, so the oldest are closed. */
    @Test
    void shouldAnswerBesideAnyNumberOfHalfRequests() throws IOException
    {
        writeCounters("a.counters", 1);
        serve();
        final long startNs = System.nanoTime();
        for (int i = 0; i < 200; i++)
        {
            connected("");
            connected("GET /healthz HTTP/1.1\r\nHost: a\r\nX-Half: ");
            connected("POST /metrics HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\nhalf");
        }

        assertIsAnswered();
        final Socket half = sockets.get(sockets.size() - 2);
        half.setSoTimeout(1);
        assertTrue(!isClosed(half) || System.nanoTime() - startNs > MetricsServer.REQUEST_TIMEOUT_NS,
            "answered only after the half requests were closed");
        assertEquals(-1, sockets.get(0).getInputStream().read());
    }

    private static boolean isClosed(final Socket socket) throws IOException
    {
        try
        {
            return socket.getInputStream().read() < 0;
        }
        catch (final SocketTimeoutException ignore)
        {
            return false;
        }
    }

    @Test
    void shouldAnswerBesideSlowReaders() throws IOException
    {
        for (int i = 0; i < 8; i++)
        {
            writeCounters(i + ".counters", 1_000);
        }
        serve();
        for (int i = 0; i < 40; i++)
        {
            connected("GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n");
        }

        assertIsAnswered();
    }

    /** Opening a pipe waits until another process writes to it. */
    @Test
    void shouldNotWaitForAPipe() throws Exception
    {
        writeCounters("a.counters", 1);
        final Path pipe = folder.resolve("b.counters");
        assertEquals(0, new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor());
        serve();

        final String metrics = get("/metrics").body();
        assertTrue(metrics.contains(
            "odradek_up{client=\"" + folder.resolve("a.counters") + "\",topic=\"orders\"} 1.0"), metrics);
        assertTrue(metrics.contains("odradek_ignored_files 1.0"), metrics);
        assertFalse(metrics.contains(pipe.toString()), metrics);
        assertEquals(200, get("/healthz").statusCode());
        assertEquals(200, get("/readyz").statusCode(), () -> get("/readyz").body());
    }

    /** Whoever may create files in the folder must not make a consumer unready, or use up the memory. */
    @Test
    void shouldIgnoreAndCountFilesOfAPatternThatAreNoCountersFiles() throws IOException
    {
        writeCounters("a.counters", 1);
        Files.writeString(folder.resolve("b.counters"), "something else");
        Files.createDirectory(folder.resolve("c.counters"));
        Files.copy(folder.resolve("a.counters"), folder.resolve("d.counters"));
        try (FileChannel channel = FileChannel.open(folder.resolve("d.counters"), StandardOpenOption.WRITE))
        {
            channel.write(ByteBuffer.allocate(1), 64 << 20);
        }
        serve();

        final String metrics = get("/metrics").body();
        assertTrue(metrics.contains("odradek_ignored_files 3.0"), metrics);
        assertEquals(1, metrics.lines().filter((line) -> line.startsWith("odradek_up{")).count());
        assertEquals(200, get("/readyz").statusCode(), () -> get("/readyz").body());
    }

    /** Root reads a file without permissions, but not one that the system lets nobody read. */
    @Test
    @EnabledOnOs(OS.LINUX)
    void shouldIgnoreAndCountAFileOfAPatternThatCannotBeRead() throws IOException
    {
        final Path unreadable = Path.of("/sys/bus/platform/drivers_probe");
        assumeTrue(Files.isRegularFile(unreadable), () -> "not run: there is no " + unreadable);
        writeCounters("a.counters", 1);
        Files.createSymbolicLink(folder.resolve("b.counters"), unreadable);
        Files.createSymbolicLink(folder.resolve("c.counters"), folder.resolve("none"));
        serve();

        final String metrics = get("/metrics").body();
        assertTrue(metrics.contains("odradek_ignored_files 2.0"), metrics);
        assertEquals(200, get("/readyz").statusCode(), () -> get("/readyz").body());
    }

    /** Whoever may create files in the folder must neither use up the memory nor hide a consumer that is known. */
    @Test
    void shouldReadSoManyFiles() throws IOException
    {
        writeCounters("z.counters", 1);
        serve();
        assertIsAnswered();
        for (int i = 0; i < 520; i++)
        {
            Files.createLink(folder.resolve(i + ".counters"), folder.resolve("z.counters"));
        }

        final String metrics = get("/metrics").body();
        assertTrue(metrics.contains("odradek_ignored_files 9.0"), () -> metrics.lines().filter((line) ->
            line.startsWith("odradek_ignored")).toList().toString());
        assertTrue(metrics.contains("odradek_up{client=\"" + folder.resolve("z.counters")));
    }

    @Test
    void shouldNotIgnoreTheFileThatItWasGiven() throws IOException
    {
        Files.writeString(folder.resolve("b.counters"), "something else");
        serve("b.counters");

        assertTrue(get("/metrics").body().contains("odradek_ignored_files 0.0"));
        assertEquals(503, get("/readyz").statusCode());
        assertTrue(get("/readyz").body().contains("b.counters is not a counters file"), get("/readyz").body());
    }

    /** A file that is cut off while it is mapped makes the JVM throw an InternalError. */
    @Test
    void shouldGoOnAfterAFileWasCutOff() throws IOException
    {
        writeCounters("a.counters", 1);
        writeCounters("b.counters", 1);
        serve();
        assertIsAnswered();
        try (FileChannel channel = FileChannel.open(folder.resolve("a.counters"), StandardOpenOption.WRITE))
        {
            channel.truncate(0);
        }

        final HttpResponse<String> response = get("/metrics");
        assertEquals(200, response.statusCode(), response.body());
        final List<String> exported = response.body().lines()
            .filter((line) -> line.startsWith("odradek_records_total")).toList();
        assertEquals(1, exported.size(), response.body());
        assertTrue(exported.get(0).contains("b.counters"), response.body());
        assertTrue(response.body().lines().anyMatch((line) -> line.startsWith("odradek_up") &&
            line.contains("a.counters") && line.endsWith(" 0.0")), response.body());
        assertEquals(200, get("/healthz").statusCode());
        assertEquals(folder.resolve("a.counters") + " was cut off.\n", get("/readyz").body());
    }

    /** Both would be one consumer, and a metric may not be there twice. */
    @Test
    @EnabledOnOs(OS.LINUX)
    void shouldIgnoreNamesThatCannotBeDecoded() throws Exception
    {
        writeCounters("a.counters", 1);
        final String command = "cd '" + folder + "' && cp a.counters \"$(printf '\\376.counters')\" && " +
            "cp a.counters \"$(printf '\\377.counters')\"";
        assertEquals(0, new ProcessBuilder("sh", "-c", command).start().waitFor());
        serve();

        final HttpResponse<String> response = get("/metrics");

        assertEquals(200, response.statusCode(), response.body());
        assertEquals(1, response.body().lines().filter((line) -> line.startsWith("odradek_up")).count());
    }
}
