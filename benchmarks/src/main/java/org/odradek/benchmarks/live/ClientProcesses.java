/*
 * Licensed under the Apache License, Version 2.0; see the file LICENSE.
 */
package org.odradek.benchmarks.live;

import org.odradek.benchmarks.rivals.LibrdkafkaBuild;
import org.odradek.benchmarks.rivals.NativeProgram;

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

    /**
     * Lets librdkafka take part, if its program can be had here.
     *
     * @return why not, or null if it does.
     */
    public String addLibrdkafka(final String bootstrap, final String topic, final int... partitions)
    {
        final NativeProgram program = LibrdkafkaBuild.program();
        if (program.isThere())
        {
            final ClientProcess process = ClientProcess.start(LibrdkafkaCommand.CLIENT,
                LibrdkafkaCommand.of(program, ClientSettings.of(ClientKind.STOCK, bootstrap, topic, partitions)));
            processes.add(process);
            process.awaitStart();
        }
        return program.whyNot();
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
