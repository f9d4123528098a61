// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.rivals;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

class LibrdkafkaBuildTest
{
    private static final String ABSENT = "odradek-no-such-command";

    @Test
    void shouldSayWhatIsMissingAndLeaveNothingHalfMade(@TempDir final Path folder) throws IOException
    {
        final NativeProgram program =
            new LibrdkafkaBuild(folder, ABSENT + "-1", ABSENT + "-2", ABSENT + "-3").find();

        assertFalse(program.isThere());
        assertEquals("librdkafka could neither be fetched (" + ABSENT + "-1 is not installed) " +
            "nor found on this machine (" + ABSENT + "-2 is not installed)", program.whyNot());
        try (Stream<Path> left = Files.list(folder))
        {
            assertEquals(List.of(), left.filter(Files::isDirectory).toList());
        }
    }

    /** What a step writes may name hosts and folders of the machine: it stays in its file. */
    @Test
    void shouldKeepTheWordsOfAStepThatFailsOutOfTheReason(@TempDir final Path folder) throws IOException
    {
        final Path failing = folder.resolve("failing");
        Files.writeString(failing, "#!/bin/sh\necho secrets of this machine\nexit 7\n");
        assertTrue(failing.toFile().setExecutable(true));

        final NativeProgram program =
            new LibrdkafkaBuild(folder.resolve("native"), failing.toString(), ABSENT, ABSENT).find();

        assertTrue(program.whyNot().contains("(pip failed with exit code 7, see pip.log)"), program.whyNot());
        assertEquals("secrets of this machine\n", Files.readString(folder.resolve("native/pip.log")));
    }
}
