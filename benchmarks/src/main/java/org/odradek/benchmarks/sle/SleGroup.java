// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.sle;

import org.HdrHistogram.Histogram;
import org.odradek.benchmarks.live.ClientMain;
import org.odradek.benchmarks.live.ClientProcess;
import org.odradek.benchmarks.live.ClientSettings;
import org.odradek.benchmarks.live.ProducerProcess;
import org.odradek.benchmarks.live.Usage;
import org.odradek.testkit.JavaProcess;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * One consumer for each partition, all of the same client, each in a JVM of its own.
 */
final class SleGroup implements AutoCloseable
{
    private final SleClient client;
    private final int warmUpSeconds;
    private final List<ProducerProcess> producers;
    private final List<ClientProcess> consumers = new ArrayList<>();

    SleGroup(
        final SleClient client,
        final SlePlan plan,
        final String bootstrap,
        final String topic,
        final List<ProducerProcess> producers)
    {
        this.client = client;
        this.producers = producers;
        warmUpSeconds = plan.timing().warmUpSeconds();
        for (int partition = 0; partition < SlePlan.PARTITIONS; partition++)
        {
            consumers.add(ClientProcess.start(client.client(),
                ClientSettings.of(client.kind(), bootstrap, topic, partition),
                JavaProcess.of(ClientMain.class).java(plan.jvm().java())
                    .flags(plan.jvm().flags().toArray(new String[0]))));
        }
        consumers.forEach(ClientProcess::awaitStart);
    }

    /** Reads for a while, of which nothing is kept. */
    void practise(final int rate, final int seconds) throws InterruptedException
    {
        run(rate, seconds);
        stop();
    }

    /**
     * @return what became of the level at this rate. A consumer that is behind at the end of the window shows it in
     *     its latencies, because a record's latency counts from when it was to be sent.
     */
    SleProbe probe(final int round, final Level level, final int rate) throws InterruptedException
    {
        run(rate, warmUpSeconds);
        TimeUnit.SECONDS.sleep(level.seconds());
        Histogram latency = null;
        double cpuPercent = 0;
        for (final Usage usage : stop())
        {
            final Histogram next = usage.latencyHistogram();
            if (latency == null)
            {
                latency = next;
            }
            else
            {
                latency.add(next);
            }
            cpuPercent += usage.cpuPercent(usage.processCpuNs());
        }
        return new SleProbe(round, level, client, rate, level.isKeptBy(latency), latency, cpuPercent);
    }

    /** Returns when what comes from then on counts. */
    private void run(final int rate, final int seconds) throws InterruptedException
    {
        consumers.forEach(ClientProcess::run);
        for (final ProducerProcess producer : producers)
        {
            producer.run(rate / producers.size());
        }
        TimeUnit.SECONDS.sleep(seconds);
        producers.forEach(ProducerProcess::measure);
        consumers.forEach(ClientProcess::measure);
    }

    private List<Usage> stop()
    {
        final List<Usage> usages = consumers.stream().map(ClientProcess::stop).toList();
        producers.forEach(ProducerProcess::stop);
        return usages;
    }

    @Override
    public void close()
    {
        consumers.forEach(ClientProcess::close);
    }
}
