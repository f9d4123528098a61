// SPDX-License-Identifier: Apache-2.0
package org.odradek.verification;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

import java.io.PrintWriter;
import java.io.StringWriter;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Wrong options of chaos, soak and matrix must be reported before any broker starts.
 */
class ClusterCommandsTest
{
    private final StringWriter errors = new StringWriter();
    private final CommandLine commandLine = VerificationCommand.commandLine();

    ClusterCommandsTest()
    {
        commandLine.setErr(new PrintWriter(errors, true));
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "chaos --minutes -1", "chaos --minutes x", "chaos --rate 0", "chaos --partitions 17", "chaos --sabotage burn",
        "chaos --seed x", "chaos --record --sabotage drop", "chaos --group --record --defect no-commit",
        "chaos --broker-version 2.8.2", "chaos --pipeline --group", "chaos --pipeline --defect no-commit",
        "chaos --pipeline --sabotage drop", "chaos --workers 2", "soak --hours 0", "soak --hours x",
        "soak --hours 0.1", "soak --hours 100 --sample-seconds 1", "soak --sample-seconds 0", "soak --fault-seconds 0",
        "soak --rate 0", "soak --record --leak", "matrix --versions 9", "matrix --versions 0.10.2.2",
        "matrix --versions 4.4.0,latest"})
    void shouldAnswerWrongUseWithCodeTwo(final String line)
    {
        assertEquals(2, commandLine.execute(line.split(" ")));
        assertTrue(errors.toString().length() > 0);
    }
}
