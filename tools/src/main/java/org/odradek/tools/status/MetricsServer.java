// SPDX-License-Identifier: Apache-2.0
package org.odradek.tools.status;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.prometheus.metrics.expositionformats.ExpositionFormatWriter;
import io.prometheus.metrics.expositionformats.ExpositionFormats;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Answers HTTP requests: {@code /metrics} in the text format that the client asks for, {@code /healthz} and {@code
 * /readyz} with 200, or with 503 and what is wrong. It reads no request body, closes slow connections, and works on two
 * threads of its own.
 */
final class MetricsServer implements AutoCloseable
{
    private static final int THREADS = 2;
    private static final int BACKLOG = 16;
    private static final int OK = 200;
    private static final int NOT_FOUND = 404;
    private static final int METHOD_NOT_ALLOWED = 405;
    private static final int FAILED = 500;
    private static final int UNAVAILABLE = 503;
    private static final String TEXT = "text/plain; charset=utf-8";

    static
    {
        // In seconds; the JDK's server reads them once.
        setDefault("sun.net.httpserver.maxReqTime", "10");
        setDefault("sun.net.httpserver.maxRspTime", "30");
        setDefault("sun.net.httpserver.nodelay", "true");
    }

    private final MonitoredFiles files;
    private final ExpositionFormats formats = ExpositionFormats.init();
    private final HttpServer server;
    private final ExecutorService threads;

    private static void setDefault(final String property, final String value)
    {
        System.setProperty(property, System.getProperty(property, value));
    }

    /**
     * @param address to bind; port 0 for any.
     * @param files   to read.
     * @throws IOException if the address cannot be bound.
     */
    MetricsServer(final InetSocketAddress address, final MonitoredFiles files) throws IOException
    {
        this.files = files;
        server = HttpServer.create(address, BACKLOG);
        threads = Executors.newFixedThreadPool(THREADS, (task) -> new Thread(task, "metrics"));
        server.setExecutor(threads);
        server.createContext("/", this::onRequest);
        server.start();
    }

    /** Host and port that were bound. */
    InetSocketAddress address()
    {
        return server.getAddress();
    }

    private void onRequest(final HttpExchange exchange) throws IOException
    {
        final String method = exchange.getRequestMethod();
        try (exchange)
        {
            if ("GET".equals(method) || "HEAD".equals(method))
            {
                get(exchange);
            }
            else
            {
                exchange.getResponseHeaders().set("Allow", "GET, HEAD");
                respond(exchange, METHOD_NOT_ALLOWED, TEXT, bytes("Only GET and HEAD are answered."));
            }
        }
    }

    private void get(final HttpExchange exchange) throws IOException
    {
        final long nowMs = System.currentTimeMillis();
        switch (exchange.getRequestURI().getPath())
        {
            case "/metrics":
                getMetrics(exchange, nowMs);
                break;
            case "/healthz":
                respondProbe(exchange, files.hung(nowMs));
                break;
            case "/readyz":
                respondProbe(exchange, files.notReady(nowMs));
                break;
            default:
                respond(exchange, NOT_FOUND, TEXT, bytes("There are /metrics, /healthz and /readyz."));
        }
    }

    private void getMetrics(final HttpExchange exchange, final long nowMs) throws IOException
    {
        final ExpositionFormatWriter openMetrics = formats.getOpenMetricsTextFormatWriter();
        final ExpositionFormatWriter writer = openMetrics.accepts(exchange.getRequestHeaders().getFirst("Accept")) ?
            openMetrics : formats.getPrometheusTextFormatWriter();
        final ByteArrayOutputStream out = new ByteArrayOutputStream();
        try
        {
            writer.write(out, files.metrics(nowMs));
        }
        catch (final IllegalStateException ex)
        {
            respond(exchange, FAILED, TEXT, bytes(ex.getMessage()));
            return;
        }
        respond(exchange, OK, writer.getContentType(), out.toByteArray());
    }

    private static void respondProbe(final HttpExchange exchange, final List<String> problems) throws IOException
    {
        respond(exchange, problems.isEmpty() ? OK : UNAVAILABLE, TEXT,
            bytes(problems.isEmpty() ? "ok" : String.join("\n", problems)));
    }

    private static byte[] bytes(final String line)
    {
        return (line + "\n").getBytes(StandardCharsets.UTF_8);
    }

    private static void respond(
        final HttpExchange exchange, final int code, final String contentType, final byte[] body) throws IOException
    {
        final boolean isHead = "HEAD".equals(exchange.getRequestMethod());
        exchange.getResponseHeaders().set("Content-Type", contentType);
        exchange.sendResponseHeaders(code, isHead ? -1 : body.length);
        if (!isHead)
        {
            exchange.getResponseBody().write(body);
        }
    }

    @Override
    public void close()
    {
        server.stop(0);
        threads.shutdownNow();
    }
}
