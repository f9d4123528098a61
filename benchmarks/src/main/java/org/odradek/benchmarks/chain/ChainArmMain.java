/*
 * Licensed under the Apache License, Version 2.0; see the file LICENSE.
 */
package org.odradek.benchmarks.chain;

import com.fasterxml.jackson.databind.ObjectMapper;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * The arm's JVM: connects to the parent and answers each line, which orders a step, by a line of JSON. It ends when the
 * parent closes the connection, and when a step fails.
 */
public final class ChainArmMain
{
    private ChainArmMain()
    {
    }

    /**
     * @param args name of the arm, port on which the parent listens, then {@link ChainSettings}.
     * @throws IOException if the parent is not there.
     */
    public static void main(final String[] args) throws IOException
    {
        final ObjectMapper mapper = new ObjectMapper();
        final ChainArm arm = ChainArm.valueOf(args[0]);
        final ChainSettings settings = ChainSettings.parse(args, 2);
        try (Socket parent = new Socket(InetAddress.getLoopbackAddress(), Integer.parseInt(args[1]));
            BufferedReader orders =
                new BufferedReader(new InputStreamReader(parent.getInputStream(), StandardCharsets.UTF_8)))
        {
            final OutputStream answers = parent.getOutputStream();
            for (String line = orders.readLine(); line != null; line = orders.readLine())
            {
                final StepResult result = run(arm, settings, mapper.readValue(line, StepOrder.class));
                answers.write((mapper.writeValueAsString(result) + "\n").getBytes(StandardCharsets.UTF_8));
            }
        }
        // Threads of a client that does not end them must not keep the process.
        System.exit(0);
    }

    private static StepResult run(final ChainArm arm, final ChainSettings settings, final StepOrder order)
    {
        final ChainSchedule schedule = new ChainSchedule(order);
        final Arrivals arrivals = new Arrivals(schedule);
        try (Chains chains = arm.open(settings, order.chains(), arrivals))
        {
            return new StepRun(schedule, chains, arrivals, cpuOf(settings.brokerPid())).run();
        }
    }

    private static LongSupplier cpuOf(final long pid)
    {
        return pid == ChainSettings.NULL_PID ? () -> 0 :
            () -> ProcessHandle.of(pid).flatMap(process -> process.info().totalCpuDuration())
                .map(Duration::toNanos).orElse(0L);
    }
}
