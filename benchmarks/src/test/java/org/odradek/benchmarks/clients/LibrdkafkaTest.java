// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.clients;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.odradek.benchmarks.rig.Arm;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class LibrdkafkaTest
{
    private static final String ABSENT = "odradek-no-such-command";

    @Test
    void shouldSayWhatIsMissingAndLeaveNothingHalfMade(@TempDir final Path folder) throws IOException
    {
        final Arm.MissingException missing = assertThrows(Arm.MissingException.class,
            () -> new Librdkafka(folder, ABSENT + "-1", ABSENT + "-2", ABSENT + "-3").find());

        assertEquals("librdkafka could neither be fetched (" + ABSENT + "-1 is not installed) " +
            "nor found on this machine (" + ABSENT + "-2 is not installed)", missing.getMessage());
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

        final Arm.MissingException missing = assertThrows(Arm.MissingException.class,
            () -> new Librdkafka(folder.resolve("native"), failing.toString(), ABSENT, ABSENT).find());

        assertTrue(missing.getMessage().contains("(pip failed with exit code 7, see pip.log)"), missing.getMessage());
        assertEquals("secrets of this machine\n", Files.readString(folder.resolve("native/pip.log")));
    }
}
