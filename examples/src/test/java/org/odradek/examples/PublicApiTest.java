// SPDX-License-Identifier: Apache-2.0
package org.odradek.examples;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;

import java.io.IOException;
import java.lang.reflect.AccessibleObject;
import java.lang.reflect.Executable;
import java.lang.reflect.Field;
import java.lang.reflect.Member;
import java.lang.reflect.Modifier;
import java.lang.reflect.Type;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;

/**
 * Compares the public types and members of the API with the lists that are kept, public-types.txt and
 * public-members.txt. A release adds a copy of the second list, such as public-members-0.1.0.txt. From then on the
 * changelog must name each change of what the copy contains ({@link ApiChanges}).
 */
class PublicApiTest
{
    private static final Path LISTS = Path.of("src/test/resources");
    private static final Path CHANGELOG = Path.of("../CHANGELOG.md");
    private static final Pattern RELEASE = Pattern.compile("(?m)^## (\\d+\\.\\d+\\.\\d+), \\d{4}-\\d\\d-\\d\\d$");
    private static final Pattern COMPARED = Pattern.compile("<include>(org\\.odradek\\.[^<]*)</include>");
    private static final Pattern PACKAGE = Pattern.compile("`(?:org\\.odradek)?(\\.[a-z.]+)`");

    @Test
    void shouldHaveThePackagesThatThePromiseNames() throws IOException
    {
        final String row = Files.readString(Path.of("../docs/promise.md")).lines()
            .filter((line) -> line.startsWith("| Java |")).findFirst().orElseThrow().split(" \\| ")[1];
        final Set<String> named = new TreeSet<>();
        PACKAGE.matcher(row).results().map((found) -> found.group(1)).forEach(named::add);
        named.removeAll(Set.of(".blocking", ".wire"));
        final Set<String> listed = new TreeSet<>();
        PublicApi.packages().keySet().stream()
            .filter((name) -> !name.startsWith(PublicApi.FACADE + "."))
            .forEach((name) -> listed.add(name.substring("org.odradek".length())));

        assertEquals(named, listed);
    }

    @Test
    void shouldHaveThePackagesThatJapicmpCompares() throws IOException
    {
        final Set<String> compared = new TreeSet<>();
        COMPARED.matcher(Files.readString(Path.of("../pom.xml"))).results().map((found) -> found.group(1))
            .forEach(compared::add);
        final Set<String> listed = new TreeSet<>();
        for (final Map.Entry<String, Path> folder : PublicApi.packages().entrySet())
        {
            final String name = folder.getKey();
            PublicApi.sources(name, folder.getValue()).forEach((type) ->
                listed.add(name.equals(PublicApi.VIEWS) ? name + "." + type.name() : name));
        }

        assertEquals(listed, compared);
    }

    @Test
    void shouldHaveTheTypesOfTheList(final TestReporter reporter) throws IOException
    {
        final List<String> lines = new ArrayList<>();
        for (final Map.Entry<String, Path> folder : PublicApi.packages().entrySet())
        {
            PublicApi.sources(folder.getKey(), folder.getValue()).forEach((type) ->
                lines.add(type.name() + ": " + type.firstSentence()));
        }
        reporter.publishEntry("public types: " + lines.size());
        assertIs("public-types.txt", lines);
    }

    @Test
    void shouldHaveTheMembersOfTheList() throws IOException
    {
        assertIs("public-members.txt", members());
    }

    private static void assertIs(final String list, final List<String> lines) throws IOException
    {
        final String text = String.join("\n", lines) + "\n";
        Files.writeString(Path.of("target", list), text);
        assertEquals(Files.readString(LISTS.resolve(list)), text,
            () -> "the API has changed; if it is meant to, copy examples/target/" + list + " to examples/" + LISTS);
    }

    @Test
    void shouldNameEachChangeSinceTheLastReleaseInTheChangelog() throws IOException
    {
        final String changelog = Files.readString(CHANGELOG);
        final Matcher release = RELEASE.matcher(changelog);
        final List<String> lists = release.find() ? List.of("public-members-" + release.group(1) + ".txt") : List.of();
        try (Stream<Path> files = Files.list(LISTS))
        {
            assertEquals(lists, files.map((file) -> file.getFileName().toString())
                .filter((name) -> name.startsWith("public-members-")).toList(), "the list of the last release");
        }
        for (final String list : lists)
        {
            assertEquals(List.of(), ApiChanges.unnamed(Files.readAllLines(LISTS.resolve(list)), members(),
                changelog.substring(0, release.start())), "changes that CHANGELOG.md does not name");
        }
    }

    /** Returns each type, and after it its public and protected members, without those that it only inherits. */
    private static List<String> members() throws IOException
    {
        final List<String> lines = new ArrayList<>();
        for (final Class<?> type : PublicApi.types())
        {
            lines.add(declaration(type));
            final Stream<AccessibleObject> members = Stream.<AccessibleObject[]>of(type.getDeclaredFields(),
                type.getDeclaredConstructors(), type.getDeclaredMethods()).flatMap(Stream::of);
            members.filter((member) -> (((Member)member).getModifiers() & (Modifier.PUBLIC | Modifier.PROTECTED)) != 0)
                .filter((member) -> !((Member)member).isSynthetic())
                .map((member) -> signature(type, member)).sorted().forEach(lines::add);
        }
        return lines;
    }

    /** Returns the type with its superclass and interfaces: to lose one breaks programs, too. */
    private static String declaration(final Class<?> type)
    {
        final List<String> parents = new ArrayList<>();
        if (type.getSuperclass() != null && type.getSuperclass() != Object.class)
        {
            parents.add(type.getGenericSuperclass().getTypeName());
        }
        Stream.of(type.getGenericInterfaces()).map(Type::getTypeName).sorted().forEach(parents::add);
        return type.toGenericString() + (parents.isEmpty() ? "" : " : " + String.join(", ", parents));
    }

    private static String signature(final Class<?> type, final AccessibleObject member)
    {
        final String text = member instanceof Field field ? field.toGenericString() :
            ((Executable)member).toGenericString();
        return "    " + text.replace(type.getName() + ".", "").replaceAll("java\\.(lang|util)\\.(?=[A-Z])", "");
    }

    @Test
    void shouldHaveJavadocForEachPublicMethod() throws IOException
    {
        final List<String> undocumented = new ArrayList<>();
        for (final Map.Entry<String, Path> folder : PublicApi.packages().entrySet())
        {
            if (!folder.getKey().startsWith(PublicApi.FACADE))
            {
                PublicApi.sources(folder.getKey(), folder.getValue())
                    .forEach((type) -> undocumented.addAll(type.undocumented()));
            }
        }
        assertEquals(List.of(), undocumented);
    }

    @Test
    void shouldNoticeAMethodWithoutJavadoc()
    {
        final ApiSource type = ApiSource.of("T", """
            /**
             * Is a {@link Type}. More.
             */
            public final class T
            {
                public T()
                {
                }

                /** Text. */
                @Deprecated
                public int documented()
                {
                    return call(1);
                }

                @Override
                public String toString()
                {
                    return "";
                }

                int internal()
                {
                }

                public interface Nested
                {
                    int nested();

                    /** Text. */
                    int documented();
                }

                private static final class Hidden
                {
                    public int hidden()
                    {
                    }
                }

                public static <X extends Y> List<X> generic(final int a)
                {
                }
            }
            """);

        assertEquals(List.of("T: public T()", "T: int nested();",
            "T: public static <X extends Y> List<X> generic(final int a)"), type.undocumented());
        assertEquals("Is a `Type`.", type.firstSentence());
    }
}
