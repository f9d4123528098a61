// SPDX-License-Identifier: Apache-2.0
package org.odradek.verification.chaos;

import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertTrue;

class GroupSabotageTest
{
    /** A defect whose text is not in the source file any more would show nothing. */
    @ParameterizedTest
    @EnumSource(value = GroupSabotage.class, mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void shouldCompile(final GroupSabotage defect, @TempDir final Path folder) throws IOException
    {
        defect.compile(folder);

        try (Stream<Path> files = Files.walk(folder))
        {
            assertTrue(files.anyMatch((file) -> file.toString().endsWith(".class")));
        }
    }
}
