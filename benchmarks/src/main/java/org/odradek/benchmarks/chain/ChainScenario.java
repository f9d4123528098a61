// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.chain;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import org.odradek.benchmarks.chain.ChainTask.Result;
import org.odradek.benchmarks.report.Environment;
import org.odradek.benchmarks.report.Report.NotRun;
import org.odradek.benchmarks.report.Report.Row;
import org.odradek.benchmarks.report.TurnOrder;
import org.odradek.benchmarks.report.Usage;
import org.odradek.benchmarks.rig.CaseTopic;
import org.odradek.benchmarks.rig.Child;
import org.odradek.benchmarks.rig.Cluster;
import org.odradek.benchmarks.rig.OptionCheck;
import org.odradek.benchmarks.rig.OptionCheck.Range;
import org.odradek.benchmarks.rig.Scenario;
import org.odradek.benchmarks.rig.Scenario.Facts;
import org.odradek.benchmarks.rig.Settings;
import org.odradek.testkit.BrokerSettings;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * {@code bench chain}: how many chains of five services fit on a machine? Where each chain has a partition of its own
 * at each step the broker is the limit, because it works by batch and partition. Where chains share four partitions a
 * batch holds the messages of many chains, and the client is the limit: what a message costs the stock producer, in the
 * threads that call it and in its own. The CPU of all of these is shown.
 * <p>
 * Round by round and arm by arm it starts a JVM, steps up the chains until the limit breaks, then looks closer. With
 * {@code --below} another limit than 100 ms is a result of its own, of arms with short intervals. An arm that lost a
 * message, got one twice, or failed otherwise has no figures.
 */
@Command(name = ChainScenario.NAME,
    description = "Finds how many chains of five services, each 1,000 messages a second, keep p99.9 below a limit.")
@Facts(quickSeconds = 175, seconds = 4_400, columns = {"chains", "latencyP50Us", "latencyP99Us", "latencyP999Us",
    "latencyMaxUs", "uncorrectedLatencyP999Us", "processCpuPercent", "threadCpuPercent", "producerCpuPercent",
    "brokerCpuPercent"})
public final class ChainScenario extends Scenario.OnCluster
{
    static final String NAME = "chain";
    /** Thousands of logs in memory: an index of the default size would take 10 MiB of each, and what is old goes. */
    private static final Map<String, String> TOPIC_CONFIGS = Map.of("segment.index.bytes", "1048576",
        "segment.bytes", "67108864", "retention.bytes", "67108864", "file.delete.delay.ms", "1000");
    private static final Map<String, String> BROKER_CONFIGS = Map.of("log.retention.check.interval.ms", "10000");
    /** With what Chronicle Queue needs on JDK 17 and later, as its documentation has it; the same for all arms. */
    private static final Child.Jvm JVM = Child.Jvm.STANDARD.with(List.of(
        "-Xmx1g", "-XX:MaxDirectMemorySize=2g",
        "--add-exports=java.base/jdk.internal.ref=ALL-UNNAMED", "--add-exports=java.base/sun.nio.ch=ALL-UNNAMED",
        "--add-exports=jdk.unsupported/sun.misc=ALL-UNNAMED",
        "--add-exports=jdk.compiler/com.sun.tools.javac.file=ALL-UNNAMED",
        "--add-opens=jdk.compiler/com.sun.tools.javac=ALL-UNNAMED",
        "--add-opens=java.base/java.lang=ALL-UNNAMED", "--add-opens=java.base/java.lang.reflect=ALL-UNNAMED",
        "--add-opens=java.base/java.io=ALL-UNNAMED", "--add-opens=java.base/java.util=ALL-UNNAMED",
        "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED", "-Dorg.slf4j.simpleLogger.defaultLogLevel=error"));

    private static final int MOST_CHAINS = 1_000;
    private static final int USUAL_BELOW_MS = 100;
    /** A search from one chain up has so many more steps. */
    private static final int STEPS_FROM_ONE = 5;

    @Option(names = "--clients", split = ",", paramLabel = "NAME",
        description = "Only these (default: article-stock, stock-timeout, stock-one-thread, stock-shared, " +
            "odradek-per-service, odradek-multiplexed, odradek-shared, odradek-publisher, " +
            "odradek-publisher-acks-all, chronicle-queue; and, but for --quick, stock-shared-2ms, " +
            "odradek-publisher-5ms, -2ms and -1ms, odradek-publisher-acks-all-5ms, -2ms and -1ms; with --below " +
            "stock-shared, odradek-publisher and odradek-publisher-acks-all with -2ms, -1ms and -0ms, and " +
            "chronicle-queue).")
    private List<String> clients;
    @Option(names = "--chains", defaultValue = "0", paramLabel = "N",
        description = "Run this number of chains only, instead of searching.")
    private int chains;
    @Range(least = 1, most = USUAL_BELOW_MS)
    @Option(names = "--below", defaultValue = "" + USUAL_BELOW_MS, paramLabel = "MS",
        description = "Where p99.9 must be for chains to hold; below the default, searches begin with one chain and " +
            "all intervals are short (default: ${DEFAULT-VALUE}).")
    private int belowMs;
    /** Up to six of these are in a latency; the rest of the 100 ms is for what gets in the way. */
    @Range(least = 0, most = 100)
    @Option(names = "--linger", defaultValue = "10", paramLabel = "MS",
        description = "Linger of the stock producer, and interval of our publisher, of all clients without one in " +
            "their names (default: ${DEFAULT-VALUE}).")
    private int lingerMs;
    private final LogFolder folder = LogFolder.find();

    /**
     * @param rounds     turns of each arm, each in a new JVM with a search of its own.
     * @param practiceMs before the first step of a JVM, with half of its chains: the arm and what of the broker it
     *                   needs are compiled meanwhile. Nothing of it is kept.
     * @param warmUpMs   of each step, not measured.
     * @param measuredMs of each step.
     * @param maxSteps   of each search at most.
     * @param tries      a step that broke is tried so often before it counts.
     */
    record Effort(int rounds, int practiceMs, int warmUpMs, int measuredMs, int maxSteps, int tries)
    {
        static final Effort QUICK = new Effort(1, 4_000, 1_000, 2_500, 3, 1);
        static final Effort FULL = new Effort(2, 20_000, 4_000, 10_000, 10, 2);
    }

    @Override
    protected void check(final OptionCheck check)
    {
        final List<String> known = Arrays.stream(ChainArm.values())
            .filter((arm) -> arm != ChainArm.PUBLISHER_BEFORE).map((arm) -> arm.client).toList();
        check.every(clients, known::contains, "--clients must be among " + String.join(", ", known))
            .every(List.of(chains), (count) -> count >= 0 && count <= MOST_CHAINS,
                "--chains must be between 1 and " + MOST_CHAINS + ", or 0 to search");
        super.check(check);
    }

    private List<ChainArm> arms()
    {
        return Arrays.stream(ChainArm.values())
            .filter((arm) -> arm == ChainArm.PUBLISHER_BEFORE ?
            earlierClassPath() != null && isChosen(ChainArm.PUBLISHER) : isChosen(arm))
            .toList();
    }

    private boolean isChosen(final ChainArm arm)
    {
        return clients != null ? clients.contains(arm.client) :
            arm.isUsual(isBelow()) && (isBelow() || !isQuick() || !arm.hasOwnInterval());
    }

    private boolean isBelow()
    {
        return belowMs < USUAL_BELOW_MS;
    }

    /** In rows: a lower limit is a result of its own. */
    private String resultName()
    {
        return isBelow() ? NAME + "-below" : NAME;
    }

    private long limitUs()
    {
        return TimeUnit.MILLISECONDS.toMicros(belowMs);
    }

    private Effort effort()
    {
        return isQuick() ? Effort.QUICK : Effort.FULL;
    }

    @Override
    protected List<BrokerSettings> brokers()
    {
        return List.of(new BrokerSettings().set(BROKER_CONFIGS).set("log.dirs", folder.ofBroker()));
    }

    @Override
    protected Results run() throws Exception
    {
        try (folder)
        {
            return super.run();
        }
    }

    @Override
    protected Results run(final Cluster cluster) throws IOException
    {
        final Results results = new Results();
        final Map<ChainArm, List<ChainSearch>> searches = search(cluster, effort(), this::say, results.notRun());
        results.rows().addAll(ChainRows.of(resultName(), searches));
        if (json() != null)
        {
            results.attachments().addAll(ChainRows.writeLogs(json(), searches, effort().measuredMs() / 1e3));
        }
        return results;
    }

    @Override
    protected Map<String, Object> settings()
    {
        final Map<String, Object> settings = Environment.ordered(
            "broker", Cluster.describe(bootstrap()),
            "arms", arms().stream().map((arm) -> arm.client).toList(),
            "services", Chains.SERVICES,
            "logs", folder.kind(),
            "messagesPerSecondAndChain", 1_000_000_000 / Messages.PERIOD_NS,
            "limit", "p99.9 below " + belowMs + " ms, coordinated omission corrected");
        settings.putAll(new ObjectMapper().convertValue(effort(), new TypeReference<Map<String, Object>>() { }));
        settings.putAll(Environment.ordered(
            "armJvmFlags", JVM.flags(),
            "producerAcks", KafkaChains.ACKS + ", but all where a client's name says so",
            "producerLingerMs", lingerMs,
            "producerBatchSizeOfChain", KafkaChains.BATCH_SIZE_OF_CHAIN,
            "sharedPartitions", KafkaChains.SHARED_PARTITIONS,
            "articleTimeoutNs", Chains.ARTICLE_TIMEOUT.toNanos(),
            "stockTimeoutMs", Chains.STOCK_TIMEOUT.toMillis()));
        return settings;
    }

    @Override
    protected List<Row> shown(final List<Row> rows)
    {
        return rows.stream().filter((row) ->
            row.caseName().equals(ChainRows.HIGHEST) || row.caseName().equals(ChainRows.LOWEST_BROKEN)).toList();
    }

    /** Each of our own arms must have run. */
    @Override
    protected boolean isComplete(final Results results)
    {
        return results.notRun().stream().noneMatch((left) -> left.client().startsWith("odradek"));
    }

    /**
     * @param progress gets a line after each step.
     * @param notRun   gets the arms that failed.
     * @return of each other arm a search for each round.
     */
    Map<ChainArm, List<ChainSearch>> search(
        final Cluster cluster, final Effort effort, final Consumer<String> progress, final List<NotRun> notRun)
        throws IOException
    {
        final List<ChainArm> arms = arms();
        final Map<ChainArm, List<ChainSearch>> searches = new EnumMap<>(ChainArm.class);
        arms.forEach((arm) -> searches.put(arm, new ArrayList<>()));
        final int partitions =
            arms.stream().mapToInt((arm) -> arm.partitions(chains > 0 ? chains : arm.mostChains)).max().orElse(1);
        try (CaseTopic topics = new CaseTopic(cluster, NAME, partitions, Chains.TOPICS, TOPIC_CONFIGS))
        {
            final Settings shared = Settings.of("bootstrap", cluster.bootstrap(), "topics", topics.prefix(),
                "folder", folder.ofQueues()).with(jvmSettings());
            final Settings settings = cluster.brokerPids().isEmpty() ? shared :
                shared.with("brokerPid", cluster.brokerPids().get(0));
            for (int round = 0; round < effort.rounds(); round++)
            {
                for (final int index : TurnOrder.ofRound(round, arms.size()))
                {
                    final ChainArm arm = arms.get(index);
                    final String turn = "round " + (round + 1) + " of " + effort.rounds() + ", " + arm.client;
                    if (searches.containsKey(arm))
                    {
                        try
                        {
                            searches.get(arm).add(
                                search(arm, effort, settings, (line) -> progress.accept(turn + line)));
                        }
                        catch (final IllegalStateException ex)
                        {
                            progress.accept(turn + ": not run: " + ex.getMessage());
                            notRun.add(new NotRun(resultName(), NotRun.EVERY, arm.client, ex.getMessage()));
                            searches.remove(arm);
                        }
                    }
                }
            }
        }
        return searches;
    }

    /** Throws if a message was lost or came twice, or the arm failed otherwise. */
    private ChainSearch search(
        final ChainArm arm, final Effort effort, final Settings settings, final Consumer<String> progress)
    {
        final ChainSearch search = chains > 0 ? new ChainSearch(chains, chains, 1, effort.tries(), limitUs()) :
            isBelow() ?
            new ChainSearch(1, arm.mostChains, effort.maxSteps() + STEPS_FROM_ONE, effort.tries(), limitUs()) :
            new ChainSearch(arm.firstChains, arm.mostChains, effort.maxSteps(), effort.tries(), limitUs());
        final Settings own = arm != ChainArm.PUBLISHER_BEFORE ? settings.with("arm", arm) :
            settings.with("arm", ChainArm.PUBLISHER, Child.CLASS_PATH, earlierClassPath());
        try (Child child = Child.start(
            arm.client, ChainTask.class, own.with("lingerMs", arm.intervalMs(lingerMs)), JVM))
        {
            child.awaitStart();
            progress.accept(" practises");
            child.ask("step " + (search.next() + 1) / 2 + " 0 " + effort.practiceMs());
            for (int next = search.next(); next != ChainSearch.DONE; next = search.next())
            {
                final Result result = child.ask(
                    "step " + next + " " + effort.warmUpMs() + " " + effort.measuredMs(), Result.class);
                search.results().add(result);
                progress.accept(": " + describe(result, search.isHeld(result)));
            }
        }
        return search;
    }

    private static String describe(final Result result, final boolean isHeld)
    {
        final Usage usage = result.usage();
        return String.format(Locale.ROOT, "%s %s, %s, CPU %% of client %.0f, of broker %.0f",
            ChainRows.caseName(result.chains()), isHeld ? "held" : "broke",
            result.isCut() ? "given up with a backlog of seconds" :
                String.format(Locale.ROOT, "p99.9 %.1f ms", result.limitedUs() / 1e3),
            usage.cpuPercent(usage.processCpuNs), usage.cpuPercent(usage.brokerCpuNs));
    }
}
