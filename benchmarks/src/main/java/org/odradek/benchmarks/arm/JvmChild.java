// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.arm;

import org.odradek.testkit.JavaProcess;

/**
 * A child JVM.
 */
record JvmChild(JavaProcess process) implements ChildProcess
{
    @Override
    public void send(final String line)
    {
        process.send(line);
    }

    @Override
    public boolean isAlive()
    {
        return process.isAlive();
    }

    @Override
    public long pid()
    {
        return process.pid();
    }

    @Override
    public String outputTail()
    {
        return process.outputTail();
    }

    @Override
    public void close()
    {
        process.close();
    }
}
