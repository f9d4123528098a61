// SPDX-License-Identifier: Apache-2.0
package org.odradek.simulation;

import org.odradek.simulation.RunSettings.LoadProfile;

import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * A defect of the consumer or the publisher, or a lie of the broker model, that the oracles must find. It is a text
 * file that names a source file, says what it breaks, and lists texts of the source file to replace:
 * <pre>
 *  file: client/src/main/java/org/odradek/client/core/Backoff.java
 *  breaks: The delay does not grow with the failures.
 *  ---- find
 *  a text that the source file has exactly once
 *  ---- put
 *  the text to put there
 * </pre>
 * Where several classes do the same for safety, {@code ---- file} and a path begin the texts of a further source file.
 *
 * @param name   of the text file, without its extension.
 * @param file   path of the first source file from the root of the project.
 * @param breaks what is wrong then, in one sentence.
 * @param load   with which it is run: that of a line such as {@code load: groups}, otherwise drawn.
 * @param draw   fault or feature that was made to find it, if a line {@code draw: NAME} says so, or an empty text.
 * @param edits  of the source files, in their order.
 */
record PlantedDefect(
    String name, String file, String breaks, LoadProfile load, String draw, List<Edit> edits)
{
    private static final String FOLDER = "simulation/src/test/defects";
    private static final String EXTENSION = ".txt";
    private static final String DRAW = "draw: ";
    private static final String LOAD = "load: ";
    private static final Pattern EDIT = Pattern.compile("^---- (find|put)$", Pattern.MULTILINE);
    private static final Pattern FILE = Pattern.compile("^---- file ", Pattern.MULTILINE);

    /**
     * A text of a source file to replace.
     *
     * @param file path from the root of the project.
     * @param find text that the file has exactly once.
     * @param put  text to put there.
     */
    record Edit(String file, String find, String put)
    {
    }

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
        final String file = field(name, lines.get(0), "file: ");
        final int end = lines.indexOf("---- find");
        final LoadProfile load = lines.subList(2, end).stream().filter((line) -> line.startsWith(LOAD))
            .map((line) -> LoadProfile.valueOf(line.substring(LOAD.length()).toUpperCase(Locale.ROOT)))
            .findFirst().orElse(LoadProfile.DRAWN);
        final String draw = lines.subList(2, end).stream().filter((line) -> line.startsWith(DRAW))
            .map((line) -> line.substring(DRAW.length())).findFirst().orElse("");
        final List<Edit> edits = new ArrayList<>();
        for (final String part : FILE.split(
            file + "\n" + String.join("\n", lines.subList(end, lines.size()))))
        {
            final List<String> texts =
                Stream.of(EDIT.split(part)).map((text) -> text.replaceAll("^\n|\n$", "")).toList();
            if (texts.size() < 3 || texts.size() % 2 == 0)
            {
                throw new IllegalStateException("Defect " + name + " has " + (texts.size() - 1) + " texts for " +
                    texts.get(0) + ", expected one to put for each to find.");
            }
            for (int i = 1; i < texts.size(); i += 2)
            {
                edits.add(new Edit(texts.get(0), texts.get(i), texts.get(i + 1)));
            }
        }
        return new PlantedDefect(name, file, field(name, lines.get(1), "breaks: "), load, draw, edits);
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
     * Returns the source files with the defect, by their paths from the root of the project.
     *
     * @throws IllegalStateException if a text to find is not there, or is there more than once.
     */
    Map<String, String> apply(final Path home) throws IOException
    {
        final Map<String, String> sources = new LinkedHashMap<>();
        for (final Edit edit : edits)
        {
            final String source = sources.containsKey(edit.file) ?
                sources.get(edit.file) : Files.readString(home.resolve(edit.file));
            final int index = source.indexOf(edit.find);
            if (index < 0 || source.indexOf(edit.find, index + 1) >= 0)
            {
                throw new IllegalStateException("Defect " + name + " does not apply: " + edit.file +
                    " must have exactly once the text\n" + edit.find);
            }
            sources.put(edit.file,
                source.substring(0, index) + edit.put + source.substring(index + edit.find.length()));
        }
        return sources;
    }

    /**
     * Compiles the source files with the defect against the class path of this JVM.
     *
     * @param folder that receives the classes.
     * @param files  of the compiler; used for many defects, it reads the class path only once.
     * @throws IllegalStateException if they do not compile.
     */
    void compile(final Path home, final Path folder, final StandardJavaFileManager files) throws IOException
    {
        final List<Path> sources = new ArrayList<>();
        for (final Map.Entry<String, String> source : apply(home).entrySet())
        {
            sources.add(Files.writeString(
                folder.resolve(Path.of(source.getKey()).getFileName()), source.getValue()));
        }
        final StringWriter errors = new StringWriter();
        final List<String> options = List.of("-nowarn", "-proc:none", "-parameters", "-d", folder.toString(),
            "-classpath", System.getProperty("java.class.path"));
        if (!ToolProvider.getSystemJavaCompiler().getTask(
            errors, files, null, options, null, files.getJavaFileObjectsFromPaths(sources)).call())
        {
            throw new IllegalStateException("Defect " + name + " does not compile:\n" + errors);
        }
    }
}
