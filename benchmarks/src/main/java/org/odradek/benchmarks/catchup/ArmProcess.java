// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.catchup;

import com.fasterxml.jackson.databind.ObjectMapper;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;

/**
 * The parent's side of one arm: its process, kept for all passes, and the connection over which passes are ordered.
 */
final class ArmProcess implements AutoCloseable
{
    private static final int START_TIMEOUT_MS = (int)TimeUnit.MINUTES.toMillis(3);
    private static final int LOOK_INTERVAL_MS = 250;
    private static final int PASS_TIMEOUT_MS = (int)TimeUnit.MINUTES.toMillis(10);
    private static final byte[] PASS = {'p', 'a', 's', 's', '\n'};

    private final ObjectMapper mapper = new ObjectMapper();
    private final ArmKind kind;
    private final ArmProgram program;
    private final Socket socket;
    private final BufferedReader answers;

    ArmProcess(final ArmKind kind, final ArmSettings settings) throws IOException
    {
        this.kind = kind;
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress()))
        {
            server.setSoTimeout(LOOK_INTERVAL_MS);
            program = kind.launcher().start(kind, settings, server.getLocalPort());
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
            throw new IOException(kind.client() + " ended in the middle of a pass:\n" + program.outputTail());
        }
        return mapper.readValue(answer, Pass.class);
    }

    @Override
    public void close() throws IOException
    {
        socket.close();
        program.close();
    }

    private Socket accept(final ServerSocket server) throws IOException
    {
        for (int waitedMs = 0; waitedMs < START_TIMEOUT_MS && program.isAlive(); waitedMs += LOOK_INTERVAL_MS)
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
        final boolean isLate = program.isAlive();
        program.close();
        throw new IOException(kind.client() + (isLate ? " did not connect within 3 minutes:\n" : " did not start:\n") +
            program.outputTail());
    }
}
