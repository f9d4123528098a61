// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.idle;

import org.odradek.benchmarks.arm.CaseTopic;
import org.odradek.benchmarks.live.ClientProcesses;
import org.odradek.benchmarks.live.LiveRounds;
import org.odradek.benchmarks.live.LiveRows;
import org.odradek.benchmarks.live.ProducerProcess;
import org.odradek.benchmarks.live.ProducerSettings;
import org.odradek.benchmarks.live.Results;
import org.odradek.benchmarks.live.Turn;
import org.odradek.benchmarks.report.NotRun;

import java.util.Map;
import java.util.function.Consumer;

/**
 * First nobody writes, then one record comes each second; the clients take turns in both.
 */
final class IdleScenario
{
    static final String NAME = "idle";
    static final String THREAD_CPU = "threadCpuPerMinute";
    static final String PROCESS_CPU = "processCpuPerMinute";
    static final String ALLOCATED = "allocatedBytesPerMinute";

    private static final int PARTITION = 0;

    private final IdlePlan plan;
    private final String bootstrap;
    private final long brokerPid;
    private final Consumer<String> progress;
    private final Results results = new Results();

    /**
     * @param bootstrap HOST:PORT of the cluster that is used.
     * @param brokerPid of its process, or {@link LiveRounds#NO_PID}.
     * @param progress  gets a line now and then.
     */
    IdleScenario(
        final IdlePlan plan, final String bootstrap, final long brokerPid, final Consumer<String> progress)
    {
        this.plan = plan;
        this.bootstrap = bootstrap;
        this.brokerPid = brokerPid;
        this.progress = progress;
    }

    Results run() throws InterruptedException
    {
        try (CaseTopic topic = new CaseTopic(bootstrap, NAME, 1, plan.bootstrap() != null);
            ClientProcesses clients = new ClientProcesses(plan.clients(), bootstrap, topic.name(), PARTITION))
        {
            final String whyNot = clients.addLibrdkafka(bootstrap, topic.name(), PARTITION);
            if (whyNot != null)
            {
                results.notRun().add(new NotRun(NAME, NotRun.EVERY, LiveRows.LIBRDKAFKA, whyNot));
            }
            final LiveRounds rounds = new LiveRounds(clients.list(), brokerPid, progress);
            runWithRecords(topic.name(), IdlePlan.PRACTICE_PER_SECOND, () -> rounds.practise(plan.practiceSeconds()));
            addRows(IdlePlan.NO_RECORDS, rounds.run(IdlePlan.NO_RECORDS, plan.timing()));
            runWithRecords(topic.name(), 1,
                () -> addRows(IdlePlan.ONE_A_SECOND, rounds.run(IdlePlan.ONE_A_SECOND, plan.timing())));
        }
        return results;
    }

    private void runWithRecords(final String topic, final int perSecond, final Turns turns)
        throws InterruptedException
    {
        final ProducerSettings settings = new ProducerSettings(
            bootstrap, topic, new int[]{PARTITION}, perSecond, IdlePlan.VALUE_LENGTH, 0, IdlePlan.ACKS);
        try (ProducerProcess producer = ProducerProcess.start(settings))
        {
            producer.awaitStart();
            producer.run();
            producer.measure();
            turns.take();
            producer.stop();
        }
    }

    /** Taken while a producer writes. */
    private interface Turns
    {
        void take() throws InterruptedException;
    }

    private void addRows(final String caseName, final Map<String, Turn[]> turns)
    {
        results.rows().addAll(new LiveRows(NAME, caseName, turns).addUsage().addPerMinute()
            .addRatios(THREAD_CPU, PROCESS_CPU).rows());
    }
}
