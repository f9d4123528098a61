// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.chain;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import org.odradek.benchmarks.arm.LineProcess;
import org.odradek.benchmarks.arm.ProcessCpu;
import org.odradek.testkit.ParentLines;

import java.util.Map;
import java.util.function.LongSupplier;

/**
 * The arm's JVM: each line orders a step and is answered by its result. It ends with its parent, or when a step fails.
 */
public final class ChainArmMain
{
    private ChainArmMain()
    {
    }

    /**
     * @param args name of the arm, then {@link ChainSettings}.
     * @throws JsonProcessingException never: what is written here can be JSON.
     */
    public static void main(final String[] args) throws JsonProcessingException
    {
        final ObjectMapper mapper = new ObjectMapper();
        try
        {
            final ChainArm arm = ChainArm.valueOf(args[0]);
            final ChainSettings settings = ChainSettings.parse(args, 1);
            System.out.println(LineProcess.STARTED);
            while (true)
            {
                final StepOrder order = mapper.readValue(ParentLines.take(), StepOrder.class);
                System.out.println(mapper.writeValueAsString(run(arm, settings, order)));
            }
        }
        catch (final Throwable ex)
        {
            ex.printStackTrace();
            System.out.println(mapper.writeValueAsString(Map.of("error", ex.toString())));
            System.exit(1);
        }
    }

    private static StepResult run(final ChainArm arm, final ChainSettings settings, final StepOrder order)
    {
        final ChainSchedule schedule = new ChainSchedule(order);
        final Arrivals arrivals = new Arrivals(schedule);
        final long brokerPid = settings.brokerPid();
        final LongSupplier brokerCpuNs =
            brokerPid == ChainSettings.NULL_PID ? () -> 0 : () -> ProcessCpu.ns(brokerPid);
        try (Chains chains = arm.open(settings, order.chains(), arrivals))
        {
            return new StepRun(schedule, chains, arrivals, brokerCpuNs).run();
        }
    }
}
