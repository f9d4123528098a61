// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.scenarios;

import org.odradek.benchmarks.clients.Arms;
import org.odradek.benchmarks.link.Link;
import org.odradek.benchmarks.rig.Arm;
import org.odradek.benchmarks.rig.OptionCheck;
import org.odradek.benchmarks.rig.OptionCheck.Range;
import org.odradek.benchmarks.rig.Scenario;
import org.odradek.benchmarks.rig.Scenario.Facts;
import org.odradek.benchmarks.scenarios.DistancePlan.Case;
import org.odradek.benchmarks.scenarios.DistancePlan.Timing;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import static org.odradek.benchmarks.scenarios.DistancePlan.Case.far;

/** {@code bench distance}: how fast is a log read when the broker is far away? */
@Command(name = "distance", description = "Reads prefilled partitions over a link with a delay: ours, the stock " +
    "client, librdkafka, and bare streams of bytes.")
@Facts(quickSeconds = 180, seconds = 3_000, columns = {"megabytesPerSecond", "rampMegabytesPerSecond",
    "rampMegabytesPerSecondToOwnEight", "recordsPerSecond", "processCpuPerRecord",
    "processAllocatedBytesPerRecord", "brokerCpuPercent", "recordsPerSecondToStockTuned",
    "recordsPerSecondToLibrdkafka", "recordsPerSecondToStream", "recordsPerSecondToStreamsEight"})
public final class Distance extends Scenario
{
    /**
     * Fetches like {@link Arms#STOCK_TUNED}, whose memory is not limited: it holds a response while the next one
     * arrives. Here two fit into the memory.
     */
    static final Arm ODRADEK_TUNED =
        Arms.ODRADEK.as("odradek-tuned", DistancePlan.PROXIED_ONLY, true, "fetchMemory", 100 << 20);
    static final List<Arm> ARMS = List.of(Arms.ODRADEK_DEFAULTS, Arms.ODRADEK_EIGHT, ODRADEK_TUNED,
        Arms.STOCK_TUNED, Arms.LIBRDKAFKA, Arms.STOCK_EIGHT, Arms.STREAM, Arms.STREAMS_EIGHT);
    private static final List<Arm> QUICK_ARMS = List.of(Arms.ODRADEK_DEFAULTS, Arms.ODRADEK_EIGHT, Arms.STOCK_TUNED,
        Arms.LIBRDKAFKA, Arms.STREAMS_EIGHT);
    private static final String EVERY = ".*";
    /** One after the other on one broker and one log, as far as possible: each of them takes time to prepare. */
    static final List<Case> CASES = cases();
    private static final String QUICK_CASES = "(0|20) ms, 8 partitions|20 ms, 8 partitions, send buffer -1";

    @Option(names = "--cases", paramLabel = "REGEX",
        description = "Only the cases whose names match, from those of the full form.")
    private String pattern;
    @Range
    @Option(names = "--rounds", paramLabel = "N", description = "Turns of each client in each case (default: 3).")
    private Integer rounds;
    @Range
    @Option(names = "--seconds", paramLabel = "N", defaultValue = "3",
        description = "Of a turn after its ramp (default: ${DEFAULT-VALUE}); half of it with --quick.")
    private int seconds;
    @Range(least = 1_280, most = 65_000)
    @Option(names = "--mtu", paramLabel = "BYTES", defaultValue = "16000",
        description = "Of the link (default: ${DEFAULT-VALUE}). With 1500 its own CPU limits the rate.")
    private int mtu;
    @Range(least = 0, most = 1_000_000)
    @Option(names = "--megabits", paramLabel = "N", defaultValue = "0",
        description = "A second that the link carries in each direction, 0 for no limit (default: ${DEFAULT-VALUE}).")
    private int megabits;
    private String link = "";

    private static List<Case> cases()
    {
        final List<Case> cases = new ArrayList<>();
        IntStream.of(0, 1, 20, 80).mapToObj((roundTripMs) -> far(roundTripMs, 8)).forEach(cases::add);
        cases.add(far(20, 8).with("cubic", 0.1));
        cases.add(far(20, 1));
        IntStream.of(20, 80).mapToObj((roundTripMs) -> far(roundTripMs, 64)).forEach(cases::add);
        cases.add(far(20, 8).with(100));
        Stream.of(far(20, 8), far(20, 1)).map(Case::withSendBufferOfKernel).forEach(cases::add);
        cases.add(far(20, 8).withTls());
        cases.add(far(80, 8).proxied());
        return List.copyOf(cases);
    }

    @Override
    protected void check(final OptionCheck check)
    {
        check.cases(pattern, !chosen().isEmpty(), CASES.get(0).name());
    }

    private List<Case> chosen()
    {
        final String names = pattern != null ? pattern : isQuick() ? QUICK_CASES : EVERY;
        return CASES.stream().filter((each) -> each.name().matches(names)).toList();
    }

    DistancePlan plan()
    {
        return new DistancePlan(name(), onChosenJvm(isQuick() ? QUICK_ARMS : ARMS), chosen(),
            rounds != null ? rounds : isQuick() ? 1 : 3, isQuick() ? Timing.quick(seconds) : Timing.full(seconds),
            megabits);
    }

    @Override
    protected Results run() throws IOException
    {
        try (Link opened = Link.open(mtu); Link proxy = Link.proxy())
        {
            link = opened.describe();
            say("the link is " + link);
            return new DistanceRun(plan(), opened, proxy, this::say).run();
        }
    }

    @Override
    protected Map<String, Object> settings()
    {
        return plan().settings(link);
    }
}
