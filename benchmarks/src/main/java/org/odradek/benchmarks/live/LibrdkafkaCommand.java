// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.live;

import org.odradek.benchmarks.rivals.LibrdkafkaSettings;
import org.odradek.benchmarks.rivals.NativeProgram;

import java.util.ArrayList;
import java.util.List;

/**
 * The command line of the program with librdkafka, which speaks the lines of this package, for
 * {@link ClientProcess#start(String, List)}. It reads a topic's partitions from 0 on, knows no latency and no core.
 */
public final class LibrdkafkaCommand
{
    /** Its name in rows. */
    public static final String CLIENT = "librdkafka";

    /** Instead of a port: it is spoken to on its standard input and output. */
    private static final String NO_PORT = "0";

    private LibrdkafkaCommand()
    {
    }

    /**
     * @param program  that is there.
     * @param settings of the clients it is compared with; those it does not know are left aside.
     * @return the program and its arguments.
     */
    public static List<String> of(final NativeProgram program, final ClientSettings settings)
    {
        final LibrdkafkaSettings librdkafka = new LibrdkafkaSettings(settings.bootstrap(), settings.topic(),
            settings.partitions().length, ClientSettings.FETCH_MAX_BYTES, ClientSettings.PARTITION_MAX_BYTES,
            ClientSettings.FETCH_MIN_BYTES, ClientSettings.FETCH_MAX_WAIT_MS, true);
        final List<String> command = new ArrayList<>(List.of(program.file().toString(), NO_PORT));
        command.addAll(librdkafka.forLiveTopic(settings.pollTimeoutMs()));
        return command;
    }
}
