// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.rig;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * A child process that is not a JVM. It ends with this JVM because its standard input does.
 */
final class NativeProcess
{
    private static final int TAIL_LINES = 100;
    private static final long TERMINATION_SECONDS = 5;

    private final Deque<String> tail = new ArrayDeque<>();
    private final Process process;

    /**
     * @param onLine gets each line of standard output and error, on its own thread.
     */
    NativeProcess(final List<String> command, final Consumer<String> onLine)
    {
        try
        {
            process = new ProcessBuilder(command).redirectErrorStream(true).start();
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(command.get(0) + " could not be started: " + ex.getMessage(), ex);
        }
        final Thread reader = new Thread(() -> readLines(onLine), "native-out-" + process.pid());
        reader.setDaemon(true);
        reader.start();
    }

    void send(final String line)
    {
        try
        {
            final OutputStream input = process.getOutputStream();
            input.write((line + "\n").getBytes(StandardCharsets.UTF_8));
            input.flush();
        }
        catch (final IOException ex)
        {
            throw new IllegalStateException("The program did not accept the line " + line + ":\n" + outputTail(), ex);
        }
    }

    boolean isAlive()
    {
        return process.isAlive();
    }

    String outputTail()
    {
        synchronized (tail)
        {
            return String.join("\n", tail);
        }
    }

    void close()
    {
        process.destroy();
        try
        {
            if (!process.waitFor(TERMINATION_SECONDS, TimeUnit.SECONDS))
            {
                process.destroyForcibly();
            }
        }
        catch (final InterruptedException ex)
        {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }

    private void readLines(final Consumer<String> onLine)
    {
        try (BufferedReader reader = process.inputReader(StandardCharsets.UTF_8))
        {
            for (String line = reader.readLine(); line != null; line = reader.readLine())
            {
                keep(line);
                onLine.accept(line);
            }
        }
        catch (final IOException ex)
        {
            keep("(output lost: " + ex.getMessage() + ")");
        }
    }

    private void keep(final String line)
    {
        synchronized (tail)
        {
            if (tail.size() == TAIL_LINES)
            {
                tail.removeFirst();
            }
            tail.addLast(line);
        }
    }
}
