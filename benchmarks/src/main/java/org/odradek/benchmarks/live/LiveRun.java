// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.live;

import org.odradek.benchmarks.report.Environment;
import org.odradek.benchmarks.report.RowTable;
import org.odradek.testkit.BrokerProcess;

import java.io.IOException;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * What every scenario on a live topic does around its turns: says how long it will take, provides the cluster, prints
 * the table, writes the JSON, and says how it ended.
 */
public final class LiveRun
{
    private final String scenario;
    private final LiveOptions options;

    /**
     * @param scenario its name, which each line begins with.
     * @param options  that were checked.
     */
    public LiveRun(final String scenario, final LiveOptions options)
    {
        this.scenario = scenario;
        this.options = options;
    }

    /** The turns of a scenario. */
    public interface Turns
    {
        /**
         * @param bootstrap HOST:PORT of the cluster that is used.
         * @param brokerPid of its process, or {@link LiveRounds#NO_PID}.
         * @return what was found.
         * @throws IOException          if a file cannot be written.
         * @throws InterruptedException if the run is broken off.
         */
        Results run(String bootstrap, long brokerPid) throws IOException, InterruptedException;
    }

    /**
     * @param totalSeconds about how long it takes.
     * @param settings     for the report.
     * @param columns      the heading of each metric that is printed, by its name.
     * @param turns        to be made.
     * @throws IOException          if a file cannot be written.
     * @throws InterruptedException if the run is broken off.
     */
    public void run(
        final int totalSeconds,
        final Map<String, Object> settings,
        final Map<String, String> columns,
        final Turns turns) throws IOException, InterruptedException
    {
        final long startNs = System.nanoTime();
        say("about " + totalSeconds + " s");
        final Results results = options.bootstrap() == null ?
            runOnOwnBroker(turns) : turns.run(options.bootstrap(), LiveRounds.NO_PID);

        System.out.println();
        System.out.print(RowTable.format(results.rows(), columns));
        results.notRun().forEach(absent -> System.out.println(absent.sentence()));
        System.out.println();
        if (options.json() != null)
        {
            results.toReport(Environment.describe(settings)).writeTo(options.json());
        }
        say("done in " + TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - startNs) + " s" +
            (options.json() == null ? "" : ", results in " + options.json()));
    }

    private Results runOnOwnBroker(final Turns turns) throws IOException, InterruptedException
    {
        say("starting a broker");
        try (BrokerProcess broker = BrokerProcess.start())
        {
            return turns.run(broker.bootstrapServers(), broker.pid());
        }
    }

    /**
     * @param line to print, behind the scenario's name.
     */
    public void say(final String line)
    {
        System.out.println(scenario + ": " + line);
    }
}
