// SPDX-License-Identifier: Apache-2.0
package org.odradek.tools.demo;

/**
 * A consumer of the demo's single partition, which starts at the end of the log. The polling thread calls all methods
 * except {@link #fetches()}. Both clients get the same settings and JVM flags.
 */
interface DemoClient extends AutoCloseable
{
    int VALUE_LENGTH = 23;
    int MAX_BYTES = 1 << 20;
    int PARTITION_MAX_BYTES = 1 << 20;
    int MIN_BYTES = 1;
    int MAX_WAIT_MS = 500;
    int MAX_POLL_RECORDS = 500;
    int POLL_TIMEOUT_MS = 100;
    boolean CHECK_CRCS = true;

    /**
     * Waits at most {@link #POLL_TIMEOUT_MS}, and passes every value that has arrived to the sink.
     */
    void poll();

    /**
     * @return fetch requests answered so far; called by the measuring thread.
     */
    long fetches();

    @Override
    void close();

    static String[] jvmFlags()
    {
        return new String[]{"-Xms256m", "-Xmx256m", "-XX:+UseG1GC"};
    }

    static String settings()
    {
        return "Both clients: fetch.max.bytes " + MAX_BYTES + ", max.partition.fetch.bytes " + PARTITION_MAX_BYTES +
            ", fetch.min.bytes " + MIN_BYTES + ", fetch.max.wait.ms " + MAX_WAIT_MS + ", check.crcs " + CHECK_CRCS +
            ", at most " + MAX_POLL_RECORDS + " records a poll, poll timeout " + POLL_TIMEOUT_MS + " ms; " +
            String.join(" ", jvmFlags()) + ".";
    }
}
