// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.catchup;

import org.odradek.benchmarks.report.NotRun;

import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The processes of all arms of one case, started before the first round and ended together.
 */
final class ArmProcesses implements AutoCloseable
{
    private final String scenario;
    private final Map<ArmKind, ArmProcess> processes = new EnumMap<>(ArmKind.class);
    private final List<NotRun> notRun = new ArrayList<>();

    /**
     * @throws IOException if ours or the bare loop does not start; a rival is left out and named.
     */
    ArmProcesses(final CatchupPlan plan, final CatchupCase catchupCase, final ArmSettings settings) throws IOException
    {
        scenario = plan.scenario();
        for (final ArmKind kind : plan.arms())
        {
            if (kind.canRead(catchupCase))
            {
                start(kind, catchupCase, settings);
            }
        }
    }

    /**
     * @return those that run, always in the same order.
     */
    ArmKind[] kinds()
    {
        return processes.keySet().toArray(new ArmKind[0]);
    }

    List<NotRun> notRun()
    {
        return notRun;
    }

    Pass pass(final ArmKind kind) throws IOException
    {
        return processes.get(kind).pass();
    }

    @Override
    public void close() throws IOException
    {
        for (final ArmProcess process : processes.values())
        {
            process.close();
        }
    }

    private void start(final ArmKind kind, final CatchupCase catchupCase, final ArmSettings settings)
        throws IOException
    {
        try
        {
            processes.put(kind, new ArmProcess(kind, settings));
        }
        catch (final IOException ex)
        {
            if (!kind.isRival())
            {
                close();
                throw ex;
            }
            final String reason = ex.getMessage().lines().limit(2).collect(Collectors.joining(" "));
            notRun.add(new NotRun(scenario, catchupCase.name(), kind.client(), reason));
        }
    }
}
