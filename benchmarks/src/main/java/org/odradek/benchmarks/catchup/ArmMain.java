// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.catchup;

import com.fasterxml.jackson.databind.ObjectMapper;
import org.odradek.benchmarks.arm.ProcessCpu;
import org.odradek.testkit.ThreadUsage;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/**
 * The arm's JVM: opens the arm, connects to the parent, and answers each line it is sent by a pass and one JSON line.
 * It ends when the parent closes the connection.
 */
public final class ArmMain
{
    private ArmMain()
    {
    }

    /**
     * @param args name of the arm, port on which the parent listens, then {@link ArmSettings}.
     * @throws IOException if the parent is not there.
     */
    public static void main(final String[] args) throws IOException
    {
        final ObjectMapper mapper = new ObjectMapper();
        final Tally tally = new Tally();
        final int parentPort = Integer.parseInt(args[1]);
        try (Arm arm = ArmKind.valueOf(args[0]).open(ArmSettings.parse(args, 2));
            Socket parent = new Socket(InetAddress.getLoopbackAddress(), parentPort);
            BufferedReader commands =
                new BufferedReader(new InputStreamReader(parent.getInputStream(), StandardCharsets.UTF_8)))
        {
            final OutputStream answers = parent.getOutputStream();
            while (commands.readLine() != null)
            {
                final Pass pass = measure(arm, tally);
                arm.rest();
                answers.write((mapper.writeValueAsString(pass) + "\n").getBytes(StandardCharsets.UTF_8));
            }
        }
    }

    private static Pass measure(final Arm arm, final Tally tally)
    {
        tally.clear();
        final long processCpuNs = processCpuNs();
        final long threadCpuNs = ThreadUsage.cpuNs();
        final long allocatedBytes = ThreadUsage.allocatedBytes();
        final long startNs = System.nanoTime();

        arm.pass(tally);

        final long wallNs = System.nanoTime() - startNs;
        final long allocatedSince = ThreadUsage.allocatedBytes() - allocatedBytes;
        final long threadCpuSince = ThreadUsage.cpuNs() - threadCpuNs;
        final long processCpuSince = processCpuNs() - processCpuNs;
        return new Pass(tally.records(), tally.bytes(), tally.sum(), wallNs, threadCpuSince, processCpuSince,
            allocatedSince, BrokerCpu.UNKNOWN);
    }

    /** Read first and last: on Linux the reading itself allocates. Elsewhere the JVM's own figure moves in steps. */
    private static long processCpuNs()
    {
        return BrokerCpu.isLinux() ? ProcessCpu.ownNs() : ThreadUsage.processCpuNs();
    }
}
