// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.rig;

import org.odradek.benchmarks.report.Drift;
import org.odradek.benchmarks.report.Environment;
import org.odradek.benchmarks.report.Report;
import org.odradek.benchmarks.report.Report.Attachment;
import org.odradek.benchmarks.report.Report.NotRun;
import org.odradek.benchmarks.report.Report.Row;
import org.odradek.benchmarks.report.Rows;
import org.odradek.benchmarks.report.Sources;
import org.odradek.benchmarks.rig.OptionCheck.Range;
import org.odradek.testkit.BrokerCluster;
import org.odradek.testkit.BrokerSettings;
import org.odradek.testkit.SecureListener;
import org.odradek.testkit.internal.JavaProcessBuilder;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

import java.io.IOException;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** A command that measures: says how long it will take, runs, prints the table and writes the JSON. */
@Command(mixinStandardHelpOptions = true, sortOptions = false)
public abstract class Scenario implements Callable<Integer>
{
    private static final List<String> WITH_DRIFT = List.of("catchup", "signalfx", "idle", "produce", "distance");

    @Spec
    private CommandSpec spec;
    @Option(names = "--quick", description = "A part of it in a short time: a look, not a measurement.")
    private boolean isQuick;
    @Option(names = "--json", paramLabel = "FILE",
        description = "Write the figures there as well, and histogram logs and flame graphs beside it.")
    private Path json;
    @Option(names = "--jdk25", description = "Run the JVMs of the clients on a JDK 25 or newer with compact object " +
        "headers, and the stock client with ZGC as well. JAVA25_HOME names its home, if it is in no usual place.")
    private boolean isOnJdk25;
    @Option(names = "--before", paramLabel = "FOLDER", description = "A checkout of an earlier commit with built " +
        "benchmarks: its client takes part beside ours, as odradek-before.")
    private Path before;
    @Range
    @Option(names = "--drift", paramLabel = "N", description = "With --before: no rivals, and the earlier client " +
        "twice, for bench drift. N is the number of the repeat, which shifts the order of their turns.")
    private Integer repeat;

    /** About how many seconds a scenario takes, and the metrics in its printed table by their names in rows. */
    @Retention(RetentionPolicy.RUNTIME)
    public @interface Facts
    {
        int quickSeconds();

        int seconds();

        /** With TLS; 0 if that takes as long. */
        int tlsSeconds() default 0;

        String[] columns();
    }

    /** What a run has found so far. */
    public record Results(List<Row> rows, List<NotRun> notRun, List<Attachment> attachments)
    {
        public Results()
        {
            this(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
        }

        public void add(final Results others)
        {
            rows.addAll(others.rows);
            notRun.addAll(others.notRun);
            attachments.addAll(others.attachments);
        }

        /** @param settings of the scenario, in the order in which they are shown. */
        public Report toReport(final Map<String, Object> settings)
        {
            return toReport(settings, Map.of());
        }

        /** @param sources as {@link Sources#describe()} has returned them before the run. */
        Report toReport(final Map<String, Object> settings, final Map<String, Object> sources)
        {
            return new Report(Environment.describe(settings, sources), rows, notRun, attachments);
        }
    }

    /** A scenario that can use a cluster that is already there. */
    public abstract static class OnCluster extends Scenario
    {
        /** All brokers of our own have these: a broker that is overloaded on purpose must not be declared dead. */
        public static final Map<String, String> BROKER_SETTINGS = Map.of("broker.session.timeout.ms", "60000");

        @Option(names = "--bootstrap", paramLabel = "HOST:PORT",
            description = "Use this cluster instead of brokers of its own; it must share this machine's clock.")
        private String bootstrap;

        @Override
        protected void check(final OptionCheck check)
        {
            check.bootstrap(bootstrap).that(listener() == null || bootstrap == null,
                "--bootstrap is used without TLS only: leave it out for a broker of our own with TLS.");
        }

        /** @return HOST:PORT, or null for a broker of our own. */
        protected final String bootstrap()
        {
            return bootstrap;
        }

        @Override
        protected Results run() throws Exception
        {
            if (bootstrap != null)
            {
                return run(Cluster.given(bootstrap));
            }
            final List<BrokerSettings> brokers = brokers();
            final SecureListener listener = listener();
            say("starting " + (brokers.size() == 1 ? "a broker" : brokers.size() + " brokers") +
                (listener == null ? "" : " with " + listener));
            brokers.forEach((broker) -> broker.set(BROKER_SETTINGS).jvmFlags(BrokerSettings.COMPILE_FULLY));
            try (BrokerCluster cluster = BrokerCluster.start(brokers))
            {
                return run(listener == null ? Cluster.of(cluster) : Cluster.secured(cluster.broker(1), listener));
            }
        }

        /** @return the settings of each of our own brokers; of one only, if clients connect to a secure listener. */
        protected List<BrokerSettings> brokers()
        {
            return List.of(listener() == null ? new BrokerSettings() : new BrokerSettings().secured());
        }

        protected abstract Results run(Cluster cluster) throws Exception;
    }

    @Override
    public final Integer call() throws Exception
    {
        final OptionCheck check = new OptionCheck(spec).ranges();
        check(check);
        check.writable("--json", json);
        check.that(before == null || ClassPath.isBuilt(before),
            "--before must be a checkout in which ./odradek bench --version has built the benchmarks, not " +
            before + ".");
        check.that(!isForDrift() || WITH_DRIFT.contains(name()),
            "--drift is for " + String.join(", ", WITH_DRIFT) + ".");
        check.that(!isForDrift() || before != null, "--drift needs --before FOLDER.");
        check.that(!isOnJdk25 || Jdk25.find() != null, "--jdk25 finds no JDK 25 or newer: set JAVA25_HOME.");
        // Before the run, because the sources may change meanwhile.
        final Map<String, Object> sources = Sources.here().describe();
        final long startNs = System.nanoTime();
        say("about " + expectedSeconds(isQuick) + " s in its standard form");
        final Results results = run();
        System.out.println();
        System.out.print(table(results.rows()));
        results.notRun().forEach((left) -> System.out.println("not run: " + left.client() + ": " + left.reason()));
        System.out.println();
        if (json != null)
        {
            final Map<String, Object> settings = settings();
            if (isOnJdk25)
            {
                settings.put(Environment.CLIENT_JVM, "JDK " +
                    JavaProcessBuilder.versionOf(Jdk25.find()).orElseThrow() + " with compact object headers");
            }
            results.toReport(settings, sources).writeTo(json);
        }
        conclude(results, TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - startNs));
        return isComplete(results) ? ExitCode.OK : ExitCode.SOFTWARE;
    }

    /** Says how it ended, after the table. */
    protected void conclude(final Results results, final long seconds) throws IOException
    {
        say("done in " + seconds + " s" + (json == null ? "" : ", results in " + json));
    }

    /** Says in one sentence if an option is wrong. */
    protected void check(final OptionCheck check)
    {
    }

    /** @return about how long it takes on two cores that do nothing else, with the start of its brokers. */
    public int expectedSeconds(final boolean isQuickForm)
    {
        final boolean isOtherWithTls = listener() != null && facts().tlsSeconds() > 0;
        return isQuickForm ? facts().quickSeconds() : isOtherWithTls ? facts().tlsSeconds() : facts().seconds();
    }

    private Facts facts()
    {
        return getClass().getAnnotation(Facts.class);
    }

    /** @return of a broker of our own, to which clients connect; null for the one without TLS. */
    protected SecureListener listener()
    {
        return null;
    }

    protected abstract Results run() throws Exception;

    /** @return what the report says about the run, in the order in which it is read. */
    protected abstract Map<String, Object> settings() throws IOException;

    /** @return what is printed of the rows. */
    protected String table(final List<Row> rows)
    {
        return Rows.table(shown(rows), List.of(facts().columns()));
    }

    /** @return those of the rows that are printed. */
    protected List<Row> shown(final List<Row> rows)
    {
        return rows;
    }

    /** @return whether every client ran that must. */
    protected boolean isComplete(final Results results)
    {
        return true;
    }

    /** @return of the command and in rows. */
    protected final String name()
    {
        return spec.name();
    }

    protected final boolean isQuick()
    {
        return isQuick;
    }

    /** @return what makes a JVM of the rig run on the JDK that was chosen. */
    protected final Settings jvmSettings()
    {
        return isOnJdk25 ? Settings.of(Jdk25.SETTING, true, "jvmFlags", Jdk25.FLAGS) : Settings.NONE;
    }

    /**
     * Returns these arms on the JDK that was chosen, and on JDK 25 the stock client with its generational ZGC, too;
     * beside ours those of the earlier commit, if there is one, and with --drift no others.
     */
    protected final List<Arm> onChosenJvm(final List<Arm> chosen)
    {
        final List<Arm> arms = new ArrayList<>(
            before == null ? chosen : chosen.stream().flatMap(this::withEarlier).toList());
        if (isForDrift())
        {
            Collections.rotate(arms, repeat);
        }
        return !isOnJdk25 ? arms : Stream.concat(
            arms.stream().map((arm) -> new Arm(arm.name(), arm.program(), arm.settings().with(jvmSettings()))),
            arms.stream().filter((arm) -> arm.name().matches("stock(-defaults)?")).limit(1).map((arm) ->
                arm.as("stock-zgc", Jdk25.SETTING, true, "jvmFlags", Jdk25.FLAGS + " -XX:+UseZGC"))).toList();
    }

    private Stream<Arm> withEarlier(final Arm arm)
    {
        if (!arm.name().matches("odradek(-publisher)?(-\\d+ms)?"))
        {
            return isForDrift() ? Stream.of() : Stream.of(arm);
        }
        return Stream.concat(Stream.of(arm), Drift.base(arm.name()).stream().limit(isForDrift() ? 2 : 1)
            .map((name) -> arm.as(name, Child.CLASS_PATH, earlierClassPath())));
    }

    /** @return whether only our client takes part, and the earlier one twice. */
    protected final boolean isForDrift()
    {
        return repeat != null;
    }

    /** @return the class path of the earlier commit, or null without one. */
    protected final String earlierClassPath()
    {
        return before == null ? null : ClassPath.ofCheckout(before);
    }

    /** @return the report's file, or null. */
    protected final Path json()
    {
        return json;
    }

    protected final void say(final String line)
    {
        System.out.println(name() + ": " + line);
    }
}
