/*
 * Licensed under the Apache License, Version 2.0; see the file LICENSE.
 */
package org.odradek.benchmarks.live;

import java.util.ArrayList;
import java.util.List;

/**
 * The clients of a scenario, all started before the first turn, so that no turn waits for a JVM, and ended together.
 */
public final class ClientProcesses implements AutoCloseable
{
    private final List<ClientProcess> processes = new ArrayList<>();

    /**
     * Returns when all can be spoken to.
     */
    public ClientProcesses(
        final List<ClientKind> kinds, final String bootstrap, final String topic, final int... partitions)
    {
        try
        {
            for (final ClientKind kind : kinds)
            {
                processes.add(ClientProcess.start(
                    kind.client(), ClientSettings.of(kind, bootstrap, topic, partitions)));
            }
            processes.forEach(ClientProcess::awaitStart);
        }
        catch (final RuntimeException ex)
        {
            close();
            throw ex;
        }
    }

    public List<ClientProcess> list()
    {
        return processes;
    }

    @Override
    public void close()
    {
        processes.forEach(ClientProcess::close);
    }
}
