// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.catchup;

/**
 * One client under measurement: it reads the same partition from its first offset to its last, as often as it is told
 * to. An arm lives in a JVM of its own, is used by one thread, and is not measured while it rests.
 */
interface Arm extends AutoCloseable
{
    /**
     * Reads every record from offset 0 on and returns when the last one has been added to the tally.
     */
    void pass(Tally tally);

    /**
     * Lets the fetch run out that waits at the end of the log, so that the next pass does not begin with that wait.
     */
    void rest();

    @Override
    void close();
}
