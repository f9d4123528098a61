// SPDX-License-Identifier: Apache-2.0
package org.odradek.verification.chaos;

import org.odradek.testkit.Await;
import org.odradek.testkit.internal.JavaProcess;

import java.util.Arrays;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * The process under a soak, as the run sees it.
 */
final class SoakMember implements AutoCloseable
{
    private static final int EXIT_SECONDS = 120;

    private final BlockingQueue<String> samples = new LinkedBlockingQueue<>();
    private final List<String> counters = new CopyOnWriteArrayList<>();
    private final JavaProcess process;
    /** Set by the thread that reads its output. */
    private volatile boolean isReady;

    /** Starts the process, and returns when it works. */
    SoakMember(final String bootstrapServers, final boolean isLeaking)
    {
        process = JavaProcess.of(SoakMemberMain.class)
            .flags("-ea:org.odradek...", "-Xmx64m", "-XX:MaxDirectMemorySize=256m", "-XX:+UseSerialGC",
                "-Dorg.slf4j.simpleLogger.defaultLogLevel=error")
            .args(bootstrapServers)
            .args(isLeaking ? new String[]{SoakMemberMain.LEAK} : new String[0])
            .onStdout(this::onLine)
            .start();
        Await.until("the start of the process", () -> isReady || !process.isAlive());
    }

    /** Throws if the process has ended. */
    void check()
    {
        if (!process.isAlive())
        {
            throw new IllegalStateException("The process has ended.");
        }
    }

    private void onLine(final String line)
    {
        isReady |= line.equals(SoakMemberMain.READY);
        if (line.startsWith(SoakMemberMain.SAMPLE))
        {
            samples.add(line.substring(SoakMemberMain.SAMPLE.length()));
        }
        else if (line.startsWith(SoakMemberMain.COUNTERS))
        {
            counters.add(line.substring(SoakMemberMain.COUNTERS.length()));
        }
    }

    /** Returns what {@link ProcessMeter#measure} returns in the process. */
    double[] sample()
    {
        check();
        process.send(SoakMemberMain.SAMPLE);
        Await.until("a sample of the process", () ->
        {
            check();
            return !samples.isEmpty();
        });
        final String figures = samples.remove();
        return Arrays.stream(figures.substring(1, figures.length() - 1).split(", "))
            .mapToDouble(Double::parseDouble).toArray();
    }

    /** Ends the process, and returns the counters of its clients. */
    List<String> end()
    {
        process.send(SoakMemberMain.CLOSE);
        final int exitCode = process.exitCode(EXIT_SECONDS, TimeUnit.SECONDS);
        if (exitCode != 0)
        {
            throw new IllegalStateException("The process has ended with exit code " + exitCode + ".");
        }
        return counters;
    }

    /** Returns the last lines of its output. */
    String output()
    {
        return process.outputTail();
    }

    @Override
    public void close()
    {
        process.close();
    }
}
