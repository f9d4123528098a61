// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.report;

import org.junit.jupiter.api.Test;

import java.io.File;
import java.util.Map;

import static org.junit.jupiter.api.Assertions.assertEquals;

class EnvironmentTest
{
    @Test
    void shouldNameTheVersionsOfWhatHasAPartInTheFigures()
    {
        final String classPath = String.join(File.pathSeparator,
            "/a/target/classes", "/b/kafka-clients-4.4.0.jar", "/c/odradek-consumer-0.1.0-SNAPSHOT.jar",
            "/d/something-else-1.jar");

        assertEquals(Map.of("kafka-clients", "4.4.0", "odradek-consumer", "0.1.0-SNAPSHOT"),
            Environment.versions(classPath));
    }

    @Test
    void shouldGiveTheCommandWithoutPlacesOfFiles()
    {
        assertEquals("./odradek bench catchup --quick --sizes 23", Environment.command(
            "org.odradek.benchmarks.BenchCommand catchup --quick --json /home/someone/x.json --sizes 23"));
        assertEquals("./odradek bench all --quick",
            Environment.command("org.odradek.benchmarks.BenchCommand all --out=/tmp/x --quick"));
        assertEquals("unknown", Environment.command("some.other.Program with arguments"));
    }
}
