// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.catchup;

import org.odradek.benchmarks.rivals.LibrdkafkaBuild;
import org.odradek.benchmarks.rivals.LibrdkafkaSettings;
import org.odradek.benchmarks.rivals.NativeProcess;
import org.odradek.benchmarks.rivals.NativeProgram;

import java.io.IOException;

/**
 * librdkafka in a program of its own, with the settings of the other arms.
 */
final class NativeArm implements ArmProgram
{
    private final NativeProcess process;

    private NativeArm(final NativeProcess process)
    {
        this.process = process;
    }

    static ArmProgram start(final ArmKind kind, final ArmSettings settings, final int parentPort) throws IOException
    {
        final NativeProgram program = LibrdkafkaBuild.program();
        if (!program.isThere())
        {
            throw new IOException(program.whyNot());
        }
        final LibrdkafkaSettings librdkafka = new LibrdkafkaSettings(settings.bootstrap(), settings.topic(),
            settings.partitions(), ArmSettings.FETCH_MAX_BYTES, ArmSettings.PARTITION_MAX_BYTES,
            ArmSettings.FETCH_MIN_BYTES, ArmSettings.FETCH_MAX_WAIT_MS, settings.isCheckingCrcs());
        return new NativeArm(new NativeProcess(program, parentPort,
            librdkafka.forPasses(settings.partitions() * settings.recordsPerPartition())));
    }

    @Override
    public boolean isAlive()
    {
        return process.isAlive();
    }

    @Override
    public String outputTail()
    {
        return process.output();
    }

    @Override
    public void close()
    {
        process.close();
    }
}
