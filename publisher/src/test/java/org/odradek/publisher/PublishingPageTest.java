// SPDX-License-Identifier: Apache-2.0
package org.odradek.publisher;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import javax.tools.ToolProvider;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Compiles the programs of docs/publishing.md. */
class PublishingPageTest
{
    private static final Pattern SNIPPET = Pattern.compile("(?s)```java\n(.*?)```");
    private static final String IMPORTS = """
        import org.agrona.concurrent.UnsafeBuffer;
        import org.odradek.consumer.*;
        import org.odradek.consumer.handler.*;
        import org.odradek.consumer.handler.ControlledRecordHandler.Action;
        import org.odradek.publisher.*;
        """;

    @Test
    void shouldCompileEachProgram(@TempDir final Path folder) throws IOException
    {
        final List<String> snippets = SNIPPET.matcher(Files.readString(Path.of("../docs/publishing.md"))).results()
            .map((result) -> result.group(1)).toList();
        assertTrue(snippets.size() >= 2);
        for (final String snippet : snippets)
        {
            final Path source = Files.writeString(folder.resolve("Program.java"),
                IMPORTS + "class Program { void run() {\n" + snippet + "} }\n");
            final ByteArrayOutputStream messages = new ByteArrayOutputStream();
            ToolProvider.getSystemJavaCompiler().run(null, messages, messages, "-proc:none", "-d", folder.toString(),
                "-cp", System.getProperty("java.class.path"), source.toString());
            assertEquals("", messages.toString(), snippet);
        }
    }
}
