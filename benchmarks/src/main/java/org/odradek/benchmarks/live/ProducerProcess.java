// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.live;

import org.odradek.benchmarks.arm.LineProcess;
import org.odradek.testkit.JavaProcess;

/**
 * The parent's side of a paced producer, in a JVM of its own. It speaks as a {@link ClientProcess} does.
 */
public final class ProducerProcess implements AutoCloseable
{
    private static final String[] JVM_FLAGS = {"-Xms256m", "-Xmx256m", "-XX:+UseG1GC"};
    private static final String QUIET = "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn";

    private final LineProcess process;

    private ProducerProcess(final LineProcess process)
    {
        this.process = process;
    }

    /**
     * @return a producer that does nothing yet.
     */
    public static ProducerProcess start(final ProducerSettings settings)
    {
        return new ProducerProcess(LineProcess.of("producer",
            JavaProcess.of(ProducerMain.class).flags(JVM_FLAGS).flags(QUIET).args(settings.toArguments())));
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
     * Begins the schedule.
     */
    public void run()
    {
        process.ask(ClientProcess.RUN);
    }

    /**
     * Begins a schedule of another rate than the settings have.
     *
     * @param recordsPerSecond over all partitions.
     */
    public void run(final int recordsPerSecond)
    {
        process.ask(ClientProcess.RUN + " " + recordsPerSecond);
    }

    /**
     * Lets the counts begin anew; the schedule goes on.
     *
     * @throws IllegalStateException if a record could not be sent.
     */
    public void measure()
    {
        process.ask(ClientProcess.MEASURE);
    }

    /**
     * Ends the schedule and waits until all is acknowledged; the process stays.
     *
     * @return what was sent since {@link #measure()}.
     * @throws IllegalStateException if a record could not be sent.
     */
    public ProducerUsage stop()
    {
        return ProducerUsage.parse(process.ask(ClientProcess.STOP));
    }

    @Override
    public void close()
    {
        process.close();
    }
}
