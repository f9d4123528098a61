// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.scenarios;

import org.odradek.benchmarks.clients.Arms;
import org.odradek.benchmarks.report.DemoPage;
import org.odradek.benchmarks.report.Metric;
import org.odradek.benchmarks.report.Report.Row;
import org.odradek.benchmarks.rig.Arm;
import org.odradek.benchmarks.rig.BacklogRun;
import org.odradek.benchmarks.rig.Cluster;
import org.odradek.benchmarks.rig.EachSecond.Second;
import org.odradek.benchmarks.rig.LiveScenario;
import org.odradek.benchmarks.rig.OptionCheck;
import org.odradek.benchmarks.rig.OptionCheck.Range;
import org.odradek.benchmarks.rig.Scenario.Facts;
import org.odradek.testkit.BrokerSettings;
import org.odradek.testkit.SecureListener;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * {@code odradek demo}: exit code 0 means that every client read every record and that ours allocated nothing. The
 * short form is one round after a backlog, with figures each second and a page; {@code --full} measures.
 */
@Command(name = "demo",
    description = "Reads a live topic with our consumer and with the stock one: CPU, bytes and latency.")
@Facts(quickSeconds = 50, seconds = 100, columns = {"threadCpuPercent", "processCpuPercent", "allocatedBytes",
    "allocatedBytesPerRecord", "gcCount", "fetchesPerSecond", "latencyP50Us", "latencyP99Us"})
public final class Demo extends LiveScenario
{
    private static final int QUICK_FULL_SECONDS = 120;
    private static final int FULL_SECONDS = 320;
    private static final int BUDGET_MS = 2;
    private static final Arm TUNED = Arms.withBudget(Arms.ODRADEK, BUDGET_MS);
    private static final Arm STOCK_TUNED = Arms.withBudget(Arms.STOCK_TUNED, BUDGET_MS);
    private static final List<Arm> ARMS = List.of(Arms.ODRADEK, TUNED, Arms.STOCK_DEFAULTS, STOCK_TUNED);
    /** Those that are compared take turns one after the other. */
    private static final List<Arm> PAIRED_ARMS = List.of(Arms.ODRADEK, Arms.STOCK_DEFAULTS, TUNED, STOCK_TUNED);
    private static final List<Metric> COMPARED =
        List.of(Metric.THREAD_CPU, Metric.ALLOCATED_PER_RECORD, Metric.FETCHES, Metric.P50, Metric.P99);
    static final List<DemoFindings.Pair> PAIRS = List.of(
        new DemoFindings.Pair("At the defaults", Arms.ODRADEK.name(), Arms.STOCK_DEFAULTS.name(), COMPARED),
        new DemoFindings.Pair("Tuned to wait " + BUDGET_MS + " ms", TUNED.name(), STOCK_TUNED.name(), COMPARED));
    /** The most that the broker answers, a batch: so the backlog compiles also what runs once for each fetch. */
    private static final Map<String, String> SMALL_FETCHES = Map.of("fetch.max.bytes", "16384");

    private static final String JVM_FLAGS = "jvmFlags";
    /** A method is compiled after a tenth of the calls: so what runs once for each fetch is, when the backlog ends. */
    private static final String COMPILE_EARLY = "-XX:CompileThresholdScaling=0.1";

    private final long startNs = System.nanoTime();
    @Range(most = 100_000)
    @Option(names = "--rate", paramLabel = "N", defaultValue = "5000",
        description = "Records produced per second (default: ${DEFAULT-VALUE}).")
    private int rate;
    @Range(most = 100_000_000)
    @Option(names = "--backlog", paramLabel = "N", defaultValue = "2000000",
        description = "Records that each client reads first (default: ${DEFAULT-VALUE}).")
    private int backlog;
    @Option(names = "--secure",
        description = "Connect the clients with TLS and SCRAM-SHA-512 to the demo's broker.")
    private boolean isSecure;
    @Option(names = "--html", paramLabel = "FILE",
        description = "Write the page there (default: target/odradek/demo.html).")
    private Path html;
    @Option(names = "--full", description = "Measure: two rounds on warm JVMs in 5 minutes, and no page.")
    private boolean isFull;
    private DemoScreen screen;

    @Override
    protected void check(final OptionCheck check)
    {
        super.check(check);
        check.that(isFull || plan().timing().rounds() == 1, "--rounds needs --full: the short form has one round.")
            .that(!isFull || html == null, "--html is not for --full: bench report makes a page from its --json.")
            .writable("--html", html);
    }

    @Override
    public int expectedSeconds(final boolean isQuickForm)
    {
        return !isFull ? super.expectedSeconds(isQuickForm) : isQuickForm ? QUICK_FULL_SECONDS : FULL_SECONDS;
    }

    @Override
    protected Plan plan()
    {
        final String name = Signalfx.linger(rate, 0).name() + (isSecure ? ", TLS" : "");
        final Timing timing = timing(isFull ?
            isQuick() ? new Timing(1, 5, 3, 3) : new Timing(2, 20, 15, 5) :
            isQuick() ? new Timing(1, 3, 2, 0) : new Timing(1, 8, 2, 0));
        return new Plan(name(), List.of(new Case(name, rate, 0)),
            isFull ? onChosenJvm(ARMS) : onChosenJvm(PAIRED_ARMS).stream().map(Demo::compiledEarly).toList(),
            isFull ? Signalfx.SHARED : Signalfx.SHARED.with(BacklogRun.BACKLOG, backlog), timing, Signalfx::rows);
    }

    private static Arm compiledEarly(final Arm arm)
    {
        return arm.as(arm.name(), JVM_FLAGS,
            (arm.settings().values().getOrDefault(JVM_FLAGS, "") + " " + COMPILE_EARLY).strip());
    }

    @Override
    protected SecureListener listener()
    {
        return isSecure ? SecureListener.SASL_SSL : null;
    }

    @Override
    protected List<BrokerSettings> brokers()
    {
        final List<BrokerSettings> brokers = super.brokers();
        brokers.forEach((broker) -> broker.set(isFull ? Map.of() : SMALL_FETCHES));
        return brokers;
    }

    @Override
    protected Results run(final Cluster cluster) throws InterruptedException, IOException
    {
        say("a producer sends " + rate + " records/s of 23 bytes, linger 0 ms; one client at a time reads them");
        if (isFull)
        {
            ARMS.forEach((arm) -> say(arm.name() + ": " +
                (arm.settings().values().isEmpty() ? Signalfx.SHARED : arm.settings()).values()));
            return super.run(cluster);
        }
        final Plan plan = plan();
        screen = new DemoScreen(System.out, DemoScreen.form(Boolean.getBoolean("odradek.terminal"), System.getenv()),
            plan.arms().stream().map(Arm::name).toList(), plan.timing().seconds(),
            () -> TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - startNs));
        return new BacklogRun(plan, cluster, screen).run(json());
    }

    @Override
    protected String table(final List<Row> rows)
    {
        return isFull ? super.table(rows) : findings(rows).text();
    }

    @Override
    protected void conclude(final Results results, final long seconds) throws IOException
    {
        final DemoFindings findings = findings(results.rows());
        super.conclude(results, seconds);
        if (isFull)
        {
            say(String.format("every client read every record; our polling thread allocated %,.0f bytes%s",
                findings.allocatedBytes(), findings.allocatedBytes() == 0 ? "" : ", which should be 0"));
            return;
        }
        findings.sentences().forEach(this::say);
        final Path page = (html != null ? html :
            Path.of(System.getProperty("odradek.home", ""), "target", "odradek", "demo.html")).toAbsolutePath();
        Files.createDirectories(page.getParent());
        new DemoPage(findings.found(), findings.sentences(), findings.tables(), DemoFindings.NOTE,
            screen.points(Second::threadCpuPercent), screen.points(Second::allocatedBytes),
            screen.points(Second::p99Us), screen.latencies()).write(page, results.toReport(settings()));
        say("the page with the charts is " + page);
        say(findings.found());
    }

    @Override
    protected boolean isComplete(final Results results)
    {
        return findings(results.rows()).allocatedBytes() == 0;
    }

    private static DemoFindings findings(final List<Row> rows)
    {
        return new DemoFindings(rows, PAIRS);
    }
}
