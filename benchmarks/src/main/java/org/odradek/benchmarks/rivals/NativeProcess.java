// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.rivals;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A running native rival. It is talked to over a connection that it opens to a port of its parent, and ends with it.
 */
public final class NativeProcess implements AutoCloseable
{
    private static final int END_SECONDS = 5;

    private final Path output;
    private final Process process;

    /**
     * @param program    that is there.
     * @param parentPort on the loopback, to which it connects.
     * @param arguments  of the program, after the port.
     */
    public NativeProcess(final NativeProgram program, final int parentPort, final List<String> arguments)
        throws IOException
    {
        final List<String> command = new ArrayList<>();
        command.add(program.file().toString());
        command.add(Integer.toString(parentPort));
        command.addAll(arguments);
        output = Files.createTempFile("odradek-native-", ".log");
        process = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile()).start();
    }

    public boolean isAlive()
    {
        return process.isAlive();
    }

    /**
     * @return operating system's id of the process.
     */
    public long pid()
    {
        return process.pid();
    }

    /**
     * @return what it wrote to standard output and standard error, which is nothing unless it is in trouble.
     */
    public String output()
    {
        awaitEnd();
        try
        {
            return Files.readString(output);
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }

    /**
     * Ends it, and waits until it is gone.
     */
    @Override
    public void close()
    {
        process.destroyForcibly();
        awaitEnd();
        try
        {
            Files.deleteIfExists(output);
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }

    private void awaitEnd()
    {
        try
        {
            process.waitFor(END_SECONDS, TimeUnit.SECONDS);
        }
        catch (final InterruptedException ex)
        {
            Thread.currentThread().interrupt();
        }
    }
}
