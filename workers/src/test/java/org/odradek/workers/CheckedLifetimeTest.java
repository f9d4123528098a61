// SPDX-License-Identifier: Apache-2.0
package org.odradek.workers;

import org.junit.jupiter.api.Test;
import org.odradek.protocol.record.ViewLifetime;
import org.odradek.testkit.internal.JavaProcess;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** The check of view lifetimes finds a handler that keeps the record of a worker. */
class CheckedLifetimeTest
{
    @Test
    void shouldRefuseARecordThatTheHandlerOfAWorkerHasKept()
    {
        final List<String> stdout = Collections.synchronizedList(new ArrayList<>());
        try (JavaProcess process = JavaProcess.of(KeepMain.class).onStdout(stdout::add)
            .flags("-D" + ViewLifetime.CHECK_PROP_NAME + "=true").startingQuickly().start())
        {
            assertEquals(0, process.exitCode(50, TimeUnit.SECONDS));
        }
        assertEquals(List.of("[0 3:0]", "The record at offset 0 of partition 3 was used after its callback had " +
            "returned: what is kept must be copied before."), stdout);
    }
}
