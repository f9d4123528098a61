// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.latency;

import org.odradek.benchmarks.arm.CaseTopic;
import org.odradek.benchmarks.live.ClientProcesses;
import org.odradek.benchmarks.live.ClientSettings;
import org.odradek.benchmarks.live.LatencyLogs;
import org.odradek.benchmarks.live.LiveRounds;
import org.odradek.benchmarks.live.LiveRows;
import org.odradek.benchmarks.live.ProducerProcess;
import org.odradek.benchmarks.live.ProducerSettings;
import org.odradek.benchmarks.live.Results;
import org.odradek.benchmarks.live.Turn;
import org.odradek.benchmarks.report.NotRun;
import org.odradek.benchmarks.report.Row;

import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Rate by rate, a producer on schedule and the clients in turn on it. Their JVMs are kept for all rates, so that what
 * is compiled stays so.
 */
final class LatencyScenario
{
    static final String NAME = "latency";
    static final String P50 = "latencyP50Us";
    static final String P99 = "latencyP99Us";

    private static final int PARTITION = 0;

    private final LatencyPlan plan;
    private final String bootstrap;
    private final long brokerPid;
    private final Path json;
    private final Consumer<String> progress;
    private final Results results = new Results();

    /**
     * @param bootstrap HOST:PORT of the cluster that is used.
     * @param brokerPid of its process, or {@link LiveRounds#NO_PID}.
     * @param json      the report's file, beside which histograms are written, or null for none of them.
     * @param progress  gets a line for each turn.
     */
    LatencyScenario(
        final LatencyPlan plan,
        final String bootstrap,
        final long brokerPid,
        final Path json,
        final Consumer<String> progress)
    {
        this.plan = plan;
        this.bootstrap = bootstrap;
        this.brokerPid = brokerPid;
        this.json = json;
        this.progress = progress;
        results.notRun().add(new NotRun(NAME, NotRun.EVERY, LiveRows.LIBRDKAFKA, "its program tells no latency"));
    }

    Results run() throws InterruptedException, IOException
    {
        try (CaseTopic topic = new CaseTopic(bootstrap, NAME, 1, plan.bootstrap() != null);
            ClientProcesses clients = new ClientProcesses(settings(topic.name())))
        {
            final LiveRounds rounds = new LiveRounds(clients.list(), brokerPid, progress);
            for (final int rate : plan.rates())
            {
                runRate(rate, topic.name(), rounds);
            }
        }
        return results;
    }

    private Map<String, ClientSettings> settings(final String topic)
    {
        final Map<String, ClientSettings> settings = new LinkedHashMap<>();
        plan.clients().forEach(client -> settings.put(client.client(), client.settings(bootstrap, topic)));
        return settings;
    }

    private void runRate(final int rate, final String topic, final LiveRounds rounds)
        throws InterruptedException, IOException
    {
        final String caseName = LatencyPlan.caseName(rate);
        final ProducerSettings settings = new ProducerSettings(bootstrap, topic, new int[]{PARTITION}, rate,
            LatencyPlan.VALUE_LENGTH, LatencyPlan.LINGER_MS, LatencyPlan.ACKS);
        try (ProducerProcess producer = ProducerProcess.start(settings))
        {
            producer.awaitStart();
            producer.run();
            // Nobody's turn shall be the one in which the producer's JVM, or the broker's, compiles.
            TimeUnit.SECONDS.sleep(plan.timing().firstWarmUpSeconds());
            producer.measure();
            final Map<String, Turn[]> turns = rounds.run(caseName, plan.timing());
            if (json != null)
            {
                results.attachments().addAll(LatencyLogs.write(json, NAME, caseName, turns));
            }
            results.rows().addAll(rows(caseName, turns));
            results.rows().addAll(producer.stop().rows(NAME, caseName));
        }
    }

    private static List<Row> rows(final String caseName, final Map<String, Turn[]> turns)
    {
        final String ours = LatencyClient.ODRADEK_SPIN.client();
        final List<String> bareLoop = List.of(LatencyClient.BARE_SPIN.client());
        final LiveRows rows = new LiveRows(NAME, caseName, turns).addLatency().addUsage();
        for (final String metric : List.of(P50, P99))
        {
            rows.addRatio(ours, metric, LiveRows.TO_BARE_LOOP, bareLoop);
            rows.addRatio(ours, metric, LiveRows.TO_STOCK, LatencyClient.STOCK_CLIENTS);
        }
        return rows.rows();
    }
}
