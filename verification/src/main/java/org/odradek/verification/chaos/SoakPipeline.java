// SPDX-License-Identifier: Apache-2.0
package org.odradek.verification.chaos;

import org.agrona.CloseHelper;
import org.odradek.testkit.Await;

import java.util.List;
import java.util.Map;

/**
 * What a soak runs: a cluster, a writer of the input, the process under test, and a reader of the output. Only the
 * process is measured; it is behind the proxies of the cluster.
 */
final class SoakPipeline implements AutoCloseable
{
    static final int PARTITIONS = 6;
    /** The lag to which a process must come back after a fault. */
    static final int LAG_LIMIT_SECONDS = 5;

    /**
     * The logs hold the last ten minutes, so that their length does not depend on that of the run. The brokers compress
     * the input, so that the process decompresses it.
     */
    private static final Map<String, String> TOPIC_SETTINGS = Map.of(
        "min.insync.replicas", "2",
        "compression.type", "zstd",
        "retention.ms", "600000",
        "segment.bytes", "4194304");
    private static final int FIRST_RECORDS = 300;

    private final int rate;
    private final SoakLedger ledger = new SoakLedger(PARTITIONS);
    private final ChaosCluster cluster;
    private final SequenceProducer writer;
    private final SoakOutput output;
    private final SoakMember member;

    /** @param rate records written per second. */
    SoakPipeline(final int rate, final boolean isLeaking)
    {
        this.rate = rate;
        cluster = new ChaosCluster(false, GroupIntervals.SHORT.brokerSettings(), null);
        cluster.brokers().createTopic(ChaosPipeline.INPUT, PARTITIONS, TOPIC_SETTINGS);
        cluster.brokers().createTopic(ChaosPipeline.OUTPUT, ChaosPipeline.OUTPUT_PARTITIONS, TOPIC_SETTINGS);
        output = new SoakOutput(
            cluster.directServers(), ChaosPipeline.OUTPUT, ChaosPipeline.OUTPUT_PARTITIONS, ledger::onOutput);
        writer = new SequenceProducer(cluster.directServers(), ChaosPipeline.INPUT, PARTITIONS, rate,
            (partition, offset, sequence) -> ledger.onAcked(partition));
        member = new SoakMember(cluster.connection().get("bootstrap.servers"), isLeaking);
        writer.release();
    }

    ChaosCluster cluster()
    {
        return cluster;
    }

    SequenceProducer writer()
    {
        return writer;
    }

    SoakLedger ledger()
    {
        return ledger;
    }

    /** Waits until the process has processed its first records. */
    void awaitFirst()
    {
        writer.awaitAcked(FIRST_RECORDS);
        awaitLag(LAG_LIMIT_SECONDS * rate);
    }

    /** Ends all faults, and waits until the process has caught up. */
    void heal()
    {
        cluster.heal(ChaosPipeline.INPUT, PARTITIONS);
        cluster.awaitInSync(ChaosPipeline.OUTPUT, ChaosPipeline.OUTPUT_PARTITIONS);
        cluster.awaitInSync(CommitLog.TOPIC, 1);
        awaitLag(LAG_LIMIT_SECONDS * rate);
    }

    private void awaitLag(final int records)
    {
        Await.until("a lag of at most " + records + " records", ChaosCluster.LIMIT_MS, () ->
        {
            if (output.failure() != null)
            {
                throw new IllegalStateException("The reader of the output has ended: " + output.failure());
            }
            member.check();
            return ledger.lag() <= records;
        });
    }

    /** Measures the process. */
    SoakSample sample(final double hours)
    {
        final double[] figures = member.sample();
        figures[SoakQuantity.LAG.ordinal()] = (double) ledger.lag() / rate;
        return new SoakSample(hours, figures);
    }

    /** Waits until all of the input is in the output, ends the process, and returns the counters of its clients. */
    List<String> settle()
    {
        writer.hold();
        awaitLag(0);
        return member.end();
    }

    /** Returns the last lines of the output of the process, and the failure of the writer, if there is one. */
    String describe()
    {
        return writer.describe() + "the last lines of the process:\n" + member.output();
    }

    @Override
    public void close()
    {
        CloseHelper.closeAll(member, writer, output, cluster);
    }
}
