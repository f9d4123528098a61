/*
 * Licensed under the Apache License, Version 2.0; see the file LICENSE.
 */
package org.odradek.benchmarks.chain;

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
 * The parent's side of one arm: its JVM, kept for all its steps, and the connection over which steps are ordered.
 */
final class ChainArmProcess implements AutoCloseable
{
    static final List<String> JVM_FLAGS =
        List.of("-Xms256m", "-Xmx256m", "-XX:+UseG1GC", "-XX:MaxDirectMemorySize=512m");

    private static final String QUIET = "-Dorg.slf4j.simpleLogger.defaultLogLevel=error";
    private static final int START_TIMEOUT_MS = (int)TimeUnit.MINUTES.toMillis(1);
    private static final int LOOK_INTERVAL_MS = 250;
    private static final int STEP_TIMEOUT_MS = (int)TimeUnit.MINUTES.toMillis(10);

    private final ObjectMapper mapper = new ObjectMapper();
    private final ChainArm arm;
    private final JavaProcess process;
    private final Socket socket;
    private final BufferedReader answers;

    ChainArmProcess(final ChainArm arm, final ChainSettings settings) throws IOException
    {
        this.arm = arm;
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress()))
        {
            server.setSoTimeout(LOOK_INTERVAL_MS);
            process = JavaProcess.of(ChainArmMain.class)
                .flags(JVM_FLAGS.toArray(new String[0])).flags(ChainArm.OPEN_FLAGS.toArray(new String[0])).flags(QUIET)
                .args(arm.name(), Integer.toString(server.getLocalPort())).args(settings.toArguments())
                .start();
            socket = accept(server);
        }
        socket.setSoTimeout(STEP_TIMEOUT_MS);
        answers = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
    }

    /**
     * Orders one step and waits for its result.
     *
     * @throws IOException if a message was lost or came twice, or the arm failed otherwise; its last words are in the
     *                     message.
     */
    StepResult run(final StepOrder order) throws IOException
    {
        socket.getOutputStream().write((mapper.writeValueAsString(order) + "\n").getBytes(StandardCharsets.UTF_8));
        final String answer = answers.readLine();
        if (answer == null)
        {
            final int exitCode = process.exitCode(START_TIMEOUT_MS, TimeUnit.MILLISECONDS);
            throw new IOException(arm.client() + " ended with exit code " + exitCode + " at " + order.chains() +
                " chains:\n" + process.outputTail());
        }
        return mapper.readValue(answer, StepResult.class);
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
        throw new IOException(arm.client() + " did not start:\n" + process.outputTail());
    }
}
