// SPDX-License-Identifier: Apache-2.0
package org.odradek.tools.doctor;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Reads small text files of the system, below a root that tests replace. A file that cannot be read counts as empty,
 * because kernels and containers leave out many of them.
 */
final class SystemFiles
{
    private final Path root;

    SystemFiles(final Path root)
    {
        this.root = root;
    }

    /**
     * @return the text without surrounding white space; empty if the file cannot be read.
     */
    String text(final String path)
    {
        try
        {
            return new String(Files.readAllBytes(root.resolve(path)), StandardCharsets.UTF_8).strip();
        }
        catch (final IOException ex)
        {
            return "";
        }
    }

    List<String> lines(final String path)
    {
        return text(path).lines().toList();
    }

    /**
     * @return the text after a word at the start of a line, without surrounding white space; empty if no line has it.
     */
    String after(final String path, final String word)
    {
        return lines(path).stream().filter((line) -> line.startsWith(word)).findFirst()
            .map((line) -> line.substring(word.length()).strip()).orElse("");
    }

    /**
     * @return the first text that is not empty, or an empty one.
     */
    String firstText(final List<String> paths)
    {
        return paths.stream().map(this::text).filter((text) -> !text.isEmpty()).findFirst().orElse("");
    }
}
