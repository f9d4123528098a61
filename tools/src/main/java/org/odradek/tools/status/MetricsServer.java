// SPDX-License-Identifier: Apache-2.0
package org.odradek.tools.status;

import io.prometheus.metrics.expositionformats.ExpositionFormatWriter;
import io.prometheus.metrics.expositionformats.ExpositionFormats;
import org.agrona.CloseHelper;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Answers HTTP requests: {@code /metrics} in the text format that the client asks for, {@code /healthz} and {@code
 * /readyz} with 200, or with 503 and what is wrong. One thread serves all connections without waiting for any of them,
 * and a new connection takes the place of the oldest one, so neither half requests nor slow readers, however many, keep
 * a probe from its answer. The server of the JDK has a thread wait for the rest of each request.
 */
final class MetricsServer implements Runnable, AutoCloseable
{
    /** Connections whose request is incomplete. */
    private static final int MAX_WAITING = 256;
    /** Connections whose response is not sent completely. Each holds its response in memory. */
    private static final int MAX_SENDING = 16;
    /** So that each connection is polled at least once before it can be the oldest. */
    private static final int MAX_ACCEPTED_AT_ONCE = MAX_WAITING / 2;
    private static final int BACKLOG = 256;
    static final long REQUEST_TIMEOUT_NS = TimeUnit.SECONDS.toNanos(10);
    private static final long RESPONSE_TIMEOUT_NS = TimeUnit.SECONDS.toNanos(30);
    private static final long CHECK_INTERVAL_MS = 1_000;
    private static final long PAUSE_NS = TimeUnit.MILLISECONDS.toNanos(10);

    private static final String OK = "200 OK";
    private static final String TEXT = "text/plain; charset=utf-8";

    private final MonitoredFiles files;
    private final ExpositionFormats formats = ExpositionFormats.init();
    private final LinkedHashSet<HttpConnection> waiting = new LinkedHashSet<>();
    private final LinkedHashSet<HttpConnection> sending = new LinkedHashSet<>();
    /**
     * The metrics by their format. Requests that were found ready together share them, so that many requests take the
     * time of one, which is much if there are thousands of partitions.
     */
    private final Map<String, byte[]> rendered = new HashMap<>();
    private final Selector selector;
    private final ServerSocketChannel server;
    private volatile boolean isClosed;

    /**
     * @param address to bind; port 0 for any.
     * @param files   to read.
     * @throws IOException if the address cannot be bound.
     */
    MetricsServer(final InetSocketAddress address, final MonitoredFiles files) throws IOException
    {
        this.files = files;
        selector = Selector.open();
        server = ServerSocketChannel.open();
        try
        {
            server.bind(address, BACKLOG);
            server.configureBlocking(false);
            server.register(selector, SelectionKey.OP_ACCEPT);
        }
        catch (final IOException ex)
        {
            CloseHelper.quietCloseAll(server, selector);
            throw ex;
        }
    }

    /** Host and port that were bound. */
    InetSocketAddress address()
    {
        return (InetSocketAddress)server.socket().getLocalSocketAddress();
    }

    /** Serves until {@link #close()}. */
    @Override
    public void run()
    {
        try
        {
            while (!isClosed)
            {
                rendered.clear();
                selector.select(this::onReady, CHECK_INTERVAL_MS);
                final long nowNs = System.nanoTime();
                closeLate(waiting, nowNs);
                closeLate(sending, nowNs);
            }
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
        finally
        {
            CloseHelper.quietCloseAll(waiting);
            CloseHelper.quietCloseAll(sending);
            CloseHelper.quietCloseAll(server, selector);
        }
    }

    private static void closeLate(final LinkedHashSet<HttpConnection> connections, final long nowNs)
    {
        while (!connections.isEmpty() && connections.iterator().next().deadlineNs() - nowNs <= 0)
        {
            closeOldest(connections);
        }
    }

    private static void closeOldest(final LinkedHashSet<HttpConnection> connections)
    {
        final HttpConnection oldest = connections.iterator().next();
        connections.remove(oldest);
        CloseHelper.quietClose(oldest);
    }

    private static void add(
        final HttpConnection added, final LinkedHashSet<HttpConnection> others, final int max, final long timeoutNs)
    {
        if (others.size() == max)
        {
            closeOldest(others);
        }
        added.deadlineNs(System.nanoTime() + timeoutNs);
        others.add(added);
    }

    private void onReady(final SelectionKey key)
    {
        if (key.attachment() == null)
        {
            accept();
        }
        else if (key.isValid())    // It may have been closed since it was found ready.
        {
            advance(key, (HttpConnection)key.attachment());
        }
    }

    private void accept()
    {
        try
        {
            SocketChannel accepted = server.accept();
            for (int i = 1; accepted != null; i++)
            {
                final HttpConnection connection = new HttpConnection(accepted);
                add(connection, waiting, MAX_WAITING, REQUEST_TIMEOUT_NS);
                accepted.configureBlocking(false);
                accepted.register(selector, SelectionKey.OP_READ, connection);
                accepted = i < MAX_ACCEPTED_AT_ONCE ? server.accept() : null;
            }
        }
        catch (final IOException ex)
        {
            // Usually the process has too many open files: a pause keeps the thread from trying without end.
            LockSupport.parkNanos(PAUSE_NS);
        }
    }

    private void advance(final SelectionKey key, final HttpConnection connection)
    {
        boolean isDone = true;
        try
        {
            if (!connection.hasResponse() && connection.receive())
            {
                respond(connection);
                waiting.remove(connection);
                add(connection, sending, MAX_SENDING, RESPONSE_TIMEOUT_NS);
                key.interestOps(SelectionKey.OP_WRITE);
            }
            isDone = connection.hasResponse() && connection.send();
        }
        catch (final IOException ignore)
        {
            // The client has closed the connection.
        }
        if (isDone)
        {
            waiting.remove(connection);
            sending.remove(connection);
            CloseHelper.quietClose(connection);
        }
    }

    private void respond(final HttpConnection connection)
    {
        final String method = connection.method();
        if (!connection.hasRequest())
        {
            respond(connection, "431 Request Header Fields Too Large", "The head of the request is too long.");
        }
        else if (method.isEmpty())
        {
            respond(connection, "400 Bad Request", "This is no request of HTTP/1.1.");
        }
        else if (!"GET".equals(method) && !"HEAD".equals(method))
        {
            respond(connection, "405 Method Not Allowed", "Only GET and HEAD are answered.");
        }
        else
        {
            try
            {
                get(connection, System.currentTimeMillis());
            }
            catch (final RuntimeException | IOException | InternalError ex)
            {
                // The JVM throws an InternalError when a mapped file was cut off.
                respond(connection, "500 Internal Server Error", String.valueOf(ex.getMessage()));
            }
        }
    }

    private void get(final HttpConnection connection, final long nowMs) throws IOException
    {
        switch (connection.path())
        {
            case "/metrics" -> getMetrics(connection, nowMs);
            case "/healthz" -> respondProbe(connection, files.hung(nowMs));
            case "/readyz" -> respondProbe(connection, files.notReady(nowMs));
            default -> respond(connection, "404 Not Found", "There are /metrics, /healthz and /readyz.");
        }
    }

    private void getMetrics(final HttpConnection connection, final long nowMs) throws IOException
    {
        final ExpositionFormatWriter openMetrics = formats.getOpenMetricsTextFormatWriter();
        final ExpositionFormatWriter writer = openMetrics.accepts(connection.header("Accept")) ?
            openMetrics : formats.getPrometheusTextFormatWriter();
        final String contentType = writer.getContentType();
        if (!rendered.containsKey(contentType))
        {
            final ByteArrayOutputStream out = new ByteArrayOutputStream();
            writer.write(out, files.metrics(nowMs));
            rendered.put(contentType, out.toByteArray());
        }
        connection.respond(OK, contentType, rendered.get(contentType));
    }

    private static void respondProbe(final HttpConnection connection, final List<String> problems)
    {
        respond(connection, problems.isEmpty() ? OK : "503 Service Unavailable",
            problems.isEmpty() ? "ok" : String.join("\n", problems));
    }

    private static void respond(final HttpConnection connection, final String status, final String text)
    {
        connection.respond(status, TEXT, (text + "\n").getBytes(StandardCharsets.UTF_8));
    }

    /** Ends {@link #run()}, which closes all connections. Any thread may call it. */
    @Override
    public void close()
    {
        isClosed = true;
        selector.wakeup();
    }
}
