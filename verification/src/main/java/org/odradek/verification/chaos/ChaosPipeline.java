// SPDX-License-Identifier: Apache-2.0
package org.odradek.verification.chaos;

import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.odradek.testkit.Await;
import org.odradek.verification.chaos.PipelineMember.End;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.BooleanSupplier;

/**
 * A pipeline under test: its incarnations, the two topics, the writer of the input, and the cluster. An incarnation
 * that has given a batch up is replaced as soon as the run waits for something.
 */
final class ChaosPipeline implements AutoCloseable
{
    static final String INPUT = "chaos-input";
    static final String OUTPUT = "chaos-output";
    static final String GROUP = "chaos-pipeline";
    static final int OUTPUT_PARTITIONS = 4;

    private static final long UNACKNOWLEDGED_MS = 1_000;

    private final PipelineRun.Settings settings;
    private final boolean isAcknowledgingEarly;
    private final Random random;
    private final ChaosCluster cluster;
    private final SequenceProducer writer;
    private final StockLog inputLog;
    private final StockLog outputLog;
    private final List<PipelineMember> running = new ArrayList<>();
    private final List<PipelineLedger> ledgers = new ArrayList<>();
    private int abruptEnds;
    private int failures;

    ChaosPipeline(final PipelineRun.Settings settings, final boolean isAcknowledgingEarly)
    {
        this.settings = settings;
        this.isAcknowledgingEarly = isAcknowledgingEarly;
        random = new Random(settings.seed());
        cluster = new ChaosCluster(false, GroupIntervals.SHORT.brokerSettings(), null);
        cluster.brokers().createTopic(INPUT, settings.partitionCount(), Map.of("min.insync.replicas", "2"));
        cluster.brokers().createTopic(OUTPUT, OUTPUT_PARTITIONS, Map.of("min.insync.replicas", "2"));
        inputLog = new StockLog(cluster.directServers(), INPUT);
        outputLog = new StockLog(
            cluster.directServers(), OUTPUT, (record) -> PipelineJudge.input(record.value()));
        writer = new SequenceProducer(cluster.directServers(), INPUT, settings.partitionCount(), settings.rate(),
            (partition, offset, sequence) -> {});
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

    int inputPartitions()
    {
        return settings.partitionCount();
    }

    int runningCount()
    {
        return running.size();
    }

    /** Starts an incarnation, and returns its name and settings. */
    String start()
    {
        final PipelineMember member =
            new PipelineMember(cluster, "pipeline-" + ledgers.size(), settings, random, isAcknowledgingEarly);
        running.add(member);
        ledgers.add(member.ledger());
        return member.ledger().name() + " (" + member.settings() + ")";
    }

    /** Ends one of the incarnations, and returns its name. */
    String end(final Random fault, final End how)
    {
        final PipelineMember member = running.remove(fault.nextInt(running.size()));
        member.end(how);
        abruptEnds += how == End.CLOSED ? 0 : 1;
        return member.ledger().name();
    }

    /** Has one of the incarnations do nothing until it has lost its partitions, and returns its name. */
    String stop(final Random fault)
    {
        final PipelineMember member = running.get(fault.nextInt(running.size()));
        final PipelineLedger ledger = member.ledger();
        // An incarnation that has just joined, perhaps after another stop, owns no partition that it could lose.
        await("partitions of " + ledger.name(), () -> ledger.owned() > 0 || member.isEnded());
        final long before = ledger.lost();
        member.stop(2 * GroupIntervals.SHORT.sessionMs());
        // A member whose batches have expired may end before it knows what it has lost.
        await("the loss of partitions of " + ledger.name(), () -> ledger.lost() > before || member.isEnded());
        return ledger.name();
    }

    /** Waits until the incarnation that was started last has got records acknowledged. */
    void awaitLast()
    {
        final PipelineLedger last = ledgers.get(ledgers.size() - 1);
        final int count = ledgers.size();
        // A member may publish nothing more after it has given up a batch. Then the member that replaces it must.
        await("records of " + last.name(),
            () -> last.acknowledged() > 0 || ledgers.size() > count && ledgers.get(count).acknowledged() > 0);
    }

    /** Waits until this many more records of the output are acknowledged. */
    void awaitPublished(final int count)
    {
        final long wanted = acknowledged() + count;
        await(count + " more records published", () -> acknowledged() >= wanted);
    }

    /**
     * Waits while output is held back: for longer than any interval of commits, or, if the input is acknowledged early,
     * until a third commit shows that input is committed whose output is not written.
     */
    void awaitUnacknowledged()
    {
        if (!isAcknowledgingEarly)
        {
            ChaosCluster.pause(UNACKNOWLEDGED_MS);
            return;
        }
        for (int commits = 0; commits < 3; commits++)
        {
            final Map<TopicPartition, OffsetAndMetadata> before = committed();
            await("a commit", () -> !committed().equals(before));
        }
    }

    private long acknowledged()
    {
        return ledgers.stream().mapToLong(PipelineLedger::acknowledged).sum();
    }

    private void await(final String what, final BooleanSupplier condition)
    {
        Await.until(what, ChaosCluster.LIMIT_MS, () ->
        {
            replaceEnded();
            return condition.getAsBoolean();
        });
    }

    private void replaceEnded()
    {
        for (int i = running.size() - 1; i >= 0; i--)
        {
            if (running.get(i).isEnded())
            {
                running.remove(i).end(End.DEAD);
                failures++;
                start();
            }
        }
    }

    /** A partition of the output that records go to. */
    int usedOutput(final Random fault)
    {
        int partition = fault.nextInt(OUTPUT_PARTITIONS);
        while (outputLog.endOffset(partition) == 0)
        {
            partition = (partition + 1) % OUTPUT_PARTITIONS;
        }
        return partition;
    }

    /** Ends all faults. */
    void heal()
    {
        cluster.heal(INPUT, inputPartitions());
        cluster.awaitInSync(OUTPUT, OUTPUT_PARTITIONS);
        cluster.awaitInSync(CommitLog.TOPIC, 1);
    }

    /** Ends all faults, waits until everything is committed, ends all incarnations, and judges. */
    Verdict<PipelineJudge.Rule> settle()
    {
        heal();
        writer.hold();
        final long[] ends = inputLog.endOffsets(inputPartitions());
        await("all of the input to be committed", () -> isCommitted(ends));
        while (!running.isEmpty())
        {
            end(random, End.CLOSED);
        }
        return new PipelineJudge(inputLog.readAll(inputPartitions()), outputLog.readAll(OUTPUT_PARTITIONS), ledgers,
            settings.keyCount(), abruptEnds, failures).verdict();
    }

    private boolean isCommitted(final long[] ends)
    {
        final Map<TopicPartition, OffsetAndMetadata> committed = committed();
        for (int p = 0; p < ends.length; p++)
        {
            final OffsetAndMetadata offset = committed.get(new TopicPartition(INPUT, p));
            if (ends[p] > 0 && (offset == null || offset.offset() < ends[p]))
            {
                return false;
            }
        }
        return true;
    }

    private Map<TopicPartition, OffsetAndMetadata> committed()
    {
        return ChaosCluster.await(
            cluster.brokers().admin().listConsumerGroupOffsets(GROUP).partitionsToOffsetAndMetadata());
    }

    /** What each incarnation that runs owns, and its last error. */
    String describe()
    {
        final StringBuilder text = new StringBuilder();
        running.forEach((member) ->
            text.append(member.ledger().name()).append(" owns ").append(member.ledger().owned()).append(": ")
            .append(member.lastError()).append('\n'));
        text.append(writer.describe()).append("leaders of the input:");
        try
        {
            for (int p = 0; p < inputPartitions(); p++)
            {
                text.append(' ').append(cluster.brokers().leaderOf(INPUT, p));
            }
        }
        catch (final RuntimeException ex)
        {
            text.append(' ').append(ex);
        }
        return text.toString();
    }

    @Override
    public void close()
    {
        try
        {
            running.forEach((member) -> member.end(End.CLOSED_AT_ONCE));
        }
        finally
        {
            writer.close();
            inputLog.close();
            outputLog.close();
            cluster.close();
        }
    }
}
