// SPDX-License-Identifier: Apache-2.0
package org.odradek.tools;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Follows the links from README.md through all pages: each must lead to a file of the site and a heading, and none to a
 * folder, which has no page on a site. Lists and code must have the form that the generator of the site needs.
 */
class PagesTest
{
    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final Pattern LINK = Pattern.compile("]\\(([^)\\s]+)\\)");
    private static final Pattern CODE = Pattern.compile("(?ms)^```.*?^```$");
    private static final Pattern HEADING = Pattern.compile("(?m)^#+ (.*)$");
    /** A list without an empty line before it; code in a list without four spaces or without an empty line after it. */
    private static final Pattern SHOWN_AS_TEXT =
        Pattern.compile("(?m)^(?!- |\\d+\\. | |$).*\n(?=- |\\d+\\. )|^ {1,3}```|^ {4}```\n(?=- |\\d+\\. )");

    @Test
    void shouldLinkToFilesAndHeadingsAndShowLists() throws IOException
    {
        final List<String> broken = new ArrayList<>();
        final Set<Path> pages = new HashSet<>();
        final Deque<Path> unread = new ArrayDeque<>(List.of(ROOT.resolve("README.md")));
        int links = 0;
        while (!unread.isEmpty())
        {
            final Path page = unread.remove();
            if (pages.add(page))
            {
                final String text = CODE.matcher(Files.readString(page)).replaceAll("");
                SHOWN_AS_TEXT.matcher(text).results()
                    .forEach((match) -> broken.add(ROOT.relativize(page) + ": " + match.group()));
                for (final String link : LINK.matcher(text).results().map((match) -> match.group(1)).toList())
                {
                    if (!link.contains(":"))
                    {
                        links++;
                        if (!follow(page, link, unread))
                        {
                            broken.add(ROOT.relativize(page) + ": " + link);
                        }
                    }
                }
            }
        }

        assertEquals(List.of(), broken);
        assertTrue(links > 100, links + " links were found");
        try (Stream<Path> files = Files.walk(ROOT.resolve("docs")))
        {
            final Set<Path> unlinked = files.filter((file) -> file.toString().endsWith(".md"))
                .filter((file) -> !pages.contains(file)).map(ROOT::relativize)
                .collect(Collectors.toCollection(TreeSet::new));
            assertEquals(Set.of(), unlinked, "no page links to these");
        }
    }

    private static boolean follow(final Path page, final String link, final Deque<Path> unread) throws IOException
    {
        final String[] parts = link.split("#", 2);
        final Path target = parts[0].isEmpty() ? page : page.resolveSibling(parts[0]).normalize();
        if (!target.startsWith(ROOT) || !isOnSite(ROOT.relativize(target)) || !Files.isRegularFile(target))
        {
            return false;
        }
        if (!target.toString().endsWith(".md"))
        {
            return parts.length == 1;
        }
        unread.add(target);
        return parts.length == 1 || anchors(target).contains(parts[1]);
    }

    /** CONTRIBUTING.md has the command that copies these files to the site; the generator omits hidden files. */
    private static boolean isOnSite(final Path file)
    {
        return !file.toString().matches("(.*/)?\\..*") &&
            (file.getNameCount() == 1 || file.startsWith("docs") || file.startsWith("examples") ||
            file.endsWith("README.md"));
    }

    /** Returns what hosting sites and generators make of a heading. */
    private static Set<String> anchors(final Path page) throws IOException
    {
        return HEADING.matcher(CODE.matcher(Files.readString(page)).replaceAll("")).results()
            .map((MatchResult heading) -> heading.group(1).toLowerCase(Locale.ROOT)
                .replaceAll("[^\\p{L}\\p{N} _-]", "").replace(' ', '-'))
            .collect(Collectors.toSet());
    }
}
