// SPDX-License-Identifier: Apache-2.0
package org.odradek.tools.status;

import org.odradek.client.CountersFileReader;
import org.odradek.tools.CommandOptions;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;

/**
 * The command {@code odradek prometheus FILE...}, which serves the counters files of consumers and publishers of other
 * processes to Prometheus, and answers probes. It runs until it is killed.
 */
@Command(name = "prometheus", sortOptions = false,
    description = "Serve counters files to Prometheus, and answer probes: /metrics, /healthz, /readyz.")
public final class PrometheusCommand implements Callable<Integer>
{
    private static final int MAX_PORT = 65_535;
    private static final int MAX_AGE_S = 86_400;

    @Mixin
    private CommandOptions options;

    @Parameters(arity = "1..*", paramLabel = "FILE",
        description = "The countersFile of a consumer or publisher, or a quoted pattern: '/dev/shm/*.counters'.")
    private List<String> patterns;

    @Option(names = "--port", paramLabel = "N", defaultValue = "9404",
        description = "Port to listen on; 0 for any (default: ${DEFAULT-VALUE}).")
    private int port;

    @Option(names = "--host", paramLabel = "HOST", defaultValue = "127.0.0.1",
        description = "Address to listen on; 0.0.0.0 for all (default: ${DEFAULT-VALUE}).")
    private String host;

    @Option(names = "--max-poll-age", paramLabel = "S",
        defaultValue = "" + CountersFileReader.MAX_POLL_AGE_MS_DEFAULT / 1_000,
        description = "A client that has not worked for so many seconds counts as hung (default: ${DEFAULT-VALUE}).")
    private int maxPollAgeS;

    @Option(names = "--max-heartbeat-age", paramLabel = "S", defaultValue = "30",
        description = "So does a member of a group whose heartbeats were not confirmed (default: ${DEFAULT-VALUE}).")
    private int maxHeartbeatAgeS;

    @Option(names = "--max-lag", paramLabel = "N",
        description = "A consumer is not ready while a partition has a larger lag (default: no limit).")
    private Long maxLag;

    @Override
    public Integer call()
    {
        options.checkRange("--port", port, 0, MAX_PORT);
        options.checkRange("--max-poll-age", maxPollAgeS, 1, MAX_AGE_S);
        options.checkRange("--max-heartbeat-age", maxHeartbeatAgeS, 1, MAX_AGE_S);
        options.check(maxLag == null || maxLag >= 0, "--max-lag must be 0 or more.");
        final MonitoredFiles files = options.checked(() -> new MonitoredFiles(patterns, new MonitoredFiles.Limits(
            TimeUnit.SECONDS.toMillis(maxPollAgeS), TimeUnit.SECONDS.toMillis(maxHeartbeatAgeS),
            maxLag == null ? Long.MAX_VALUE : maxLag)));
        final InetSocketAddress address = new InetSocketAddress(host, port);
        options.check(!address.isUnresolved(), "--host " + host + " is not an address of this machine.");
        try (MetricsServer server = new MetricsServer(address, files))
        {
            options.out().println("Serving http://" + host + ":" + server.address().getPort() +
                "/metrics, /healthz and /readyz.");
            options.out().flush();
            server.run();
        }
        catch (final IOException ex)
        {
            throw new IllegalStateException(host + ":" + port + " cannot be bound: " + ex.getMessage(), ex);
        }
        return 0;
    }
}
