/*
 * Licensed under the Apache License, Version 2.0; see the file LICENSE.
 */
package org.odradek.benchmarks.catchup;

import com.fasterxml.jackson.databind.ObjectMapper;
import org.odradek.testkit.JavaProcess;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The parent's side of one arm: its JVM, kept for all passes, and the connection over which passes are ordered.
 */
final class ArmProcess implements AutoCloseable
{
    static final List<String> JVM_FLAGS = List.of("-Xmx256m", "-XX:+UseG1GC", "-XX:MaxDirectMemorySize=256m");

    private static final String QUIET = "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn";
    private static final int START_TIMEOUT_MS = (int)TimeUnit.SECONDS.toMillis(30);
    private static final int LOOK_INTERVAL_MS = 250;
    private static final int PASS_TIMEOUT_MS = (int)TimeUnit.MINUTES.toMillis(10);
    private static final byte[] PASS = {'p', 'a', 's', 's', '\n'};

    private final ObjectMapper mapper = new ObjectMapper();
    private final ArmKind kind;
    private final JavaProcess process;
    private final Socket socket;
    private final BufferedReader answers;

    ArmProcess(final ArmKind kind, final ArmSettings settings) throws IOException
    {
        this.kind = kind;
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress()))
        {
            server.setSoTimeout(LOOK_INTERVAL_MS);
            process = JavaProcess.of(ArmMain.class)
                .flags(JVM_FLAGS.toArray(new String[0])).flags(QUIET)
                .args(kind.name(), Integer.toString(server.getLocalPort())).args(settings.toArguments())
                .start();
            socket = accept(server);
        }
        socket.setSoTimeout(PASS_TIMEOUT_MS);
        answers = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
    }

    /**
     * Orders one pass and waits for what it read and cost.
     */
    Pass pass() throws IOException
    {
        socket.getOutputStream().write(PASS);
        final String answer = answers.readLine();
        if (answer == null)
        {
            process.exitCode(START_TIMEOUT_MS, TimeUnit.MILLISECONDS);
            throw new IOException(kind.client() + " ended in the middle of a pass:\n" + process.outputTail());
        }
        return mapper.readValue(answer, Pass.class);
    }

    @Override
    public void close() throws IOException
    {
        socket.close();
        process.close();
    }

    private Socket accept(final ServerSocket server) throws IOException
    {
        for (int waitedMs = 0; waitedMs < START_TIMEOUT_MS && process.isAlive(); waitedMs += LOOK_INTERVAL_MS)
        {
            try
            {
                return server.accept();
            }
            catch (final SocketTimeoutException ex)
            {
                continue;
            }
        }
        process.close();
        throw new IOException(kind.client() + " did not start:\n" + process.outputTail());
    }
}
