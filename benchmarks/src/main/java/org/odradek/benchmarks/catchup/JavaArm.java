// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.catchup;

import org.odradek.testkit.JavaProcess;

import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * An arm of this module in a JVM of its own.
 */
final class JavaArm implements ArmProgram
{
    static final List<String> FLAGS = List.of("-Xms256m", "-Xmx256m", "-XX:+UseG1GC", "-XX:MaxDirectMemorySize=256m");

    private static final String QUIET = "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn";
    private static final int END_SECONDS = 30;

    private final JavaProcess process;

    private JavaArm(final JavaProcess process)
    {
        this.process = process;
    }

    static ArmProgram start(final ArmKind kind, final ArmSettings settings, final int parentPort)
    {
        return new JavaArm(JavaProcess.of(ArmMain.class)
            .flags(FLAGS.toArray(new String[0])).flags(QUIET)
            .args(kind.name(), Integer.toString(parentPort)).args(settings.toArguments())
            .start());
    }

    @Override
    public boolean isAlive()
    {
        return process.isAlive();
    }

    @Override
    public String outputTail()
    {
        process.exitCode(END_SECONDS, TimeUnit.SECONDS);
        return process.outputTail();
    }

    @Override
    public void close()
    {
        process.close();
    }
}
