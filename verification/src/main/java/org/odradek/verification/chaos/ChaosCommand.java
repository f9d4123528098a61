// SPDX-License-Identifier: Apache-2.0
package org.odradek.verification.chaos;

import org.odradek.tools.CommandOptions;
import org.odradek.verification.chaos.ChaosSettings.Sabotage;
import org.odradek.verification.numbers.Environment;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/**
 * The command {@code odradek chaos}. Exit code 0 means that the verdict is clean.
 */
@Command(name = "chaos", sortOptions = false,
    description = "Strike a cluster of three brokers with faults while our consumer reads, and check every record; " +
        "stop at the first wrong one.")
public final class ChaosCommand implements Callable<Integer>
{
    private static final int MAX_MINUTES = 10_000;
    private static final int MAX_RECORDS_PER_SECOND = 50_000;
    private static final int MAX_PARTITIONS = 16;
    private static final int MAX_WORKERS = 8;
    private static final int MAX_SEED = 1_000_000;

    @Mixin
    private CommandOptions options;

    @Option(names = "--minutes", paramLabel = "N", defaultValue = "10",
        description = "Run for N minutes; every kind of fault strikes at least once (default: ${DEFAULT-VALUE}).")
    private int minutes;

    @Option(names = "--seed", paramLabel = "N",
        description = "The same seed gives the same faults in the same order (default: random, and printed).")
    private Long seed;

    @Option(names = "--rate", paramLabel = "N", defaultValue = "4000",
        description = "Records written per second (default: ${DEFAULT-VALUE}).")
    private int rate;

    @Option(names = "--partitions", paramLabel = "N", defaultValue = "6",
        description = "Partitions at the start (default: ${DEFAULT-VALUE}).")
    private int partitions;

    @Option(names = "--sabotage", paramLabel = "drop|repeat", defaultValue = "none",
        description = "Drop or repeat one record, to check that the verdict finds it.")
    private Sabotage sabotage;

    @Option(names = "--secure",
        description = "Connect our consumer with TLS and SCRAM-SHA-512, in sessions of 4 s, and strike those.")
    private boolean secure;

    @Option(names = "--group",
        description = "Let members of a consumer group read, some of them of kafka-clients, strike members, " +
            "coordinator and topic, and judge by the ledgers of all members.")
    private boolean group;

    @Option(names = "--pipeline",
        description = "Let pipelines consume in a group, transform and publish to a second topic, strike brokers, " +
            "links and pipelines, and judge by what is in the second topic.")
    private boolean pipeline;

    @Option(names = "--workers", paramLabel = "N", defaultValue = "0",
        description = "With --pipeline: give each pipeline N workers, which publish on threads of their own; with 0, " +
            "it publishes on the thread that polls (default: ${DEFAULT-VALUE}).")
    private int workers;

    @Option(names = "--defect", paramLabel = "NAME", defaultValue = "none",
        description = "With --group: give our members a defect, which the verdict must find: ${COMPLETION-CANDIDATES}.")
    private GroupSabotage defect;

    @Option(names = "--default-intervals",
        description = "With --group: heartbeats each 5 s and sessions of 45 s, as brokers have them, not 0.2 and 4 s.")
    private boolean isDefault;

    @Option(names = "--protocol", paramLabel = "consumer|classic", defaultValue = GroupRun.CONSUMER,
        description = "With --group: the protocol of our members (default: ${DEFAULT-VALUE}).")
    private String protocol;

    @Option(names = "--broker-version", paramLabel = "V",
        description = "With --group: the version of the brokers from 2.4 on, such as 2.8.2, which Maven downloads " +
            "(default: that of the build).")
    private String brokerVersion;

    @Option(names = "--record",
        description = "Write the result to docs/results, with --secure to chaos-secure.md; with --group, then show " +
            "that each defect is found, and write all to chaos-group.md; with --pipeline likewise to " +
            "chaos-pipeline.md, or with --workers to chaos-pipeline-workers.md; with --protocol classic, " +
            "--broker-version or --default-intervals, only the run, to a file of its own there.")
    private boolean record;

    @Override
    public Integer call() throws IOException
    {
        options.checkRange("--minutes", minutes, 0, MAX_MINUTES);
        options.checkRange("--rate", rate, 1, MAX_RECORDS_PER_SECOND);
        options.checkRange("--partitions", partitions, 1, MAX_PARTITIONS);
        options.checkRange("--workers", workers, 0, MAX_WORKERS);
        final long chosen = seed == null ? ThreadLocalRandom.current().nextInt(MAX_SEED) : seed;
        options.check(List.of(GroupRun.CONSUMER, GroupRun.CLASSIC).contains(protocol),
            "--protocol must be consumer or classic.");
        options.check(
            group || !isDefault && defect == GroupSabotage.NONE && brokerVersion == null && !isClassic(),
            "--defect, --default-intervals, --protocol classic and --broker-version need --group.");
        options.check(!group || !secure && sabotage == Sabotage.NONE, "--group goes without --secure and --sabotage.");
        options.check(!pipeline || !group && !secure && sabotage == Sabotage.NONE,
            "--pipeline goes without --group, --secure and --sabotage.");
        options.check(pipeline || workers == 0, "--workers needs --pipeline.");
        options.check(!record || defect == GroupSabotage.NONE && sabotage == Sabotage.NONE,
            "--record goes without --defect and --sabotage.");
        return (group ? strikeGroup(chosen) : pipeline ? strikePipeline(chosen) : strikeReader(chosen)) ? 0 : 1;
    }

    private boolean strikeReader(final long chosen) throws IOException
    {
        final ChaosSettings settings = new ChaosSettings(minutes, chosen, rate, partitions, sabotage, secure);
        final ChaosRun.Result result = new ChaosRun(settings, FaultKind.all(secure), this::print).run();
        print("\nseed " + chosen + "\n" + result.toText());
        if (record)
        {
            write(secure ? "-secure" : "", "# A consumer " + (secure ? "with TLS and SASL " : "") +
                "under faults\n\n`./odradek chaos" + (secure ? " --secure" : "") + recordedOptions(chosen) + "\n\n" +
                Environment.sentence(Environment.here()) + "\n\n```\n" + result.toText() + "\n```\n");
        }
        return result.isClean();
    }

    private boolean strikeGroup(final long chosen) throws IOException
    {
        final GroupIntervals intervals = isDefault ? GroupIntervals.KAFKA : GroupIntervals.SHORT;
        final RunResult<GroupJudge.Rule> result = new GroupRun(GroupFault.available(protocol), new GroupRun.Settings(
            chosen, Math.toIntExact(TimeUnit.MINUTES.toSeconds(minutes)), rate, partitions, intervals, protocol,
            brokerVersion), defect, this::print).run();
        print("\nseed " + chosen + "\n" + result.toText());
        if (!record)
        {
            return result.isClean();
        }
        final StringBuilder text = new StringBuilder(recordedHead(chosen)).append(result.toText()).append('\n');
        boolean isRight = result.isClean();
        if (fileSuffix().isEmpty())
        {
            text.append(RunResult.defectHead("our members"));
            for (final GroupSabotage planted : GroupSabotage.defects())
            {
                final RunResult<GroupJudge.Rule> found = GroupRun.of(planted, chosen, this::print).run();
                final String row = found.defectRow(planted, planted.fault(), planted.rule());
                isRight &= found.isFound(planted.rule());
                text.append(row).append('\n');
                print(row);
            }
        }
        write("-group" + fileSuffix(), text);
        return isRight;
    }

    private boolean strikePipeline(final long chosen) throws IOException
    {
        final PipelineRun.Settings settings = new PipelineRun.Settings(
            chosen, Math.toIntExact(TimeUnit.MINUTES.toSeconds(minutes)), rate, partitions, workers);
        final RunResult<PipelineJudge.Rule> result =
            new PipelineRun(List.of(PipelineFault.values()), settings, false, this::print).run();
        print("\nseed " + chosen + "\n" + result.toText());
        if (!record)
        {
            return result.isClean();
        }
        final RunResult<PipelineJudge.Rule> found = PipelineRun.defective(chosen, workers, this::print).run();
        final String defects = PipelineRun.defectTable(found);
        print(defects);
        final boolean hasWorkers = workers > 0;
        write(hasWorkers ? "-pipeline-workers" : "-pipeline", "# A pipeline that consumes, transforms and publishes" +
            (hasWorkers ? " with workers" : "") + ", under faults\n\n`./odradek chaos --pipeline" +
            (hasWorkers ? " --workers " + workers : "") + recordedOptions(chosen) + "\n\n" +
            Environment.sentence(Environment.here()) + (!hasWorkers ? "" : " Workers of each pipeline: " + workers +
            ", each with a publisher. Keys of each partition of the input: " + settings.keyCount() + ".") +
            "\n\n" + result.toText() + "\n" + defects);
        return result.isClean() && found.isFound(PipelineJudge.Rule.NOTHING_LOST);
    }

    /** Empty for the run that also shows the defects. */
    private String fileSuffix()
    {
        final String suffix = isClassic() ? "-classic" : brokerVersion == null ? "" : "-" + brokerVersion;
        return suffix + (isDefault ? "-defaults" : "");
    }

    private static void write(final String suffix, final CharSequence text) throws IOException
    {
        Files.writeString(
            Path.of(System.getProperty("odradek.home", "."), "docs/results/chaos" + suffix + ".md"), text);
    }

    private String recordedOptions(final long chosen)
    {
        return " --minutes " + minutes + " --rate " + rate + " --partitions " + partitions + " --seed " + chosen +
            " --record`";
    }

    private boolean isClassic()
    {
        return protocol.equals(GroupRun.CLASSIC);
    }

    private String recordedHead(final long chosen)
    {
        final String librdkafka = LibrdkafkaMember.version();
        return "# A group " + (isClassic() ? "of the classic protocol " : "") + "under faults" +
            (brokerVersion == null ? "" : ", with brokers of " + brokerVersion) +
            (isDefault ? ", with the default intervals" : "") +
            "\n\n`./odradek chaos --group" + (isClassic() ? " --protocol classic" : "") +
            (brokerVersion == null ? "" : " --broker-version " + brokerVersion) +
            (isDefault ? " --default-intervals" : "") + recordedOptions(chosen) + "\n\n" +
            Environment.sentence(Environment.here()) + " " +
            (librdkafka == null ? "No member of librdkafka, which is absent here" :
            "Members of librdkafka " + librdkafka + " take part") + ".\n\n";
    }

    private void print(final String line)
    {
        options.out().println(line);
        options.out().flush();
    }
}
