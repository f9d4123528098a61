// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.live;

import org.odradek.benchmarks.arm.ProcessCpu;
import org.odradek.benchmarks.report.TurnOrder;

import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Lets clients take turns on a live topic, round by round and never two at a time. Their processes stay, so that a JVM
 * is warm when its next turn comes.
 */
public final class LiveRounds
{
    /** Stands for a broker on another machine. */
    public static final long NO_PID = -1;

    private final List<ClientProcess> clients;
    private final long brokerPid;
    private final Consumer<String> progress;
    private final Set<String> warm = new HashSet<>();
    private int round;

    /**
     * @param clients   that have started and do not run.
     * @param brokerPid process of the broker, or {@link #NO_PID}.
     * @param progress  gets a line for each turn.
     */
    public LiveRounds(final List<ClientProcess> clients, final long brokerPid, final Consumer<String> progress)
    {
        this.clients = clients;
        this.brokerPid = brokerPid;
        this.progress = progress;
    }

    /**
     * All rounds of a case. The order goes on from the case before.
     *
     * @param timing of its turns; a client that has had one before warms up for the shorter time.
     * @return the turns of each client, round by round.
     */
    public Map<String, Turn[]> run(final String caseName, final Timing timing) throws InterruptedException
    {
        final Map<String, Turn[]> turns = new LinkedHashMap<>();
        clients.forEach(client -> turns.put(client.client(), new Turn[timing.rounds()]));
        for (int i = 0; i < timing.rounds(); i++, round++)
        {
            for (final int index : TurnOrder.ofRound(round, clients.size()))
            {
                final ClientProcess client = clients.get(index);
                final Turn turn = turn(client, timing);
                turns.get(client.client())[i] = turn;
                report(caseName, i, timing.rounds(), client.client(), turn.usage());
            }
        }
        return turns;
    }

    /**
     * A turn of each client with very brief polls, of which nothing is kept: what hardly ever runs is not compiled, and
     * who compares clients that wait would compare how they are interpreted.
     *
     * @param seconds of each.
     */
    public void practise(final int seconds) throws InterruptedException
    {
        for (final ClientProcess client : clients)
        {
            progress.accept(client.client() + " practises for " + seconds + " s");
            client.practise();
            TimeUnit.SECONDS.sleep(seconds);
            client.measure();
            client.stop();
            warm.add(client.client());
        }
    }

    private Turn turn(final ClientProcess client, final Timing timing) throws InterruptedException
    {
        client.run();
        TimeUnit.SECONDS.sleep(warm.add(client.client()) ? timing.firstWarmUpSeconds() : timing.warmUpSeconds());
        client.measure();
        final long startNs = System.nanoTime();
        final long brokerCpuNs = brokerCpuNs();
        TimeUnit.SECONDS.sleep(timing.seconds());
        final double brokerCpuPercent = 100.0 * (brokerCpuNs() - brokerCpuNs) / (System.nanoTime() - startNs);
        return new Turn(client.stop(), brokerPid == NO_PID ? Double.NaN : brokerCpuPercent);
    }

    private long brokerCpuNs()
    {
        return brokerPid == NO_PID ? 0 : ProcessCpu.ns(brokerPid);
    }

    private void report(
        final String caseName, final int roundOfCase, final int roundCount, final String client, final Usage usage)
    {
        progress.accept(String.format(Locale.ROOT, "%s, round %d of %d: %-15s %,.0f records/s, CPU of the polling " +
            "thread %.2f %%, of the process %.2f %%, %,d bytes allocated", caseName, roundOfCase + 1, roundCount,
            client, usage.perSecond(usage.records()), usage.cpuPercent(usage.threadCpuNs()),
            usage.cpuPercent(usage.processCpuNs()), usage.allocatedBytes()));
    }
}
