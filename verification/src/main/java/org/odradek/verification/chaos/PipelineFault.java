// SPDX-License-Identifier: Apache-2.0
package org.odradek.verification.chaos;

import org.odradek.testkit.TcpProxy;
import org.odradek.testkit.TcpProxy.Direction;
import org.odradek.verification.chaos.PipelineMember.End;

import java.util.Locale;
import java.util.Random;

/**
 * The kinds of faults of a pipeline, each with the method that strikes.
 */
enum PipelineFault
{
    /** Kills the leader of a partition of the input or the output (SIGKILL), and restarts it. */
    LEADER_KILL(PipelineFault::killLeader),
    /** Moves leaders of both topics, and the coordinator. */
    LEADER_MOVE(PipelineFault::moveLeaders),
    /** Ends, resets or refuses connections, some of them in the middle of a frame. */
    NETWORK_CUT((pipeline, random) ->
        ReaderFaults.cutConnections(pipeline.cluster(), pipeline.writer()::awaitAcked, random)),
    /** Holds back all bytes to or from a broker while its connections stay open. */
    NETWORK_STALL((pipeline, random) ->
        ReaderFaults.stallBroker(pipeline.cluster(), pipeline.writer()::awaitAcked, random)),
    /** Makes all links slow. */
    NETWORK_DELAY(PipelineFault::delayLinks),
    /** The pipeline ends without waiting for anything, and starts again. */
    ABRUPT_END(PipelineFault::restart),
    /** The pipeline ends abruptly while the leader of a partition of its output is dead, and starts again. */
    END_WITHOUT_LEADER(PipelineFault::endWithoutLeader),
    /** A pipeline does nothing for two sessions while another one takes its partitions over. */
    STOP(PipelineFault::stop),
    /** Another pipeline joins the group; at the most, one leaves. */
    JOIN(PipelineFault::join),
    /** A pipeline is closed, and another one joins if it was the only one. */
    LEAVE(PipelineFault::leave);

    private static final int MAX_RUNNING = 3;

    final Fault<ChaosPipeline> fault;

    PipelineFault(final Fault<ChaosPipeline> fault)
    {
        this.fault = fault;
    }

    private static String killLeader(final ChaosPipeline pipeline, final Random random)
    {
        final boolean isInput = random.nextBoolean();
        final String topic = isInput ? ChaosPipeline.INPUT : ChaosPipeline.OUTPUT;
        final int partition = isInput ? random.nextInt(pipeline.inputPartitions()) : pipeline.usedOutput(random);
        return topic + ": " + ClusterFaults.killLeader(pipeline.cluster(), topic, partition,
            () -> pipeline.awaitPublished(500));
    }

    private static String moveLeaders(final ChaosPipeline pipeline, final Random random)
    {
        return moveLeaders(pipeline.cluster(), pipeline.inputPartitions(), random);
    }

    static String moveLeaders(final ChaosCluster cluster, final int inputPartitions, final Random random)
    {
        return ChaosPipeline.INPUT + ": " +
            ClusterFaults.moveLeaders(cluster, ChaosPipeline.INPUT, inputPartitions, random) + ", " +
            ChaosPipeline.OUTPUT + ": " +
            ClusterFaults.moveLeaders(cluster, ChaosPipeline.OUTPUT, ChaosPipeline.OUTPUT_PARTITIONS, random) +
            ", the coordinator: " + ClusterFaults.moveLeaders(cluster, CommitLog.TOPIC, 1, random);
    }

    private static String delayLinks(final ChaosPipeline pipeline, final Random random)
    {
        final String done = pipeline.cluster().slowLinks(random);
        pipeline.awaitPublished(1_000);
        return done;
    }

    private static String restart(final ChaosPipeline pipeline, final Random random)
    {
        final End how = random.nextBoolean() ? End.CLOSED_AT_ONCE : End.DEAD;
        return pipeline.end(random, how) + " is " + how.name().toLowerCase(Locale.ROOT).replace('_', ' ') + ", " +
            pipeline.start() + " starts";
    }

    /** The broker gets no output before it dies. Commits could go on, because the coordinator is another broker. */
    private static String endWithoutLeader(final ChaosPipeline pipeline, final Random random)
    {
        final ChaosCluster cluster = pipeline.cluster();
        final int partition = pipeline.usedOutput(random);
        final int killed = 1 + cluster.awaitLeader(CommitLog.TOPIC, 0) % ChaosCluster.BROKER_COUNT;
        if (cluster.awaitLeader(ChaosPipeline.OUTPUT, partition) != killed)
        {
            cluster.brokers().moveLeader(ChaosPipeline.OUTPUT, partition, killed);
        }
        pipeline.awaitPublished(100);
        final TcpProxy proxy = cluster.proxy(killed);
        proxy.stall(Direction.TO_SERVER);
        pipeline.awaitUnacknowledged();
        cluster.brokers().broker(killed).kill();
        final String restarted = restart(pipeline, random);
        proxy.cut();
        proxy.resume(Direction.TO_SERVER);
        cluster.brokers().broker(killed).restart();
        return "broker " + killed + " killed, which leads partition " + partition + " of the output, " + restarted;
    }

    private static String join(final ChaosPipeline pipeline, final Random random)
    {
        final String before =
            pipeline.runningCount() < MAX_RUNNING ? "" : pipeline.end(random, End.CLOSED) + " is closed, ";
        final String started = pipeline.start();
        pipeline.awaitLast();
        return before + started + " joins";
    }

    private static String stop(final ChaosPipeline pipeline, final Random random)
    {
        final String joined = pipeline.runningCount() > 1 ? "" : join(pipeline, random) + ", ";
        return joined + pipeline.stop(random) + " stops, and loses its partitions";
    }

    private static String leave(final ChaosPipeline pipeline, final Random random)
    {
        final String joined = pipeline.runningCount() > 1 ? "" : join(pipeline, random) + ", ";
        return joined + pipeline.end(random, End.CLOSED) + " is closed";
    }

    @Override
    public String toString()
    {
        return name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }
}
