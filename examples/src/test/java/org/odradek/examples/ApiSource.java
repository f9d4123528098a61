// SPDX-License-Identifier: Apache-2.0
package org.odradek.examples;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The source of a public type: the first sentence of its javadoc, and its public methods without javadoc. */
final class ApiSource
{
    private static final Pattern TYPE = Pattern.compile(
        "^public (?:final |abstract )*(?:class|interface|enum|record) (\\w+)", Pattern.MULTILINE);
    private static final Pattern JAVADOC = Pattern.compile("^/\\*\\*(.*?)\\*/$", Pattern.MULTILINE | Pattern.DOTALL);
    private static final Pattern NESTED = Pattern.compile("^    .*\\b(class|interface|enum|record) \\w+.*");
    private static final Pattern METHOD = Pattern.compile(
        "^ +(?:public |default |static |final |abstract |synchronized )*(?:<.*> )?(?:[\\w<>\\[\\], .?]+ )?\\w+\\(.*");

    private final String name;
    private final String text;

    private ApiSource(final String name, final String text)
    {
        this.name = name;
        this.text = text;
    }

    /** The sources of the public types in a folder, sorted by name. */
    static List<ApiSource> in(final Path folder)
    {
        final List<ApiSource> found = new ArrayList<>();
        try (Stream<Path> files = Files.list(folder))
        {
            for (final Path file : (Iterable<Path>)files.sorted()::iterator)
            {
                final String text = file.toString().endsWith(".java") ? Files.readString(file) : "";
                final Matcher type = TYPE.matcher(text);
                if (type.find())
                {
                    found.add(new ApiSource(type.group(1), text));
                }
            }
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
        return found;
    }

    /** A source for tests of this class. */
    static ApiSource of(final String name, final String text)
    {
        return new ApiSource(name, text);
    }

    String name()
    {
        return name;
    }

    /** The first sentence of the type's javadoc, with code in backticks. */
    String firstSentence()
    {
        final Matcher javadoc = JAVADOC.matcher(text);
        final String doc = !javadoc.find() ? "" : javadoc.group(1).replaceAll("(?m)^ *\\* ?", "")
            .replaceAll("\\s+", " ").replaceAll("\\{@(?:link|code) #?([^} ]+)[^}]*}", "`$1`").strip();
        final Matcher end = Pattern.compile("\\.(?= |$)").matcher(doc);
        return end.find() ? doc.substring(0, end.end()) : doc;
    }

    /** The public methods and constructors that neither have javadoc nor override a method. */
    List<String> undocumented()
    {
        final List<String> found = new ArrayList<>();
        final String[] lines = text.split("\n");
        final boolean isInterface = text.contains("\npublic interface ");
        boolean isInNested = false;
        boolean isNestedPublic = false;
        boolean isNestedInterface = false;
        for (int i = 0; i < lines.length; i++)
        {
            final int indent = lines[i].length() - lines[i].stripLeading().length();
            if (indent == 4 && NESTED.matcher(lines[i]).matches() && !lines[i].contains("*"))
            {
                isInNested = true;
                isNestedInterface = lines[i].contains("interface ");
                isNestedPublic = isInterface || lines[i].contains("public ");
            }
            else if (lines[i].equals("    }"))
            {
                isInNested = false;
            }
            final boolean isMember = indent == 4 ? !isInNested && isVisible(lines[i], isInterface) :
                indent == 8 && isInNested && isNestedPublic && isVisible(lines[i], isNestedInterface);
            if (isMember && !isDocumented(lines, i))
            {
                found.add(name + ": " + lines[i].strip());
            }
        }
        return found;
    }

    private static boolean isVisible(final String line, final boolean isInInterface)
    {
        final String code = line.strip();
        return (isInInterface || code.startsWith("public ")) && METHOD.matcher(line).matches() &&
            !code.matches("(private |\\*|//|/\\*|@|return |throw |new ).*") && !code.matches("[^(]*=.*");
    }

    private static boolean isDocumented(final String[] lines, final int declaration)
    {
        int above = declaration - 1;
        while (lines[above].strip().startsWith("@"))
        {
            if (lines[above].strip().equals("@Override"))
            {
                return true;
            }
            above--;
        }
        return lines[above].endsWith("*/");
    }
}
