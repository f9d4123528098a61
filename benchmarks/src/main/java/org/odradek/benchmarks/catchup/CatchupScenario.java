/*
 * Licensed under the Apache License, Version 2.0; see the file LICENSE.
 */
package org.odradek.benchmarks.catchup;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import org.odradek.benchmarks.report.Row;
import org.odradek.benchmarks.report.TurnOrder;
import org.odradek.testkit.JavaProcess;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

/**
 * Case by case: fill a topic, start every arm, let them take turns round by round, compare their sums, make rows.
 */
final class CatchupScenario
{
    private static final long PREFILL_TIMEOUT_MINUTES = 30;

    private final ObjectMapper mapper = new ObjectMapper();
    private final CatchupPlan plan;
    private final String bootstrap;
    private final Consumer<String> progress;

    /**
     * @param bootstrap HOST:PORT of the cluster that is used.
     * @param progress  gets a line now and then.
     */
    CatchupScenario(final CatchupPlan plan, final String bootstrap, final Consumer<String> progress)
    {
        this.plan = plan;
        this.bootstrap = bootstrap;
        this.progress = progress;
    }

    List<Row> run() throws Exception
    {
        final List<Row> rows = new ArrayList<>();
        for (final int valueLength : plan.valueLengths())
        {
            rows.addAll(runCase(valueLength));
        }
        return rows;
    }

    private List<Row> runCase(final int valueLength) throws Exception
    {
        final String caseName = valueLength + " B";
        final long records = plan.records(valueLength);
        try (CatchupTopic topic = new CatchupTopic(bootstrap, valueLength, plan.bootstrap() != null))
        {
            final String leader = topic.leader();
            final long sum = prefill(topic.name(), caseName, records, valueLength);
            final ArmSettings settings = new ArmSettings(bootstrap, leader, topic.name(), records);
            final Pass expected = new Pass(records, records * valueLength, sum, 0, 0, 0, 0);
            return CatchupRows.of(plan.scenario(), caseName, runRounds(caseName, settings, expected));
        }
    }

    private long prefill(final String topic, final String caseName, final long records, final int valueLength)
    {
        final long startNs = System.nanoTime();
        final AtomicReference<Prefill.Progress> latest = new AtomicReference<>();
        try (JavaProcess process = JavaProcess.of(Prefill.class)
            .flags("-Dorg.slf4j.simpleLogger.defaultLogLevel=warn")
            .args(bootstrap, topic, Long.toString(records), Integer.toString(valueLength))
            .onStdout(line -> latest.set(report(caseName, records, line)))
            .start())
        {
            final int exitCode = process.exitCode(PREFILL_TIMEOUT_MINUTES, TimeUnit.MINUTES);
            if (exitCode != 0 || latest.get() == null || !latest.get().done())
            {
                throw new IllegalStateException("the topic could not be filled:\n" + process.outputTail());
            }
        }
        progress.accept(String.format(Locale.ROOT, "%s: %,d records written in %.1f s",
            caseName, records, (System.nanoTime() - startNs) / 1e9));
        return latest.get().sum();
    }

    private Prefill.Progress report(final String caseName, final long records, final String line)
    {
        try
        {
            final Prefill.Progress written = mapper.readValue(line, Prefill.Progress.class);
            if (!written.done())
            {
                progress.accept(String.format(Locale.ROOT, "%s: filling the topic, %d %%",
                    caseName, 100 * written.written() / records));
            }
            return written;
        }
        catch (final JsonProcessingException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }

    private Map<ArmKind, Pass[]> runRounds(final String caseName, final ArmSettings settings, final Pass expected)
        throws IOException
    {
        final List<ArmKind> kinds = plan.arms();
        final Map<ArmKind, Pass[]> measured = new EnumMap<>(ArmKind.class);
        try (ArmProcesses arms = new ArmProcesses(kinds, settings))
        {
            for (int round = -plan.warmUpPasses(); round < plan.passes(); round++)
            {
                final StringBuilder rates = new StringBuilder();
                for (final int arm : TurnOrder.ofRound(Math.max(0, round), kinds.size()))
                {
                    final ArmKind kind = kinds.get(arm);
                    final Pass pass = arms.pass(kind);
                    pass.mustHaveReadTheSameAs(expected, kind.client());
                    if (round >= 0)
                    {
                        measured.computeIfAbsent(kind, key -> new Pass[plan.passes()])[round] = pass;
                    }
                    rates.append(String.format(Locale.ROOT, "  %s %.2f", kind.client(),
                        pass.recordsPerSecond() / 1e6));
                }
                progress.accept(caseName + ": " + nameOfRound(round) + ", M records/s:" + rates);
            }
        }
        return measured;
    }

    private String nameOfRound(final int round)
    {
        return round < 0 ?
            "warm-up " + (round + plan.warmUpPasses() + 1) + " of " + plan.warmUpPasses() :
            "round " + (round + 1) + " of " + plan.passes();
    }
}
