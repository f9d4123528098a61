// SPDX-License-Identifier: Apache-2.0
package org.odradek.testkit.internal;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * A child process: a JVM, by default with the class path of this JVM, or another program. A child JVM ends when this
 * JVM ends, even if this JVM is killed.
 */
public final class JavaProcess implements AutoCloseable
{
    private static final int TAIL_LINES = 100;
    private static final long TERMINATION_MS = 5_000;
    private static final long DEATH_MS = 60_000;
    private static final long PUMP_END_MS = 60_000;

    private final String name;
    private final Process process;
    /** The folder with the class path file, which the child removes when it starts. */
    private final TempFolder folder;
    private final ArrayDeque<String> tail = new ArrayDeque<>();
    private final List<Thread> pumps = new ArrayList<>();
    private final Runnable atExit;
    private volatile RuntimeException consumerFailure;

    JavaProcess(final JavaProcessBuilder builder)
    {
        name = builder.mainClass();
        folder = new TempFolder("odradek-process-");
        try
        {
            process = builder.toProcessBuilder(folder.path()).start();
        }
        catch (final IOException ex)
        {
            folder.delete();
            throw new UncheckedIOException("A JVM for " + name + " could not be started: " + ex.getMessage(), ex);
        }
        atExit = builder.isKilledAtExit() ? this::kill : this::close;
        JvmExit.add(atExit);
        if (builder.outputFile() == null)
        {
            pump("out", process.getInputStream(), builder.stdoutConsumer());
            pump("err", process.getErrorStream(), builder.stderrConsumer());
        }
    }

    public static JavaProcessBuilder of(final Class<?> mainClass)
    {
        return of(mainClass.getName());
    }

    public static JavaProcessBuilder of(final String mainClass)
    {
        return new JavaProcessBuilder(mainClass, null);
    }

    /** Returns a builder for a program that is not a JVM and that ends when its standard input ends. */
    public static JavaProcessBuilder ofProgram(final List<String> command)
    {
        return new JavaProcessBuilder(command.get(0), command);
    }

    public long pid()
    {
        return process.pid();
    }

    public boolean isAlive()
    {
        return process.isAlive();
    }

    /**
     * @param line text for the standard input of the child, without a line feed.
     * @throws UncheckedIOException if the process has ended.
     */
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
            throw new UncheckedIOException(name + " did not accept the line " + line + ": " + ex.getMessage(), ex);
        }
    }

    /**
     * @return the exit code; 128 + n if signal n has ended the process.
     * @throws IllegalStateException if the process still runs after the timeout, or this thread was interrupted.
     * @throws RuntimeException      if a consumer of the output has thrown this exception.
     */
    public int exitCode(final long timeout, final TimeUnit unit)
    {
        if (!awaitEnd(unit.toMillis(timeout)))
        {
            throw new IllegalStateException(
                name + " still runs after " + timeout + " " + unit.name().toLowerCase(Locale.ROOT) +
                ". Its last output:\n" + outputTail());
        }
        if (consumerFailure != null)
        {
            throw consumerFailure;
        }
        return process.exitValue();
    }

    /**
     * Returns the last 100 lines of standard output and standard error, in order of arrival; an empty text if the
     * output goes to a file.
     */
    public String outputTail()
    {
        synchronized (tail)
        {
            return String.join("\n", tail);
        }
    }

    /** Sends SIGTERM, and does not wait for the end of the process. */
    public void terminate()
    {
        process.destroy();
    }

    /**
     * @return false if the signal could not be sent, because the process has ended or this thread was interrupted.
     */
    public boolean suspend()
    {
        return signal("-STOP");
    }

    public boolean resume()
    {
        return signal("-CONT");
    }

    private boolean signal(final String signal)
    {
        try
        {
            return new ProcessBuilder("kill", signal, Long.toString(pid())).start().waitFor() == 0;
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException("The program kill cannot be run: " + ex.getMessage(), ex);
        }
        catch (final InterruptedException ex)
        {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** Kills the process (SIGKILL) and waits for its end, for up to 60 seconds. */
    public void kill()
    {
        process.destroyForcibly();
        if (!awaitEndUninterrupted(DEATH_MS))
        {
            throw new IllegalStateException(name + ", process " + pid() + ", did not end after SIGKILL.");
        }
    }

    /** Sends SIGTERM, waits up to 5 seconds, and then kills the process if it still runs. */
    @Override
    public void close()
    {
        terminate();
        if (!awaitEndUninterrupted(TERMINATION_MS))
        {
            kill();
        }
        folder.delete();
        JvmExit.remove(atExit);
    }

    private boolean awaitEnd(final long timeoutMs)
    {
        try
        {
            if (!process.waitFor(timeoutMs, TimeUnit.MILLISECONDS))
            {
                return false;
            }
            for (final Thread pump : pumps)
            {
                // The wait is bounded, because a process that the child has started may hold the pipe open.
                pump.join(PUMP_END_MS);
            }
            return true;
        }
        catch (final InterruptedException ex)
        {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted while waiting for " + name + " to end.", ex);
        }
    }

    /** Waits even if the thread was interrupted before, because otherwise the process could outlive the test. */
    private boolean awaitEndUninterrupted(final long timeoutMs)
    {
        final boolean wasInterrupted = Thread.interrupted();
        try
        {
            return awaitEnd(timeoutMs);
        }
        finally
        {
            if (wasInterrupted)
            {
                Thread.currentThread().interrupt();
            }
        }
    }

    private void pump(final String stream, final InputStream input, final Consumer<String> consumer)
    {
        pumps.add(JvmExit.daemon("testkit-" + stream + "-" + process.pid(), () -> readLines(input, consumer)));
    }

    private void readLines(final InputStream input, final Consumer<String> consumer)
    {
        try (BufferedReader reader = new BufferedReader(new InputStreamReader(input, StandardCharsets.UTF_8)))
        {
            for (String line = reader.readLine(); line != null; line = reader.readLine())
            {
                keep(line);
                deliver(line, consumer);
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

    /**
     * Passes a line to its consumer, whose exception must not end the reading, because the child would then block on a
     * full pipe.
     */
    private void deliver(final String line, final Consumer<String> consumer)
    {
        try
        {
            consumer.accept(line);
        }
        catch (final RuntimeException ex)
        {
            consumerFailure = ex;
        }
    }
}
