// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.partitions;

import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.admin.TopicDescription;
import org.odradek.benchmarks.report.OptionCheck;
import org.odradek.consumer.FetchSessionMode;
import org.odradek.testkit.Await;
import org.odradek.testkit.BrokerProcess;
import org.odradek.testkit.BrokerSettings;
import org.odradek.testkit.TopicClient;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;

/**
 * {@code bench partitions}: a broker of its own, a topic, and a consumer with and without fetch sessions.
 */
@Command(
    name = "partitions",
    description = "Reads very many partitions of which few have new records, with fetch sessions and without.",
    mixinStandardHelpOptions = true,
    sortOptions = false)
public final class PartitionsCommand implements Callable<Integer>
{
    private static final String TOPIC = "odradek-partitions";
    private static final int MOST_PARTITIONS = 10_000;
    private static final int PARTITIONS_AT_ONCE = 2_000;
    private static final long LEADERS_TIMEOUT_MS = 300_000;

    @Spec
    private CommandSpec spec;

    @Option(names = "--partitions", defaultValue = "10000", paramLabel = "N",
        description = "Partitions of the topic (default: ${DEFAULT-VALUE}).")
    private int partitions;

    @Option(names = "--active", defaultValue = "16", paramLabel = "N",
        description = "Of them so many get a hundred records a second (default: ${DEFAULT-VALUE}).")
    private int active;

    @Option(names = "--seconds", defaultValue = "20", paramLabel = "N",
        description = "Measured with sessions and without, after as many to warm up (default: ${DEFAULT-VALUE}).")
    private int seconds;

    @Override
    public Integer call() throws ExecutionException, InterruptedException
    {
        final OptionCheck check = new OptionCheck(spec);
        check.that(partitions >= 1 && partitions <= MOST_PARTITIONS,
            "--partitions must be between 1 and " + MOST_PARTITIONS + ", not " + partitions + ".");
        check.that(active >= 1 && active <= partitions,
            "--active must be between 1 and the number of partitions, not " + active + ".");
        check.that(seconds >= 1, "--seconds must be at least 1, not " + seconds + ".");
        final PartitionsPlan plan = new PartitionsPlan(partitions, active, seconds);
        say("starting a broker");
        try (BrokerProcess broker = BrokerProcess.start(new BrokerSettings().jvmFlags("-Xmx1g")))
        {
            final TopicClient client = broker.client();
            say("making a topic of " + partitions + " partitions");
            createTopic(client);
            try (Trickle trickle = new Trickle(plan, TOPIC, client))
            {
                trickle.start();
                say("measuring");
                final String withSessions = new PartitionsRun(plan, FetchSessionMode.ON)
                    .run(broker.bootstrapServers(), TOPIC);
                final String without = new PartitionsRun(plan, FetchSessionMode.OFF)
                    .run(broker.bootstrapServers(), TOPIC);
                List.of("", PartitionsRun.header(), withSessions, without, "").forEach(System.out::println);
            }
        }
        say("done");
        return CommandLine.ExitCode.OK;
    }

    /** In parts, because a controller takes no operation of more than 10,000 records. */
    private void createTopic(final TopicClient client) throws ExecutionException, InterruptedException
    {
        client.createTopic(TOPIC, Math.min(partitions, PARTITIONS_AT_ONCE), Map.of());
        for (int count = 2 * PARTITIONS_AT_ONCE; count < partitions + PARTITIONS_AT_ONCE; count += PARTITIONS_AT_ONCE)
        {
            final int wanted = Math.min(partitions, count);
            client.admin().createPartitions(Map.of(TOPIC, NewPartitions.increaseTo(wanted))).all().get();
            Await.until("partition " + (wanted - 1), LEADERS_TIMEOUT_MS, () -> hasLeader(client, wanted - 1));
        }
    }

    private static boolean hasLeader(final TopicClient client, final int partition)
    {
        final TopicDescription topic;
        try
        {
            topic = client.admin().describeTopics(List.of(TOPIC)).allTopicNames().get().get(TOPIC);
        }
        catch (final ExecutionException ex)
        {
            return false;
        }
        catch (final InterruptedException ex)
        {
            throw new IllegalStateException(ex);
        }
        return topic.partitions().size() > partition && topic.partitions().stream().allMatch((p) -> p.leader() != null);
    }

    private static void say(final String line)
    {
        System.out.println("partitions: " + line);
    }
}
