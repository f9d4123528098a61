// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.rig;

import org.odradek.benchmarks.report.Rows;
import org.odradek.benchmarks.report.Usage;
import org.odradek.benchmarks.rig.EachSecond.Second;
import org.odradek.benchmarks.rig.LiveScenario.Case;
import org.odradek.benchmarks.rig.LiveScenario.Plan;

import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/**
 * One round on a live topic in a short time: each client reads the topic from its first record on, which compiles it,
 * then what a producer sends, for a practice, and is measured at last. A client reads without a gap from offset 0 to
 * its end, or the run fails. The warm-up of the plan's timing is the practice.
 */
public final class BacklogRun
{
    /** The setting of the run that says how many records are written before. */
    public static final String BACKLOG = "backlogRecords";
    /** With no client, before the first turn: its practice is too short for a producer and a broker that are cold. */
    private static final int PRODUCER_SECONDS = 5;
    private static final long MOST_SECONDS_WITHOUT_FIGURES = 30;
    private static final int MOST_PRACTICE_TIMES = 4;

    private final Map<String, Child> clients = new LinkedHashMap<>();
    private final Plan plan;
    private final Cluster cluster;
    private final Watcher watcher;

    /** Receives the progress of a run. A client is given by its name in rows. */
    public interface Watcher
    {
        void onProgress(String words);

        void onBacklog(String client, Second second);

        void onPractice(String client, Second second);

        void onMeasured(String client, Second second);

        /** Receives the figures of a whole turn, after its end. */
        void onUsage(String client, Usage usage);
    }

    public BacklogRun(final Plan plan, final Cluster cluster, final Watcher watcher)
    {
        this.plan = plan;
        this.cluster = cluster;
        this.watcher = watcher;
    }

    /** @param json the report's file, beside which histogram logs are written, or null for none. */
    public Scenario.Results run(final Path json) throws InterruptedException, IOException
    {
        final Case only = plan.cases().get(0);
        final Map<String, Usage[]> turns = new LinkedHashMap<>();
        try (CaseTopic topic = new CaseTopic(cluster, plan.scenario(), 1))
        {
            final Settings settings = plan.shared().with("topic", topic.name(), "partitions", 0,
                ClientTask.FROM_START, true, ClientTask.EACH_SECOND, true).with(cluster.connection());
            final Settings plain = settings.with("bootstrap", cluster.bootstrap());
            watcher.onProgress("starts the clients");
            try (Child producer = Child.producer(plain.with(
                "lingerMs", only.lingerMs(), "recordsPerSecond", only.recordsPerSecond())))
            {
                plan.arms().forEach((arm) -> clients.put(arm.name(), arm.start(settings, Child.Jvm.STANDARD)));
                producer.awaitStart();
                clients.values().forEach(Child::awaitStart);
                Prefill.fill("backlog", plain.with("partitionCount", 1, "records", plan.shared().text(BACKLOG),
                    "codec", "none"), watcher::onProgress);
                watcher.onProgress("warms the producer and the broker");
                producer.run();
                TimeUnit.SECONDS.sleep(PRODUCER_SECONDS);
                producer.stop();
                for (final Map.Entry<String, Child> client : clients.entrySet())
                {
                    turns.put(client.getKey(), new Usage[]{turn(client.getKey(), client.getValue(), producer)});
                }
            }
        }
        finally
        {
            clients.values().forEach(Child::close);
        }
        final Scenario.Results results = new Scenario.Results();
        results.rows().addAll(plan.rowMaker().of(new Rows(plan.scenario(), only.name()), turns).list());
        if (json != null)
        {
            for (final Map.Entry<String, Usage[]> turn : turns.entrySet())
            {
                results.attachments().add(
                    LiveRun.writeLog(json, plan.scenario(), only.name(), turn.getKey(), turn.getValue()));
            }
        }
        return results;
    }

    /** The producer rests while the backlog is read: it would take half of the machine. */
    private Usage turn(final String name, final Child client, final Child producer) throws InterruptedException
    {
        final BlockingQueue<Second> seconds = new LinkedBlockingQueue<>();
        client.onRemark((remark) ->
        {
            if (Second.isIn(remark))
            {
                seconds.add(Second.parse(remark));
            }
        });
        client.run();
        final long backlog = plan.shared().number(BACKLOG, 0);
        final long startNs = System.nanoTime();
        Second second = take(client, seconds, (any) -> true);
        while (second.records() < backlog)
        {
            watcher.onBacklog(name, second);
            second = take(client, seconds, (any) -> true);
        }
        producer.run();
        practise(name, client, seconds);
        client.measure();
        final long warmUpNs = System.nanoTime() - startNs;
        final long brokerCpuNs = cluster.brokerCpuNs();
        for (int number = 1; number <= plan.timing().seconds(); number++)
        {
            // One of the practice may still come after the answer.
            final int wanted = number;
            watcher.onMeasured(name, take(client, seconds, (next) -> next.number() == wanted));
        }
        final long brokerCpuNsSince = cluster.brokerCpuNsSince(brokerCpuNs);
        final Usage usage = client.stop();
        producer.stop();
        usage.brokerCpuNs = brokerCpuNsSince;
        usage.warmUpSeconds = TimeUnit.NANOSECONDS.toSeconds(warmUpNs);
        watcher.onUsage(name, usage);
        return usage;
    }

    /** Practises as long as planned, and longer while the compilers of the client are busy. */
    private void practise(final String name, final Child client, final BlockingQueue<Second> seconds)
        throws InterruptedException
    {
        final int least = plan.timing().firstWarmUpSeconds();
        long compilerMs = client.compilerMs();
        boolean isQuiet = false;
        for (int second = 0; second < least || !isQuiet && second < MOST_PRACTICE_TIMES * least; second++)
        {
            watcher.onPractice(name, take(client, seconds, (any) -> true));
            final long compilerMsBefore = compilerMs;
            compilerMs = client.compilerMs();
            isQuiet = Child.isQuiet(compilerMs - compilerMsBefore, 1);
        }
    }

    private static Second take(final Child client, final BlockingQueue<Second> seconds,
        final Predicate<Second> isWanted) throws InterruptedException
    {
        while (true)
        {
            final Second second = seconds.poll(MOST_SECONDS_WITHOUT_FIGURES, TimeUnit.SECONDS);
            client.checkAlive();
            if (second == null)
            {
                throw new IllegalStateException("A client has not polled for " + MOST_SECONDS_WITHOUT_FIGURES + " s.");
            }
            if (isWanted.test(second))
            {
                return second;
            }
        }
    }
}
