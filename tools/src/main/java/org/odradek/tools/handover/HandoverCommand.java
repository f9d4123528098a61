// SPDX-License-Identifier: Apache-2.0
package org.odradek.tools.handover;

import org.odradek.testkit.BrokerProcess;
import org.odradek.testkit.BrokerSettings;
import org.odradek.tools.CommandOptions;
import org.odradek.tools.numbers.Table;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.ToDoubleFunction;

/**
 * The command {@code odradek handover}, which measures how partitions of a consumer group move. Times are medians over
 * the rounds; repeated records are those of all rounds.
 */
@Command(name = "handover", sortOptions = false,
    description = "Measure how long partitions stand still when members of a group join, leave and are killed.")
public final class HandoverCommand implements Callable<Integer>
{
    private static final List<Handover.Client> CLIENTS = List.of(
        new Handover.Client("stock", false, 0),
        new Handover.Client("odradek", true, 0),
        new Handover.Client("odradek, heartbeats of 1 s", true, 1_000));

    @Mixin
    private CommandOptions options;

    @Option(names = "--rounds", paramLabel = "N", defaultValue = "3",
        description = "How often each client joins, leaves and is killed (default: ${DEFAULT-VALUE}).")
    private int rounds;

    @Option(names = "--session", paramLabel = "SECONDS", defaultValue = "45",
        description = "Session timeout of the broker (default: ${DEFAULT-VALUE}, as Kafka's).")
    private int sessionSeconds;

    @Override
    public Integer call()
    {
        options.checkRange("--rounds", rounds, 1, 100);
        options.checkRange("--session", sessionSeconds, 6, 60);
        final List<Handover> results = new ArrayList<>();
        final String sessionMs = String.valueOf(sessionSeconds * 1_000);
        try (BrokerProcess broker = BrokerProcess.start(new BrokerSettings().set(Map.of(
            "group.consumer.min.session.timeout.ms", sessionMs, "group.consumer.session.timeout.ms", sessionMs))))
        {
            for (final Handover.Client client : CLIENTS)
            {
                options.err().println("odradek: measuring " + client.name());
                options.err().flush();
                try (Handover handover = new Handover(broker, client, results.size()))
                {
                    handover.run(rounds);
                    results.add(handover);
                }
            }
        }
        options.out().print(table(results).toText());
        options.out().flush();
        return 0;
    }

    private static Table table(final List<Handover> results)
    {
        final List<String> header = new ArrayList<>(List.of(""));
        results.forEach((result) -> header.addAll(List.of(result.client().name(), "of stock")));
        header.remove(2);
        final Table table = new Table(header.toArray(new String[0]));
        row(table, results, "join to first record, ms", (result) -> result.join().medianMs());
        row(table, results, "leave until all partitions deliver, ms", (result) -> result.leave().medianMs());
        row(table, results, "kill until all partitions deliver, ms", (result) -> result.kill().medianMs());
        row(table, results, "repeated after joins", (result) -> result.join().repeats());
        row(table, results, "repeated after leaves", (result) -> result.leave().repeats());
        row(table, results, "repeated after kills", (result) -> result.kill().repeats());
        row(table, results, "CPU of an idle member, %", Handover::idleCpu);
        return table;
    }

    private static void row(
        final Table table, final List<Handover> results, final String name, final ToDoubleFunction<Handover> value)
    {
        final double stock = value.applyAsDouble(results.get(0));
        final List<String> cells = new ArrayList<>(List.of(name, Table.figure(stock)));
        for (final Handover result : results.subList(1, results.size()))
        {
            cells.add(Table.figure(value.applyAsDouble(result)));
            cells.add(stock == 0 ? "" : Table.figure(value.applyAsDouble(result) / stock));
        }
        table.row(cells.toArray(new String[0]));
    }
}
