// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.produce;

import org.odradek.benchmarks.clients.Arms;
import org.odradek.benchmarks.report.Environment;
import org.odradek.benchmarks.report.Metric;
import org.odradek.benchmarks.report.Rival;
import org.odradek.benchmarks.report.Rows;
import org.odradek.benchmarks.report.Usage;
import org.odradek.benchmarks.rig.Arm;
import org.odradek.benchmarks.rig.CaseTopic;
import org.odradek.benchmarks.rig.Child;
import org.odradek.benchmarks.rig.Cluster;
import org.odradek.benchmarks.rig.OptionCheck;
import org.odradek.benchmarks.rig.OptionCheck.Range;
import org.odradek.benchmarks.rig.Scenario;
import org.odradek.benchmarks.rig.Scenario.Facts;
import org.odradek.benchmarks.rig.Settings;
import org.odradek.benchmarks.rig.TakenTurns;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;

/**
 * {@code bench produce}: what does it cost to publish? Case by case it starts a JVM for each client, and lets them take
 * turns: so many records as fast as one thread can offer them, or a trickle on schedule. Every turn ends
 * when all of its records are acknowledged.
 */
@Command(name = ProduceScenario.NAME,
    description = "Publishes as fast as one thread can, and 5,000 records a second: ours and its rivals.")
@Facts(quickSeconds = 120, seconds = 2_880, columns = {"recordsPerSecond", "megabytesPerSecond", "processCpuPerRecord",
    "allocatedBytesPerRecord", "brokerCpuPercent", "recordsPerSecondToBestRival", "processCpuPerRecordToBestRival",
    "latencyP50Us", "latencyP99Us", "latencyP999Us", "latencyP50UsToStock"})
public final class ProduceScenario extends Scenario.OnCluster
{
    static final String NAME = "produce";
    static final Arm ODRADEK = arm("odradek-publisher", true);
    static final Arm STOCK = arm("stock", false);
    static final Arm LIBRDKAFKA = Arms.LIBRDKAFKA_PRODUCER;
    private static final String NONE = "none";
    private static final int[] PARTITIONS = {1, 8, 64};
    static final List<Case> CASES = cases();
    private static final List<Case> QUICK_CASES =
        List.of(new Case(100, false, 8, "1", NONE), new Case(100, true, 8, "all", NONE), Case.TRICKLE);
    private static final Child.Jvm JVM = Child.Jvm.STANDARD.with(List.of("-XX:MaxDirectMemorySize=256m"));
    private static final int WARM_UP_TURNS = 2;
    private static final int BYTES_AROUND_VALUE = 8;
    private static final int RATE = 5_000;
    /** Enough for a turn: what was published before need not stay. */
    private static final Map<String, String> TOPIC_CONFIGS =
        Map.of("retention.bytes", "1", "segment.bytes", "67108864", "file.delete.delay.ms", "1000");

    @Range
    @Option(names = "--passes", paramLabel = "N",
        description = "Measured turns of each client in each case (default: 5, with --quick 3).")
    private Integer passes;
    @Option(names = "--cases", paramLabel = "REGEX",
        description = "Only the cases whose names match, from those of the full form.")
    private String pattern;

    /**
     * @param acks        of each batch, as Kafka has it.
     * @param compression as Kafka has it.
     */
    record Case(int valueLength, boolean hasKeys, int partitions, String acks, String compression)
    {
        /** The records of one partition in the order of a schedule. */
        static final Case TRICKLE = new Case(100, false, 1, "1", NONE);

        /** Ours is compared with the stock client without linger only. */
        List<Arm> arms(final List<Arm> all)
        {
            return all.stream().filter((arm) -> !isTrickle() || !arm.name().equals(LIBRDKAFKA.name())).toList();
        }

        String command(final Effort effort)
        {
            return isTrickle() ? ProduceTask.TRICKLE + " " + effort.trickleMs() :
                ProduceTask.PUBLISH + " " + valueLength + " " + (hasKeys ? 1 : 0);
        }

        String words(final Usage usage)
        {
            return isTrickle() ? String.format(Locale.ROOT, "p50 %.0f us", usage.latencyUs(50)) :
                String.format(Locale.ROOT, "%.2f M records/s", usage.perSecond(usage.records) / 1e6);
        }

        boolean isTrickle()
        {
            return this == TRICKLE;
        }

        String name()
        {
            return isTrickle() ? "5,000/s, acks 1" : valueLength + " B" + (hasKeys ? ", keys" : "") + ", " +
                partitions + (partitions == 1 ? " partition" : " partitions") + ", acks " + acks +
                (compression.equals(NONE) ? "" : ", " + compression);
        }
    }

    /**
     * @param bytes     of the records of a pass.
     * @param trickleMs of a turn.
     */
    record Effort(int warmUpTurns, int turns, long bytes, int trickleMs)
    {
        int records(final Case each)
        {
            return (int)(bytes / (each.valueLength() + BYTES_AROUND_VALUE));
        }
    }

    private static Arm arm(final String name, final boolean isOurs)
    {
        return new Arm(name, (arm, settings, jvm) -> Child.start(arm, ProduceTask.class, settings, jvm),
            Settings.of("isOurs", isOurs));
    }

    private static List<Case> cases()
    {
        final List<Case> cases = new ArrayList<>();
        for (final String acks : List.of("1", Producing.ACKS_ALL))
        {
            for (final int partitions : PARTITIONS)
            {
                for (final int valueLength : new int[] {23, 100, 1_000})
                {
                    cases.add(new Case(valueLength, false, partitions, acks, NONE));
                    cases.add(new Case(valueLength, true, partitions, acks, NONE));
                }
            }
        }
        for (final int partitions : PARTITIONS)
        {
            cases.add(new Case(1_000, false, partitions, Producing.ACKS_ALL, "lz4"));
        }
        cases.add(Case.TRICKLE);
        return cases;
    }

    private Effort effort()
    {
        final int turns = passes != null ? passes : isQuick() ? 3 : 5;
        return isQuick() ? new Effort(WARM_UP_TURNS, turns, 100_000_000, 5_000) :
            new Effort(WARM_UP_TURNS, turns, 200_000_000, 10_000);
    }

    private List<Case> chosen()
    {
        return pattern != null ? CASES.stream().filter((each) -> each.name().matches(pattern)).toList() :
            isQuick() ? QUICK_CASES : CASES;
    }

    @Override
    protected void check(final OptionCheck check)
    {
        super.check(check);
        check.cases(pattern, !chosen().isEmpty(), CASES.get(0).name());
    }

    @Override
    protected Results run(final Cluster cluster)
    {
        return run(cluster, onChosenJvm(List.of(ODRADEK, STOCK, LIBRDKAFKA)), chosen(), effort(), this::say);
    }

    @Override
    protected Map<String, Object> settings()
    {
        return Environment.ordered(
            "broker", Cluster.describe(bootstrap()),
            "cases", chosen().stream().map(Case::name).toList(),
            "records", chosen().stream().map((each) -> each.isTrickle() ? 0 : effort().records(each)).toList(),
            "warmUpTurns", effort().warmUpTurns(), "turns", effort().turns(), "trickleMs", effort().trickleMs(),
            "armJvmFlags", JVM.flags(),
            "batchLengths", chosen().stream().map((each) -> OdradekProducing.batchLength(each.partitions())).toList(),
            "bufferMemory", OdradekProducing.BUFFER_MEMORY,
            "requestMaxLength", OdradekProducing.REQUEST_LENGTH,
            "sendIntervalUs", OdradekProducing.SEND_INTERVAL_US + ", of the trickle 0",
            "stock", StockProducing.TUNED, "stockOfTrickle", "linger.ms=0",
            "librdkafka", "linger.ms=5, batch.num.messages=100000, delivery.report.only.error=true");
    }

    /** Ours must have run, and the stock client. */
    @Override
    protected boolean isComplete(final Results results)
    {
        return results.notRun().stream().allMatch((left) -> left.client().equals(LIBRDKAFKA.name()));
    }

    static Results run(
        final Cluster cluster,
        final List<Arm> arms,
        final List<Case> cases,
        final Effort effort,
        final Consumer<String> progress)
    {
        final Results results = new Results();
        for (final Case each : cases)
        {
            try (CaseTopic topic =
                new CaseTopic(cluster, NAME + "-" + each.valueLength(), each.partitions(), 1, TOPIC_CONFIGS);
                TakenTurns turns = new TakenTurns(NAME, cluster, JVM, progress, results.notRun()))
            {
                final Settings shared = Settings.of("topic", topic.name(), "valueLength", each.valueLength(),
                    "hasKeys", each.hasKeys(), "partitionCount", each.partitions(), "acks", each.acks(),
                    "compression", each.compression())
                    .with(cluster.connection());
                final Settings settings = each.isTrickle() ?
                    shared.with("rate", RATE) : shared.with("records", effort.records(each));
                final Map<String, Usage[]> taken = turns.start(each.name(), each.arms(arms), settings)
                    .run(each.name(), each.command(effort), effort.warmUpTurns(), effort.turns(), each::words);
                results.rows().addAll(rows(new Rows(NAME, each.name()), taken).list());
            }
        }
        return results;
    }

    private static Rows rows(final Rows rows, final Map<String, Usage[]> turns)
    {
        return rows.add(turns, Metric.RECORDS_PER_SECOND, Metric.MEGABYTES_PER_SECOND, Metric.THREAD_CPU_PER_RECORD,
            Metric.PROCESS_CPU_PER_RECORD, Metric.ALLOCATED_PER_RECORD, Metric.PROCESS_ALLOCATED_PER_RECORD,
            Metric.PROCESS_CPU, Metric.BROKER_CPU, Metric.COMPILER).add(turns, Metric.LATENCY)
            .addRatios(List.of(ODRADEK.name()),
            List.of(Metric.RECORDS_PER_SECOND, Metric.PROCESS_CPU_PER_RECORD), Rival.BEST)
            .addRatios(List.of(ODRADEK.name()), List.of(Metric.P50, Metric.P99), Rival.STOCK);
    }
}
