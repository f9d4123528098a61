// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.scenarios;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.odradek.benchmarks.clients.Arms;
import org.odradek.benchmarks.rig.Arm;
import org.odradek.benchmarks.rig.Cluster;
import org.odradek.benchmarks.rig.OptionCheck;
import org.odradek.benchmarks.rig.Scenario;
import org.odradek.benchmarks.rig.ThreeLongs;
import org.odradek.testkit.SecureListener;
import org.odradek.benchmarks.scenarios.CatchupPlan.Case;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * {@code bench catchup}: how fast is a log read that is already there?
 */
@Command(name = Catchup.NAME,
    description = "Reads prefilled partitions as fast as one thread can: ours, the stock client, the bare loop.")
public final class Catchup extends Scenario.OnCluster
{
    static final String NAME = "catchup";
    static final List<Arm> ARMS = List.of(Arms.ODRADEK, Arms.ODRADEK_BUFFER, Arms.BARE_LOOP, Arms.STOCK,
        Arms.STOCK_DEFAULTS, Arms.STOCK_NEW, Arms.LIBRDKAFKA);
    static final String TLS_NAME = NAME + "-tls";
    static final List<Arm> TLS_ARMS = List.of(
        Arms.ODRADEK_BORINGSSL, Arms.ODRADEK_JDK, Arms.BARE_LOOP, Arms.STOCK, Arms.STOCK_NEW, Arms.LIBRDKAFKA);
    private static final List<Case> TLS_CASES = List.of(Case.plain(23), Case.plain(100), Case.plain(1_000));
    static final List<Case> CASES = List.of(
        Case.plain(23), Case.plain(100), Case.plain(1_000),
        new Case(100, 1, "lz4", true), new Case(100, 1, "zstd", true), new Case(23, 1, Case.NO_CODEC, false),
        new Case(23, 8, Case.NO_CODEC, true), new Case(100, 8, Case.NO_CODEC, true),
        new Case(1_000, 8, Case.NO_CODEC, true));
    static final List<Case> QUICK_CASES = List.of(
        Case.plain(23), Case.plain(100), Case.plain(1_000),
        new Case(100, 1, "lz4", true), new Case(100, 1, "zstd", true), new Case(23, 8, Case.NO_CODEC, true));
    /** A batch may hold about a MiB, and the receive buffers here hold one fetch of that. */
    private static final int LARGEST_VALUE = 1_000_000;
    private static final int PASSES = 5;
    private static final int QUICK_PASSES = 3;
    private static final int MOST_PARTITIONS = 64;
    private static final List<String> CODECS = List.of(Case.NO_CODEC, "gzip", "snappy", "lz4", "zstd");
    private static final String CRC_ON = "on";
    private static final String CRC_OFF = "off";

    @Option(names = "--sizes", split = ",", paramLabel = "BYTES",
        description = "Lengths of a value. Given this or one of the next three options, every combination of them is " +
            "read, and what is left out is 23,100,1000, 1, none and on; given none of them, the cases of the README.")
    private List<Integer> sizes;
    @Option(names = "--partitions", split = ",", paramLabel = "N", description = "Partitions of the topic, 1 to 64.")
    private List<Integer> partitions;
    @Option(names = "--codecs", split = ",", paramLabel = "CODEC",
        description = "Of the batches: none, gzip, snappy, lz4, zstd.")
    private List<String> codecs;
    @Option(names = "--crc", split = ",", paramLabel = "on|off", description = "Whether clients check CRCs.")
    private List<String> crcs;
    @Option(names = "--passes", paramLabel = "N",
        description = "Measured passes of each client over each topic (default: 5, with --quick 3).")
    private Integer passes;
    @Option(names = "--tls", description = "Connect the clients with TLS; ours with both of its providers.")
    private boolean isTls;

    @Override
    protected SecureListener listener()
    {
        return isTls ? SecureListener.SSL : null;
    }

    @Override
    protected void check(final OptionCheck check)
    {
        for (final int size : orElse(sizes, List.of()))
        {
            check.that(size >= ThreeLongs.SMALLEST_VALUE && size <= LARGEST_VALUE,
                "--sizes must be between " + ThreeLongs.SMALLEST_VALUE + ", to hold three longs, and " +
                LARGEST_VALUE + ", to fit into a batch, not " + size + ".");
        }
        for (final int count : orElse(partitions, List.of()))
        {
            check.that(count >= 1 && count <= MOST_PARTITIONS,
                "--partitions must be between 1 and " + MOST_PARTITIONS + ", not " + count + ".");
        }
        for (final String codec : orElse(codecs, List.of()))
        {
            check.that(CODECS.contains(codec),
                "--codecs must be of " + String.join(", ", CODECS) + ", not " + codec + ".");
        }
        for (final String crc : orElse(crcs, List.of()))
        {
            check.that(CRC_ON.equals(crc) || CRC_OFF.equals(crc), "--crc must be on or off, not " + crc + ".");
        }
        check.that(passes == null || passes >= 1, "--passes must be at least 1, not " + passes + ".");
        super.check(check);
    }

    private CatchupPlan plan()
    {
        return CatchupPlan.of(isTls ? TLS_NAME : NAME, onChosenJvm(isTls ? TLS_ARMS : ARMS), cases(),
            passes != null ? passes : isQuick() ? QUICK_PASSES : PASSES, isQuick());
    }

    private List<Case> cases()
    {
        if (sizes == null && partitions == null && codecs == null && crcs == null)
        {
            return isTls ? TLS_CASES : isQuick() ? QUICK_CASES : CASES;
        }
        final List<Case> cases = new ArrayList<>();
        for (final int partitionCount : orElse(partitions, List.of(1)))
        {
            for (final String codec : orElse(codecs, List.of(Case.NO_CODEC)))
            {
                for (final String crc : orElse(crcs, List.of(CRC_ON)))
                {
                    for (final int size : orElse(sizes, List.of(23, 100, 1_000)))
                    {
                        cases.add(new Case(size, partitionCount, codec, CRC_ON.equals(crc)));
                    }
                }
            }
        }
        return cases;
    }

    private static <T> List<T> orElse(final List<T> given, final List<T> otherwise)
    {
        return given == null ? otherwise : given;
    }

    @Override
    public int expectedSeconds(final boolean isQuick)
    {
        return isQuick ? 240 : 1_160;
    }

    @Override
    protected Results run(final Cluster cluster) throws Exception
    {
        return new CatchupRun(plan(), cluster, this::say).run();
    }

    @Override
    protected Map<String, Object> settings()
    {
        return plan().settings(bootstrap());
    }

    @Override
    protected List<String> columns()
    {
        return CatchupRun.COLUMNS;
    }
}
