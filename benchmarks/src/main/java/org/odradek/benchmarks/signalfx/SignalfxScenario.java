// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.signalfx;

import org.odradek.benchmarks.arm.CaseTopic;
import org.odradek.benchmarks.live.ClientProcesses;
import org.odradek.benchmarks.live.ClientSettings;
import org.odradek.benchmarks.live.FlameGraphs;
import org.odradek.benchmarks.live.LatencyLogs;
import org.odradek.benchmarks.live.LiveRounds;
import org.odradek.benchmarks.live.LiveRows;
import org.odradek.benchmarks.live.ProducerProcess;
import org.odradek.benchmarks.live.ProducerSettings;
import org.odradek.benchmarks.live.ProducerUsage;
import org.odradek.benchmarks.live.Results;
import org.odradek.benchmarks.live.Turn;
import org.odradek.benchmarks.report.NotRun;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Case by case: start the producer's schedule, let the clients take turns on it, make rows. The first case is profiled
 * after its turns.
 */
final class SignalfxScenario
{
    static final String NAME = "signalfx";
    static final String LATENCY_P50 = "latencyP50Us";
    static final String LATENCY_P99 = "latencyP99Us";

    private static final int PARTITION = 0;

    private final SignalfxPlan plan;
    private final String bootstrap;
    private final long brokerPid;
    private final Path json;
    private final Consumer<String> progress;
    private final Results results = new Results();

    /**
     * @param bootstrap HOST:PORT of the cluster that is used.
     * @param brokerPid of its process, or {@link LiveRounds#NO_PID}.
     * @param json      the report's file, beside which others are written, or null for none of them.
     * @param progress  gets a line now and then.
     */
    SignalfxScenario(
        final SignalfxPlan plan,
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
    }

    Results run() throws InterruptedException, IOException
    {
        try (CaseTopic topic = new CaseTopic(bootstrap, NAME, 1, plan.bootstrap() != null);
            ClientProcesses clients = new ClientProcesses(plan.clients(), bootstrap, topic.name(), PARTITION))
        {
            final String whyNot = clients.addLibrdkafka(bootstrap, topic.name(), PARTITION);
            if (whyNot != null)
            {
                results.notRun().add(new NotRun(NAME, NotRun.EVERY, LiveRows.LIBRDKAFKA, whyNot));
            }
            final LiveRounds rounds = new LiveRounds(clients.list(), brokerPid, progress);
            for (final SignalfxCase each : plan.cases())
            {
                runCase(each, topic.name(), rounds);
            }
        }
        return results;
    }

    private void runCase(final SignalfxCase each, final String topic, final LiveRounds rounds)
        throws InterruptedException, IOException
    {
        final String caseName = each.caseName();
        final ProducerSettings settings = new ProducerSettings(bootstrap, topic, new int[]{PARTITION},
            each.recordsPerSecond(), SignalfxPlan.VALUE_LENGTH, each.lingerMs(), SignalfxPlan.ACKS);
        try (ProducerProcess producer = ProducerProcess.start(settings))
        {
            producer.awaitStart();
            producer.run();
            producer.measure();
            final Map<String, Turn[]> turns = rounds.run(caseName, plan.timing(each));
            if (json != null)
            {
                results.attachments().addAll(LatencyLogs.write(json, NAME, caseName, turns));
                profile(each, topic);
            }
            final ProducerUsage produced = producer.stop();
            progress.accept(String.format(Locale.ROOT,
                "%s: the producer sent %,.0f records/s, at worst %.1f ms late", caseName, produced.recordsPerSecond(),
                produced.worstLagNs() / 1e6));
            addRows(caseName, turns, produced);
        }
    }

    private void addRows(final String caseName, final Map<String, Turn[]> turns, final ProducerUsage produced)
    {
        results.rows().addAll(new LiveRows(NAME, caseName, turns).addUsage().addPerRecord().addLatency()
            .addRatios(LiveRows.THREAD_CPU, LiveRows.PROCESS_CPU, LATENCY_P50, LATENCY_P99).rows());
        results.rows().addAll(produced.rows(NAME, caseName));
    }

    private void profile(final SignalfxCase each, final String topic) throws InterruptedException
    {
        if (each.equals(plan.cases().get(0)))
        {
            progress.accept(each.caseName() + ": profiling for flame graphs");
            final List<ClientSettings> profiled = plan.profiled().stream()
                .map(kind -> ClientSettings.of(kind, bootstrap, topic, PARTITION)).toList();
            results.attachments().addAll(
                new FlameGraphs(json, NAME, plan.profileWarmUpSeconds(), plan.profileSeconds(), progress)
                .write(each.caseName(), profiled));
        }
    }
}
