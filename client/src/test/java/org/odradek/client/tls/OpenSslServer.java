// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.tls;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

/**
 * One {@code openssl s_server} process that accepts some connections one after another, and writes what it decrypts to
 * a file.
 */
final class OpenSslServer implements AutoCloseable
{
    private static final Pattern VERSION = Pattern.compile("OpenSSL (\\d+\\.\\d+)\\.\\S+ .*", Pattern.DOTALL);
    private static final Pattern ACCEPT = Pattern.compile("ACCEPT \\S*:(\\d+)\n");
    private static final long TIMEOUT_NS = TimeUnit.SECONDS.toNanos(20);
    private static final long PARK_NS = 200_000;

    private final Path output;
    private final Process process;
    private final long deadlineNs = System.nanoTime() + TIMEOUT_NS;

    /**
     * @param folder      with the certificates, in which the server runs.
     * @param connections after which the server ends.
     * @param certificate the name of that of the server; its chain is sent if there is one.
     * @param options     further ones.
     */
    OpenSslServer(
        final Path folder, final int connections, final String certificate, final List<String> options)
        throws IOException
    {
        output = Files.createTempFile(folder, "server", ".log");
        final List<String> command = new ArrayList<>(List.of("openssl", "s_server", "-accept", "127.0.0.1:0",
            "-naccept", String.valueOf(connections), "-no-CAfile", "-no-CApath",
            "-cert", certificate + ".pem", "-key", certificate + ".key"));
        if (Files.exists(folder.resolve(certificate + ".chain")))
        {
            command.addAll(List.of("-cert_chain", certificate + ".chain"));
        }
        command.addAll(options);
        process = new ProcessBuilder(command).directory(folder.toFile()).redirectErrorStream(true)
            .redirectOutput(output.toFile()).start();
    }

    /** The version, as in "3.0", or null if there is no openssl. */
    static String version(final Path folder) throws InterruptedException
    {
        try
        {
            final Path file = folder.resolve("version");
            final Process process = new ProcessBuilder("openssl", "version").redirectOutput(file.toFile()).start();
            final boolean hasEnded = process.waitFor(20, TimeUnit.SECONDS);
            final Matcher matcher = VERSION.matcher(Files.readString(file));
            return hasEnded && matcher.matches() ? matcher.group(1) : null;
        }
        catch (final IOException ex)
        {
            return null;
        }
    }

    /** Waits until the server listens, and returns its port, or 0 if it refuses its options. */
    int awaitPort()
    {
        Matcher matcher = ACCEPT.matcher(output());
        while (!matcher.find())
        {
            if (!process.isAlive() && !ACCEPT.matcher(output()).find())
            {
                return 0;
            }
            await();
            matcher = ACCEPT.matcher(output());
        }
        return Integer.parseInt(matcher.group(1));
    }

    /** Waits until the server has decrypted a text or has ended, and returns whether it has decrypted it. */
    boolean awaitReceived(final String text)
    {
        while (process.isAlive() && !output().contains(text))
        {
            await();
        }
        return output().contains(text);
    }

    /** Sends a line, which must begin with none of the letters that are commands. */
    void send(final String line) throws IOException
    {
        final OutputStream input = process.getOutputStream();
        input.write(line.getBytes(ISO_8859_1));
        input.flush();
    }

    /** Waits for the end of the last connection, and returns whether a text was ever decrypted. */
    boolean hasReceived(final String text)
    {
        while (process.isAlive())
        {
            await();
        }
        return output().contains(text);
    }

    private void await()
    {
        if (System.nanoTime() - deadlineNs > 0)
        {
            throw new AssertionError("openssl takes too long; its output is " + output);
        }
        LockSupport.parkNanos(PARK_NS);
    }

    /** What the server has written. */
    String output()
    {
        try
        {
            return Files.readString(output, ISO_8859_1);
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }

    @Override
    public void close()
    {
        process.destroyForcibly();
    }
}
