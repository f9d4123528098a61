// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.arm;

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
 * A child that is no JVM. It ends with this JVM because its standard input does.
 */
final class NativeChild implements ChildProcess
{
    private static final int TAIL_LINES = 100;
    private static final long TERMINATION_SECONDS = 5;

    private final Process process;
    private final Deque<String> tail = new ArrayDeque<>();

    /**
     * @param onLine gets each line of standard output and error, on a thread of its own.
     */
    NativeChild(final List<String> command, final Consumer<String> onLine)
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

    @Override
    public void send(final String line)
    {
        try
        {
            final OutputStream input = process.getOutputStream();
            input.write((line + "\n").getBytes(StandardCharsets.UTF_8));
            input.flush();
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException("The program does not take " + line + ":\n" + outputTail(), ex);
        }
    }

    @Override
    public boolean isAlive()
    {
        return process.isAlive();
    }

    @Override
    public long pid()
    {
        return process.pid();
    }

    @Override
    public String outputTail()
    {
        synchronized (tail)
        {
            return String.join("\n", tail);
        }
    }

    @Override
    public void close()
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
