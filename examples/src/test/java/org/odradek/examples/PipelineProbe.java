// SPDX-License-Identifier: Apache-2.0
package org.odradek.examples;

import org.odradek.affinity.ThreadPinning;
import org.odradek.testkit.AllocationMeter;
import org.odradek.testkit.internal.ThreadUsage;

/**
 * Main class of a JVM that runs {@link ConsumeTransformPublish}, pinned to a core as its own main method is, and prints
 * how many bytes its thread allocated meanwhile. It warms up until several rounds in a row have allocated nothing and
 * offsets were committed. Its exit code is 0 only if the window after that allocated nothing.
 */
public final class PipelineProbe
{
    private static final int QUIET_ROUNDS = 4;
    private static final int COMMITS = 2;
    private static final int ROUND_RECORDS = 20_000;

    private PipelineProbe()
    {
    }

    /** @param args bootstrap servers, input topic, output topic, records of the window, core or -1 for none. */
    public static void main(final String[] args)
    {
        final int records = Integer.parseInt(args[3]);
        final int core = Integer.parseInt(args[4]);
        if (core >= 0)
        {
            System.out.println(ThreadPinning.pin(core));
        }
        final AllocationMeter meter = new AllocationMeter();
        try (ConsumeTransformPublish pipeline = new ConsumeTransformPublish(args[0], "probe", args[1], args[2]))
        {
            int quietRounds = 0;
            while (quietRounds < QUIET_ROUNDS || pipeline.commits() < COMMITS)
            {
                final long compilationMs = ThreadUsage.compilationMs();
                quietRounds = run(pipeline, ROUND_RECORDS, meter) == 0 && ThreadUsage.compilationMs() == compilationMs ?
                    quietRounds + 1 : 0;
            }
            final long commits = pipeline.commits();
            final long bytes = run(pipeline, records, meter);
            System.out.println("bytes=" + bytes + " records=" + records + " commits=" + (pipeline.commits() - commits));
            System.out.println("allowed on core " + (core < 0 ? "any" : ThreadPinning.allowedCores()));
            System.exit(bytes == 0 ? 0 : 1);
        }
    }

    private static long run(final ConsumeTransformPublish pipeline, final int records, final AllocationMeter meter)
    {
        final long end = pipeline.published() + records;
        meter.start();
        while (pipeline.published() < end && pipeline.failure() == null)
        {
            pipeline.workOrWait();
        }
        meter.stop();
        if (pipeline.failure() != null)
        {
            throw new IllegalStateException(pipeline.failure());
        }
        return meter.allocatedBytes();
    }
}
