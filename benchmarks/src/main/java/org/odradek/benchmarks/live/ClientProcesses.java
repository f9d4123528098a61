// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.live;

import org.odradek.benchmarks.rivals.LibrdkafkaBuild;
import org.odradek.benchmarks.rivals.NativeProgram;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

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
        this(settings(kinds, bootstrap, topic, partitions));
    }

    /**
     * Returns when all can be spoken to.
     *
     * @param settings of each client, by its name in rows.
     */
    public ClientProcesses(final Map<String, ClientSettings> settings)
    {
        try
        {
            settings.forEach((client, its) -> processes.add(ClientProcess.start(client, its)));
            processes.forEach(ClientProcess::awaitStart);
        }
        catch (final RuntimeException ex)
        {
            close();
            throw ex;
        }
    }

    private static Map<String, ClientSettings> settings(
        final List<ClientKind> kinds, final String bootstrap, final String topic, final int... partitions)
    {
        final Map<String, ClientSettings> settings = new LinkedHashMap<>();
        kinds.forEach(kind -> settings.put(kind.client(), ClientSettings.of(kind, bootstrap, topic, partitions)));
        return settings;
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
