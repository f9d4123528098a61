// SPDX-License-Identifier: Apache-2.0
package org.odradek.examples;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.odradek.testkit.EmbeddedBroker;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import javax.tools.ToolProvider;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** Compiles and runs the program of docs/quickstart, which has a pom of its own, as README says. */
@ExtendWith(SharedBroker.class)
class QuickstartIT
{
    private static final Path FOLDER = Path.of("../docs/quickstart");
    private static final Path SOURCE = FOLDER.resolve("src/main/java/FirstRecords.java");

    @Test
    void shouldPrintTheFirstRecords(@TempDir final Path folder) throws IOException, InterruptedException
    {
        final String libraries = System.getProperty("java.class.path");
        assertEquals(0, ToolProvider.getSystemJavaCompiler().run(null, null, null,
            "--release", "17", "-cp", libraries, "-d", folder.toString(), SOURCE.toString()));
        final EmbeddedBroker broker = SharedBroker.broker();
        broker.createTopic("demo", 1);
        broker.produce("demo", 0, 5, (i) -> ("temperature " + i).getBytes(StandardCharsets.US_ASCII));

        final List<String> command = new ArrayList<>(
            List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString()));
        command.addAll(List.of(Files.readString(FOLDER.resolve(".mvn/jvm.config")).strip().split(" ")));
        command.addAll(List.of("-cp", folder + File.pathSeparator + libraries, "FirstRecords",
            broker.bootstrapServers()));
        final Process program = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        final String output = new String(program.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

        assertEquals(0, program.waitFor());
        assertEquals("0 temperature 0\n1 temperature 1\n2 temperature 2\n", output);
    }
}
