// SPDX-License-Identifier: Apache-2.0
package org.odradek.tools;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Follows the links of all Markdown pages to files of this repository, and to headings of its pages.
 */
class LinksTest
{
    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final Pattern CODE = Pattern.compile("^```.*?^```", Pattern.MULTILINE | Pattern.DOTALL);
    private static final Pattern LINK = Pattern.compile("]\\(([^)#:\\s]*)(?:#([^)\\s]*))?\\)");
    private static final Pattern HEADING = Pattern.compile("^#+ (.*)$", Pattern.MULTILINE);

    @Test
    void shouldLeadToExistingFilesAndHeadings() throws IOException
    {
        final List<String> broken = new ArrayList<>();
        int files = 0;
        int headings = 0;
        for (final Path page : pages())
        {
            for (final Matcher link = LINK.matcher(textOf(page)); link.find(); files++)
            {
                final Path target = link.group(1).isEmpty() ? page : page.resolveSibling(link.group(1)).normalize();
                final boolean isHeading = link.group(2) != null && target.toString().endsWith(".md");
                headings += isHeading ? 1 : 0;
                if (!Files.exists(target) || isHeading && !anchors(target).contains(link.group(2)))
                {
                    broken.add(ROOT.relativize(page) + ": " + link.group());
                }
            }
        }
        assertEquals(List.of(), broken);
        assertTrue(files > 50 && headings > 10, files + " links were found, " + headings + " of them to headings");
    }

    /** Finds the pages outside of build folders and hidden ones. */
    private static List<Path> pages() throws IOException
    {
        final List<Path> pages = new ArrayList<>();
        Files.walkFileTree(ROOT, new SimpleFileVisitor<>()
        {
            @Override
            public FileVisitResult preVisitDirectory(final Path folder, final BasicFileAttributes attributes)
            {
                final String name = folder.getFileName().toString();
                return !folder.equals(ROOT) && (name.startsWith(".") || name.equals("target")) ?
                    FileVisitResult.SKIP_SUBTREE : FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(final Path file, final BasicFileAttributes attributes)
            {
                if (file.toString().endsWith(".md"))
                {
                    pages.add(file);
                }
                return FileVisitResult.CONTINUE;
            }
        });
        return pages;
    }

    private static String textOf(final Path page) throws IOException
    {
        return CODE.matcher(Files.readString(page)).replaceAll("");
    }

    /** Returns the anchors of the headings of a page: their words in lower case, joined by hyphens. */
    private static List<String> anchors(final Path page) throws IOException
    {
        return HEADING.matcher(textOf(page)).results()
            .map((heading) -> heading.group(1).replaceAll("\\[([^]]*)]\\([^)]*\\)", "$1").toLowerCase(Locale.ROOT))
            .map((heading) -> heading.replaceAll("[^\\p{L}\\p{N}_\\- ]", "").replace(' ', '-')).toList();
    }
}
