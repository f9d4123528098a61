// SPDX-License-Identifier: Apache-2.0
package org.odradek.testkit;

import org.junit.jupiter.api.Test;
import org.odradek.testkit.internal.JavaProcess;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

/**
 * A JVM must exit, and remove all files, although nobody closes its broker.
 */
class EmbeddedBrokerExitIT
{
    private static final int TERMINATED = 128 + 15;

    private final List<String> lines = Collections.synchronizedList(new ArrayList<>());

    @Test
    void shouldNotKeepTheJvmWhenMainReturns()
    {
        try (JavaProcess child = start("return"))
        {
            final int exitCode = child.exitCode(60, TimeUnit.SECONDS);

            assertEquals(0, exitCode, child::outputTail);
            assertFalse(Files.exists(Path.of(lines.get(0))), child::outputTail);
        }
    }

    @Test
    void shouldRemoveItsDataWhenTheJvmIsTerminated()
    {
        try (JavaProcess child = start("stay"))
        {
            Await.until("the broker", () -> lines.size() == 2);
            child.terminate();
            final int exitCode = child.exitCode(60, TimeUnit.SECONDS);

            assertEquals(TERMINATED, exitCode, child::outputTail);
            assertFalse(Files.exists(Path.of(lines.get(0))), child::outputTail);
        }
    }

    private JavaProcess start(final String what)
    {
        return JavaProcess.of(Main.class).startingQuickly().flags("-Xmx128m").args(what).onStdout(lines::add).start();
    }

    /**
     * Starts a broker, and prints the folder of its data.
     */
    public static final class Main
    {
        private Main()
        {
        }

        public static void main(final String[] args) throws InterruptedException
        {
            final EmbeddedBroker broker = EmbeddedBroker.start();
            System.out.println(broker.dataFolder());
            System.out.println("running");
            if ("stay".equals(args[0]))
            {
                Thread.currentThread().join();
            }
        }
    }
}
