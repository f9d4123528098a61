// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.arm;

/**
 * What {@link LineProcess} needs of a process, be it a JVM or not.
 */
interface ChildProcess extends AutoCloseable
{
    void send(String line);

    boolean isAlive();

    long pid();

    /**
     * @return the last lines of its output.
     */
    String outputTail();

    @Override
    void close();
}
