// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.jmh;

import org.odradek.benchmarks.report.Environment;
import org.odradek.benchmarks.report.OptionCheck;
import org.odradek.benchmarks.report.Report;
import org.odradek.benchmarks.report.Row;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;

/**
 * {@code bench jmh}: checks its options, says how long it will take, and how it ended.
 */
@Command(
    name = "jmh",
    description = "Reads recorded fetches from memory: our consumer, the stock one, its record sets, the codecs alone.",
    mixinStandardHelpOptions = true,
    sortOptions = false)
public final class JmhCommand implements Callable<Integer>
{
    @Spec
    private CommandSpec spec;

    @Option(names = "--quick", description = "Fewer cases, JVMs and iterations: a look, not a measurement.")
    private boolean isQuick;

    @Option(names = "--json", paramLabel = "FILE", description = "Write the figures there as well.")
    private Path json;

    @Override
    public Integer call() throws Exception
    {
        new OptionCheck(spec).writable("--json", json);
        final long startNs = System.nanoTime();
        final JmhPlan plan = isQuick ? JmhPlan.quick() : JmhPlan.full();
        say(plan.cases().size() + " cases in " + plan.forks() + " rounds, about " + plan.expectedSeconds() + " s");
        final List<Row> rows = new JmhScenario(plan, JmhCommand::say).run();

        System.out.println();
        System.out.print(JmhTable.format(rows));
        System.out.println();
        if (json != null)
        {
            new Report(Environment.describe(plan.settings()), rows).writeTo(json);
        }
        say("done in " + TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - startNs) + " s" +
            (json == null ? "" : ", results in " + json));
        return CommandLine.ExitCode.OK;
    }

    private static void say(final String line)
    {
        System.out.println("jmh: " + line);
    }
}
