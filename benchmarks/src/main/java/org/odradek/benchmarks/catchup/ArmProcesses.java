/*
 * Licensed under the Apache License, Version 2.0; see the file LICENSE.
 */
package org.odradek.benchmarks.catchup;

import java.io.IOException;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * The JVMs of all arms of one case, started before the first round and ended together.
 */
final class ArmProcesses implements AutoCloseable
{
    private final Map<ArmKind, ArmProcess> processes = new EnumMap<>(ArmKind.class);

    ArmProcesses(final List<ArmKind> kinds, final ArmSettings settings) throws IOException
    {
        try
        {
            for (final ArmKind kind : kinds)
            {
                processes.put(kind, new ArmProcess(kind, settings));
            }
        }
        catch (final IOException ex)
        {
            close();
            throw ex;
        }
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
}
