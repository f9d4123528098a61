// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.scenarios;

import org.odradek.benchmarks.clients.Arms;
import org.odradek.benchmarks.clients.OdradekClient;
import org.odradek.benchmarks.clients.StockClient;
import org.odradek.benchmarks.rig.Arm;
import org.odradek.benchmarks.rig.OptionCheck;
import org.odradek.benchmarks.rig.OptionCheck.Range;
import org.odradek.benchmarks.rig.Scenario.Facts;
import org.odradek.benchmarks.rig.ThreeLongs;
import org.odradek.benchmarks.scenarios.CatchupRun.Case;
import org.odradek.testkit.BrokerSettings;
import org.odradek.testkit.SecureListener;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

import java.util.ArrayList;
import java.util.List;

import static java.util.Objects.requireNonNullElse;

/** {@code bench catchup}: how fast is a log read that is already there? */
@Command(name = "catchup",
    description = "Reads prefilled partitions as fast as one thread can: ours, the stock client, the bare loop.")
@Facts(quickSeconds = 170, seconds = 1_680, tlsSeconds = 620, columns = {"recordsPerSecond", "megabytesPerSecond",
    "threadCpuPerRecord", "processCpuPerRecord", "allocatedBytesPerRecord", "brokerCpuPercent",
    "recordsPerSecondToBareLoop", "recordsPerSecondToStock"})
public final class Catchup extends CatchupRun.OnLogs
{
    static final List<Arm> ARMS = List.of(Arms.ODRADEK, Arms.ODRADEK_BUFFER, Arms.ODRADEK_MEMBER, Arms.BARE_LOOP,
        Arms.STOCK, Arms.STOCK_DEFAULTS, Arms.STOCK_NEW, Arms.LIBRDKAFKA);
    private static final List<Arm> QUICK_ARMS =
        List.of(Arms.ODRADEK, Arms.BARE_LOOP, Arms.STOCK, Arms.LIBRDKAFKA);
    private static final List<Arm> TLS_ARMS = List.of(
        Arms.ODRADEK_BORINGSSL, Arms.ODRADEK_JDK, Arms.BARE_LOOP, Arms.STOCK, Arms.STOCK_NEW, Arms.LIBRDKAFKA);
    static final List<Case> CASES = List.of(
        Case.plain(23), Case.plain(100), Case.plain(1_000),
        new Case(100, 1, "lz4", true), new Case(100, 1, "zstd", true), new Case(23, 1, Case.NO_CODEC, false),
        new Case(23, 8, Case.NO_CODEC, true), new Case(100, 8, Case.NO_CODEC, true),
        new Case(1_000, 8, Case.NO_CODEC, true));
    static final List<Case> QUICK_CASES = List.of(
        Case.plain(23), Case.plain(100), Case.plain(1_000), new Case(100, 1, "lz4", true));
    private static final List<Case> TLS_CASES = CASES.subList(0, 3);
    /** A batch may hold about a MiB, and the receive buffers here hold one fetch of that. */
    private static final int LARGEST_VALUE = 1_000_000;
    private static final List<String> CODECS = List.of(Case.NO_CODEC, "gzip", "snappy", "lz4", "zstd");
    private static final List<String> ON_AND_OFF = List.of("on", "off");

    @Option(names = "--sizes", split = ",", paramLabel = "BYTES",
        description = "Lengths of a value. Given this or one of the next three options, every combination of them is " +
            "read, and what is left out is 23,100,1000, 1, none and on; given none of them, the cases of the README.")
    private List<Integer> sizes;
    @Range(most = 64)
    @Option(names = "--partitions", split = ",", paramLabel = "N", description = "Partitions of the topic, 1 to 64.")
    private List<Integer> partitions;
    @Option(names = "--codecs", split = ",", paramLabel = "CODEC",
        description = "Of the batches: none, gzip, snappy, lz4, zstd.")
    private List<String> codecs;
    @Option(names = "--crc", split = ",", paramLabel = "on|off", description = "Whether clients check CRCs.")
    private List<String> crcs;
    @Option(names = "--tls", description = "Connect the clients with TLS; ours with both of its providers.")
    private boolean isTls;

    @Override
    protected SecureListener listener()
    {
        return isTls ? SecureListener.SSL : null;
    }

    /** The member is not polled during the turns of the other clients, which take longer than the default session. */
    @Override
    protected List<BrokerSettings> brokers()
    {
        final List<BrokerSettings> brokers = super.brokers();
        brokers.forEach((broker) -> broker.set("group.consumer.max.session.timeout.ms", "600000")
            .set("group.consumer.session.timeout.ms", "600000"));
        return brokers;
    }

    @Override
    protected void check(final OptionCheck check)
    {
        check.every(sizes, (size) -> size >= ThreeLongs.SMALLEST_VALUE && size <= LARGEST_VALUE,
            "--sizes must be between " + ThreeLongs.SMALLEST_VALUE + ", to hold three longs, and " + LARGEST_VALUE +
            ", to fit into a batch")
            .every(codecs, CODECS::contains, "--codecs must be of " + String.join(", ", CODECS))
            .every(crcs, ON_AND_OFF::contains, "--crc must be on or off");
        super.check(check);
    }

    @Override
    CatchupRun.Plan plan()
    {
        return new CatchupRun.Plan(isTls ? name() + "-tls" : name(), onChosenJvm(arms()), cases(),
            passes(3, 5), isQuick());
    }

    private List<Arm> arms()
    {
        return isTls ? TLS_ARMS : isQuick() ? QUICK_ARMS : ARMS;
    }

    private List<Case> cases()
    {
        if (sizes == null && partitions == null && codecs == null && crcs == null)
        {
            return isTls ? TLS_CASES : isQuick() ? QUICK_CASES : CASES;
        }
        final List<Case> cases = new ArrayList<>();
        requireNonNullElse(partitions, List.of(1)).forEach((partitionCount) ->
            requireNonNullElse(codecs, List.of(Case.NO_CODEC)).forEach((codec) ->
            requireNonNullElse(crcs, List.of("on")).forEach((crc) ->
            requireNonNullElse(sizes, List.of(23, 100, 1_000)).forEach((size) ->
            cases.add(new Case(size, partitionCount, codec, crc.equals("on")))))));
        return cases;
    }

    /** {@code bench cores}: how do throughput and CPU per record grow with the threads, up to one for each core? */
    @Command(name = "cores", description =
        "Reads a log with 1, 2, 4 .. threads of one process, each with its share: ours and the stock client.")
    @Facts(quickSeconds = 50, seconds = 150,
        columns = {"recordsPerSecond", "megabytesPerSecond", "processCpuPerRecord", "brokerCpuPercent"})
    public static final class Cores extends CatchupRun.OnLogs
    {
        private static final int LEAST_PARTITIONS = 8;
        private static final int CORES = Runtime.getRuntime().availableProcessors();

        @Override
        CatchupRun.Plan plan()
        {
            final List<Arm> arms = new ArrayList<>();
            for (int threads = 1; threads <= CORES; threads *= 2)
            {
                final String name = threads == 1 ? ", 1 thread" : ", " + threads + " threads";
                arms.add(Arms.threads(Arms.ODRADEK.name() + name, OdradekClient.class, threads));
                arms.add(Arms.threads(Arms.STOCK.name() + name, StockClient.class, threads));
            }
            final int partitions = Math.max(LEAST_PARTITIONS, Integer.highestOneBit(CORES));
            final Case only = new Case(100, partitions, Case.NO_CODEC, true);
            return new CatchupRun.Plan(name(), onChosenJvm(arms), List.of(only), passes(3, 5), isQuick());
        }
    }

    /** {@code bench migration}: the two ways on that a program for the old SimpleConsumer has, on one partition. */
    @Command(name = "migration",
        description = "Reads prefilled partitions as fast as one thread can: ours, and the SimpleConsumer facade.")
    @Facts(quickSeconds = 90, seconds = 420, columns = {"recordsPerSecond", "megabytesPerSecond", "threadCpuPerRecord",
        "processCpuPerRecord", "allocatedBytesPerRecord", "brokerCpuPercent", "recordsPerSecondToBareLoop",
        "recordsPerSecondToStock"})
    public static final class Migration extends CatchupRun.OnLogs
    {
        @Override
        CatchupRun.Plan plan()
        {
            return new CatchupRun.Plan(name(), onChosenJvm(List.of(Arms.ODRADEK, Arms.FACADE)),
                Catchup.CASES.subList(0, 3), passes(5, 5), isQuick());
        }
    }
}
