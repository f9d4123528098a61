// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.live;

import org.odradek.benchmarks.arm.LineProcess;
import org.odradek.testkit.JavaProcess;
import org.odradek.testkit.JavaProcessBuilder;

import java.util.List;

/**
 * The parent's side of a client: started ahead, then run as often as wanted.
 * <pre>{@code
 * client.run();
 * Thread.sleep(warmUpMs);
 * client.measure();
 * Thread.sleep(measuredMs);
 * final Usage usage = client.stop();
 * }</pre>
 */
public final class ClientProcess implements AutoCloseable
{
    /** Flags of every client's JVM. */
    public static final List<String> JVM_FLAGS = List.of("-Xms256m", "-Xmx256m", "-XX:+UseG1GC");

    static final String RUN = "run";
    static final String PRACTISE = "practise";
    static final String MEASURE = "measure";
    static final String STOP = "stop";

    private static final String QUIET = "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn";

    private final String client;
    private final LineProcess process;

    private ClientProcess(final String client, final LineProcess process)
    {
        this.client = client;
        this.process = process;
    }

    /**
     * @param client   its name in rows.
     * @param settings of the client.
     * @return a client in a JVM of its own, with {@link #JVM_FLAGS}.
     */
    public static ClientProcess start(final String client, final ClientSettings settings)
    {
        return start(client, settings, JavaProcess.of(ClientMain.class).flags(JVM_FLAGS.toArray(new String[0])));
    }

    /**
     * @param client   its name in rows.
     * @param settings of the client.
     * @param jvm      which Java, with which flags; made for {@link ClientMain}.
     * @return a client in a JVM of its own.
     */
    public static ClientProcess start(
        final String client, final ClientSettings settings, final JavaProcessBuilder jvm)
    {
        return new ClientProcess(client, LineProcess.of(client, jvm.flags(QUIET).args(settings.toArguments())));
    }

    /**
     * @param client  its name in rows.
     * @param command a program that speaks the lines of this package, and its arguments.
     * @return a client that is no JVM.
     */
    public static ClientProcess start(final String client, final List<String> command)
    {
        return new ClientProcess(client, LineProcess.of(client, command));
    }

    /**
     * @return its name in rows.
     */
    public String client()
    {
        return client;
    }

    /**
     * @return the operating system's id of its process.
     */
    public long pid()
    {
        return process.pid();
    }

    /**
     * Waits until the process can be spoken to. Once, before {@link #run()}.
     */
    public void awaitStart()
    {
        process.awaitStart();
    }

    /**
     * Returns when the client polls.
     */
    public void run()
    {
        process.ask(RUN);
    }

    /**
     * As {@link #run()}, with polls that wait so briefly that a JVM soon compiles what waits.
     */
    void practise()
    {
        process.ask(PRACTISE);
    }

    /**
     * Lets the counts begin anew.
     */
    public void measure()
    {
        process.ask(MEASURE);
    }

    /**
     * Closes the client; its process stays.
     *
     * @return what was used since {@link #measure()}.
     * @throws IllegalStateException if a record was missing.
     */
    public Usage stop()
    {
        final Usage usage = Usage.parse(process.ask(STOP));
        usage.mustBeComplete(client);
        return usage;
    }

    @Override
    public void close()
    {
        process.close();
    }
}
