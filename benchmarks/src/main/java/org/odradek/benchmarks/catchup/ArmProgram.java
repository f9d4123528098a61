// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.catchup;

import java.io.IOException;

/**
 * The process an arm lives in, whatever it is written in. It connects to the port on the loopback that it is told,
 * answers each line it is sent there by a pass over the topic and one line with a {@link Pass} in JSON, and ends when
 * the connection is closed. Before it answers it lets the fetch run out that waits at the end of the log.
 */
interface ArmProgram extends AutoCloseable
{
    /**
     * Starts the process of a kind of arm.
     */
    interface Launcher
    {
        /**
         * @param kind       that it is.
         * @param settings   of the topic and of fetching.
         * @param parentPort on the loopback, to which it connects.
         * @throws IOException if there is no such program here; the message says why, in words for the report.
         */
        ArmProgram start(ArmKind kind, ArmSettings settings, int parentPort) throws IOException;
    }

    boolean isAlive();

    /**
     * @return its last lines, once it has ended or soon will.
     */
    String outputTail();

    /** Ends the process if it still runs. */
    @Override
    void close();
}
