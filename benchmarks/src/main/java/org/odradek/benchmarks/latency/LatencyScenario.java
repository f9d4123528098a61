/*
 * Licensed under the Apache License, Version 2.0; see the file LICENSE.
 */
package org.odradek.benchmarks.latency;

import org.odradek.benchmarks.arm.CaseTopic;
import org.odradek.benchmarks.live.ClientProcess;
import org.odradek.benchmarks.live.ProducerProcess;
import org.odradek.benchmarks.live.ProducerSettings;
import org.odradek.benchmarks.live.ProducerUsage;
import org.odradek.benchmarks.live.Usage;
import org.odradek.benchmarks.report.TurnOrder;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Rate by rate and round by round, each client alone with producer and broker. The clients' JVMs are kept for all
 * rates, so that what is compiled stays so; each rate has a producer of its own.
 */
final class LatencyScenario
{
    private static final int PARTITION = 0;

    private final LatencyPlan plan;
    private final String bootstrap;
    private final Consumer<String> progress;

    /**
     * @param bootstrap HOST:PORT of the cluster that is used.
     * @param progress  gets a line for each run.
     */
    LatencyScenario(final LatencyPlan plan, final String bootstrap, final Consumer<String> progress)
    {
        this.plan = plan;
        this.bootstrap = bootstrap;
        this.progress = progress;
    }

    /**
     * @return every run, in the order of rates, rounds and turns.
     */
    List<LatencyRun> run() throws InterruptedException
    {
        final List<LatencyRun> runs = new ArrayList<>();
        final List<ClientProcess> clients = new ArrayList<>();
        try (CaseTopic topic = new CaseTopic(bootstrap, "latency", 1, plan.bootstrap() != null))
        {
            for (final LatencyClient client : plan.clients())
            {
                clients.add(ClientProcess.start(client.client(), client.settings(bootstrap, topic.name())));
            }
            clients.forEach(ClientProcess::awaitStart);
            for (final int rate : plan.rates())
            {
                runRate(rate, topic.name(), clients, runs);
            }
        }
        finally
        {
            clients.forEach(ClientProcess::close);
        }
        return runs;
    }

    private void runRate(
        final int rate, final String topic, final List<ClientProcess> clients, final List<LatencyRun> runs)
        throws InterruptedException
    {
        final ProducerSettings settings = new ProducerSettings(bootstrap, topic, new int[]{PARTITION}, rate,
            LatencyPlan.VALUE_LENGTH, LatencyPlan.LINGER_MS, LatencyPlan.ACKS);
        try (ProducerProcess producer = ProducerProcess.start(settings))
        {
            producer.awaitStart();
            for (int round = 0; round < plan.rounds(); round++)
            {
                for (final int turn : TurnOrder.ofRound(round, clients.size()))
                {
                    final LatencyRun run = runClient(rate, round, clients.get(turn), producer);
                    runs.add(run);
                    progress.accept(String.format(Locale.ROOT,
                        "%s, round %d of %d, %s: p50 %,.0f us, p99 %,.0f us, worst %,.0f us", LatencyRun.caseName(rate),
                        round + 1, plan.rounds(), run.client(), run.us(50), run.us(99), run.us(100)));
                }
            }
        }
    }

    private LatencyRun runClient(
        final int rate, final int round, final ClientProcess client, final ProducerProcess producer)
        throws InterruptedException
    {
        client.run();
        producer.run();
        TimeUnit.SECONDS.sleep(plan.warmUpSeconds());
        producer.measure();
        client.measure();
        TimeUnit.SECONDS.sleep(plan.seconds());
        final Usage usage = client.stop();
        final ProducerUsage sent = producer.stop();
        return new LatencyRun(rate, round, client.client(), usage, sent, usage.latencyHistogram());
    }
}
