// SPDX-License-Identifier: Apache-2.0
package org.odradek.simulation;

import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * A defect of the consumer, or a lie of the broker model, that the oracles must find. It is a text file that names a
 * source file, says what it breaks and which oracle should find it, and lists texts of the source file to replace:
 * <pre>
 *  file: consumer/src/main/java/org/odradek/consumer/net/Backoff.java
 *  breaks: The delay does not grow with the failures.
 *  oracle: economy
 *  ---- find
 *  a text that the source file has exactly once
 *  ---- put
 *  the text to put there
 * </pre>
 *
 * @param name   of the text file, without its extension.
 * @param file   path of the source file from the root of the project.
 * @param breaks what is wrong then, in one sentence.
 * @param oracle that should find it.
 * @param edits  pairs of a text to find and the text to put there.
 */
record PlantedDefect(String name, String file, String breaks, String oracle, List<String> edits)
{
    private static final String FOLDER = "simulation/src/test/defects";
    private static final String EXTENSION = ".txt";
    private static final Pattern EDIT = Pattern.compile("^---- (find|put)$", Pattern.MULTILINE);

    /**
     * Reads all defects, in the order of their names.
     *
     * @param home root of the project.
     */
    static List<PlantedDefect> all(final Path home) throws IOException
    {
        final List<PlantedDefect> defects = new ArrayList<>();
        try (Stream<Path> files = Files.list(home.resolve(FOLDER)))
        {
            for (final Path path : files.filter((file) -> file.toString().endsWith(EXTENSION)).sorted().toList())
            {
                final String fileName = path.getFileName().toString();
                defects.add(parse(
                    fileName.substring(0, fileName.length() - EXTENSION.length()), Files.readAllLines(path)));
            }
        }
        return defects;
    }

    private static PlantedDefect parse(final String name, final List<String> lines)
    {
        final String[] parts = EDIT.split(String.join("\n", lines.subList(3, lines.size())));
        final List<String> edits = Stream.of(parts).skip(1).map((part) -> part.replaceAll("^\n|\n$", "")).toList();
        if (edits.isEmpty() || edits.size() % 2 != 0)
        {
            throw new IllegalStateException(
                "Defect " + name + " has " + edits.size() + " texts, expected one to put for each to find.");
        }
        return new PlantedDefect(name, field(name, lines.get(0), "file: "), field(name, lines.get(1), "breaks: "),
            field(name, lines.get(2), "oracle: "), edits);
    }

    private static String field(final String name, final String line, final String label)
    {
        if (!line.startsWith(label))
        {
            throw new IllegalStateException("Defect " + name + " has the line '" + line + "' where '" + label +
                "' was expected.");
        }
        return line.substring(label.length());
    }

    /**
     * Returns the source file with the defect.
     *
     * @throws IllegalStateException if a text to find is not there, or is there more than once.
     */
    String apply(final Path home) throws IOException
    {
        String source = Files.readString(home.resolve(file));
        for (int i = 0; i < edits.size(); i += 2)
        {
            final String find = edits.get(i);
            final int index = source.indexOf(find);
            if (index < 0 || source.indexOf(find, index + 1) >= 0)
            {
                throw new IllegalStateException("Defect " + name + " does not apply: " + file + " must have exactly " +
                    "once the text\n" + find);
            }
            source = source.substring(0, index) + edits.get(i + 1) + source.substring(index + find.length());
        }
        return source;
    }

    /**
     * Compiles the source file with the defect against the class path of this JVM.
     *
     * @param folder that receives the classes.
     * @param files  of the compiler; used for many defects, it reads the class path only once.
     * @throws IllegalStateException if it does not compile.
     */
    void compile(final Path home, final Path folder, final StandardJavaFileManager files) throws IOException
    {
        final Path source = folder.resolve(Path.of(file).getFileName());
        Files.writeString(source, apply(home));
        final StringWriter errors = new StringWriter();
        final List<String> options = List.of("-nowarn", "-proc:none", "-parameters", "-d", folder.toString(),
            "-classpath", System.getProperty("java.class.path"));
        if (!ToolProvider.getSystemJavaCompiler().getTask(
            errors, files, null, options, null, files.getJavaFileObjects(source)).call())
        {
            throw new IllegalStateException("Defect " + name + " does not compile:\n" + errors);
        }
    }
}
