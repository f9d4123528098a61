// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.chain;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import org.odradek.benchmarks.arm.LineProcess;
import org.odradek.testkit.JavaProcess;

import java.util.List;

/**
 * The parent's side of one arm: its JVM, kept for all its steps.
 */
final class ChainArmProcess implements AutoCloseable
{
    static final List<String> JVM_FLAGS =
        List.of("-Xms256m", "-Xmx256m", "-XX:+UseG1GC", "-XX:MaxDirectMemorySize=2g");

    private static final String QUIET = "-Dorg.slf4j.simpleLogger.defaultLogLevel=error";

    private final ObjectMapper mapper = new ObjectMapper();
    private final LineProcess process;

    ChainArmProcess(final ChainArm arm, final ChainSettings settings)
    {
        process = LineProcess.of(arm.client(), JavaProcess.of(ChainArmMain.class)
            .flags(JVM_FLAGS.toArray(new String[0])).flags(ChainArm.OPEN_FLAGS.toArray(new String[0])).flags(QUIET)
            .args(arm.name()).args(settings.toArguments()));
    }

    void awaitStart()
    {
        process.awaitStart();
    }

    /**
     * Orders one step and waits for its result.
     *
     * @throws IllegalStateException if a message was lost or came twice, or the arm failed otherwise.
     */
    StepResult run(final StepOrder order)
    {
        try
        {
            return mapper.treeToValue(process.ask(mapper.writeValueAsString(order)), StepResult.class);
        }
        catch (final JsonProcessingException ex)
        {
            throw new IllegalStateException("an arm answers what is no result: " + ex.getMessage(), ex);
        }
    }

    @Override
    public void close()
    {
        process.close();
    }
}
