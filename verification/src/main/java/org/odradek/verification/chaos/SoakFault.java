// SPDX-License-Identifier: Apache-2.0
package org.odradek.verification.chaos;

import java.util.Locale;
import java.util.Random;

/**
 * The kinds of faults of a soak, each with the method that strikes.
 */
enum SoakFault
{
    /** Kills the leader of a partition of the input or the output (SIGKILL), and restarts it. */
    LEADER_KILL(SoakFault::killLeader),
    /** Moves leaders of both topics, and the coordinator. */
    LEADER_MOVE((pipeline, random) ->
        PipelineFault.moveLeaders(pipeline.cluster(), SoakPipeline.PARTITIONS, random)),
    /** Ends, resets or refuses connections, some of them in the middle of a frame. */
    NETWORK_CUT((pipeline, random) ->
        ReaderFaults.cutConnections(pipeline.cluster(), pipeline.writer()::awaitAcked, random)),
    /** Holds back all bytes to or from a broker while its connections stay open. */
    NETWORK_STALL((pipeline, random) ->
        ReaderFaults.stallBroker(pipeline.cluster(), pipeline.writer()::awaitAcked, random)),
    /** Makes all links slow. */
    NETWORK_DELAY(SoakFault::delayLinks);

    final Fault<SoakPipeline> fault;

    SoakFault(final Fault<SoakPipeline> fault)
    {
        this.fault = fault;
    }

    private static String killLeader(final SoakPipeline pipeline, final Random random)
    {
        final boolean isInput = random.nextBoolean();
        final String topic = isInput ? ChaosPipeline.INPUT : ChaosPipeline.OUTPUT;
        final int partition = random.nextInt(isInput ? SoakPipeline.PARTITIONS : ChaosPipeline.OUTPUT_PARTITIONS);
        return topic + ": " + ClusterFaults.killLeader(
            pipeline.cluster(), topic, partition, () -> pipeline.writer().awaitAcked(500));
    }

    private static String delayLinks(final SoakPipeline pipeline, final Random random)
    {
        final String done = pipeline.cluster().slowLinks(random);
        pipeline.writer().awaitAcked(5_000);
        return done;
    }

    @Override
    public String toString()
    {
        return name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }
}
