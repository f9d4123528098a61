// SPDX-License-Identifier: Apache-2.0
package org.odradek.tools.demo;

/**
 * What both clients are told, word for word, and the JVM flags that both get: nothing but the client differs.
 */
final class FetchSettings
{
    static final int VALUE_LENGTH = 23;
    static final int MAX_BYTES = 1 << 20;
    static final int PARTITION_MAX_BYTES = 1 << 20;
    static final int MIN_BYTES = 1;
    static final int MAX_WAIT_MS = 500;
    static final int MAX_POLL_RECORDS = 500;
    static final int POLL_TIMEOUT_MS = 100;
    static final boolean CHECK_CRCS = true;
    static final String[] JVM_FLAGS = {"-Xms256m", "-Xmx256m", "-XX:+UseG1GC"};

    private FetchSettings()
    {
    }

    static String sentence()
    {
        return "Both clients: fetch.max.bytes " + MAX_BYTES + ", max.partition.fetch.bytes " + PARTITION_MAX_BYTES +
            ", fetch.min.bytes " + MIN_BYTES + ", fetch.max.wait.ms " + MAX_WAIT_MS + ", check.crcs " + CHECK_CRCS +
            ", at most " + MAX_POLL_RECORDS + " records a poll, poll timeout " + POLL_TIMEOUT_MS + " ms; " +
            String.join(" ", JVM_FLAGS) + ".";
    }
}
