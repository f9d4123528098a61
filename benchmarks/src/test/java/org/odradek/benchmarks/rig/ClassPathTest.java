// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.rig;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

class ClassPathTest
{
    @TempDir
    private Path folder;

    @Test
    void shouldBeThatOfTheCheckoutAlone() throws IOException
    {
        assertFalse(ClassPath.isBuilt(folder));

        final Path jar = Files.createFile(folder.resolve("odradek-consumer-0.0.9.jar"));
        final String classPath = folder + File.pathSeparator + jar;
        final Path state = Files.createDirectories(folder.resolve("target").resolve("odradek"));
        Files.writeString(state.resolve("benchmarks.classpath"), classPath + "\n");
        assertTrue(ClassPath.isBuilt(folder));
        assertEquals(classPath, ClassPath.ofCheckout(folder));

        Files.delete(jar);
        assertFalse(ClassPath.isBuilt(folder));
    }
}
