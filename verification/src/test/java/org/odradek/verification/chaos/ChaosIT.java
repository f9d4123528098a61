// SPDX-License-Identifier: Apache-2.0
package org.odradek.verification.chaos;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.odradek.verification.chaos.ChaosSettings.Sabotage;

import java.util.List;

import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Short forms of {@code odradek chaos}. Each strikes with a fixed number of faults, however long that takes.
 */
@Tag("slow")
@Timeout(1_200)
class ChaosIT
{
    private static final int SEED = 1;
    private static final int RATE = 1_000;
    /** That of the command: what is counted in records passes fast, compared with a handshake. */
    private static final int SECURE_RATE = 4_000;
    private static final int PARTITIONS = 3;

    // Behaviour N160.
    @Test
    void shouldLoseAndRepeatNothingInAllFaults()
    {
        shouldEndClean(FaultKind.all(false));
    }

    @Test
    void shouldLoseAndRepeatNothingInTheFaultsOfSecurity()
    {
        shouldEndClean(List.of(FaultKind.CERTIFICATE_ROTATION, FaultKind.EXPIRED_CERTIFICATE, FaultKind.WRONG_PASSWORD,
            FaultKind.HANDSHAKE_CUT, FaultKind.NETWORK_CUT));
    }

    private static void shouldEndClean(final List<FaultKind> kinds)
    {
        final boolean isSecure = kinds.contains(FaultKind.WRONG_PASSWORD);
        final ChaosRun.Result result = new ChaosRun(
            new ChaosSettings(0, SEED, isSecure ? SECURE_RATE : RATE, PARTITIONS, Sabotage.NONE, isSecure), kinds,
            System.out::println).run();

        assertTrue(result.isClean(), result.toText());
    }
}
