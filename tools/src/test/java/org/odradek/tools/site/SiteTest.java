// SPDX-License-Identifier: Apache-2.0
package org.odradek.tools.site;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class SiteTest
{
    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final Pattern LINK = Pattern.compile(" href=\"([^\"]*)\"");
    private static final Pattern ID = Pattern.compile(" id=\"([^\"]*)\"");
    /** What a page would load besides itself; links that a reader follows are allowed. */
    private static final Pattern LOADED =
        Pattern.compile("<script|<link(?! rel=\"icon\" href=\"data:,\")| src=|@import|url\\(");
    private static final String NAVIGATION = "\n## Where next\n\n- **Pages**: [a page](docs/a.md)\n";

    @TempDir
    private Path folder;

    @Test
    void shouldLeadFromThePagesOfThisRepositoryOnlyToWhatTheSiteHolds() throws IOException
    {
        final Path out = folder.resolve("site");
        new Site(ROOT, out).write();

        final List<String> broken = new ArrayList<>();
        int links = 0;
        for (final Path page : pages(out))
        {
            final String html = Files.readString(page);
            assertFalse(LOADED.matcher(html).find(), () -> page + " loads more than itself");
            assertFalse(html.contains("xychart"), () -> page + " shows a chart as text");
            for (final MatchResult link : LINK.matcher(html).results().toList())
            {
                final String href = link.group(1);
                if (!href.contains(":"))
                {
                    links++;
                    if (!leadsSomewhere(page, href))
                    {
                        broken.add(out.relativize(page) + ": " + href);
                    }
                }
            }
        }

        assertEquals(List.of(), broken);
        assertTrue(links > 500, links + " links were found");
        assertEquals(Set.of(), missing(out, "docs"), "these pages are not in the site: let another page link to them");
        assertTrue(Files.readString(out.resolve("index.html")).contains("class=\"ours\" style=\"width: "), "no bars");
    }

    @Test
    void shouldRewriteLinksAndShowChartsTablesAndJavadoc() throws IOException
    {
        page("README.md", "# Odradek\n" + NAVIGATION + "- **Sources**: [the build](pom.xml)\n");
        page("docs/a.md", """
            # A & B

            [home](../README.md#odradek) · [folder](../docs) · [file](../pom.xml) · [elsewhere](https://example.org/x)

            | a | b |
            |---|--:|
            | 1 | 2 |

            ```mermaid
            ---
            config:
              themeVariables:
                xyChart:
                  plotColorPalette: "green, orange"
            ---
            xychart-beta
              title "CPU"
              x-axis ["0", "10"]
              y-axis 0 --> 20
              line [20, 10]
              line [0, 5]
            ```
            """);
        page("pom.xml", "<project/>");
        page("consumer/target/reports/apidocs/index.html", "the javadoc");
        final Path out = folder.resolve("site");

        assertEquals(2, new Site(folder, out).write());

        final String html = Files.readString(out.resolve("docs/a.html"));
        assertTrue(html.contains("<title>A &amp; B – Odradek</title>"), html);
        assertTrue(html.contains("<a href=\"../index.html#odradek\">home</a> · folder · " +
            "<a href=\"../pom.xml\">file</a> · <a href=\"https://example.org/x\">elsewhere</a>"), html);
        assertTrue(html.contains("<li><a href=\"../docs/a.html\" aria-current=\"page\">a page</a></li>"), html);
        assertTrue(html.contains("<li><a href=\"../javadoc/consumer/index.html\">odradek-consumer</a></li>"), html);
        assertTrue(html.contains("<div class=\"wide\">\n<table>"), html);
        assertTrue(html.contains("<td align=\"right\">2</td>"), html);
        assertTrue(html.contains("<polyline points=\"265,10 675,145\" stroke=\"green\"/>"), html);
        assertTrue(html.contains("<polyline points=\"265,280 675,213\" stroke=\"orange\"/>"), html);
        assertEquals("<project/>", Files.readString(out.resolve("pom.xml")));
        assertEquals("the javadoc", Files.readString(out.resolve("javadoc/consumer/index.html")));
    }

    @Test
    void shouldRefuseALinkThatLeadsNowhereAndAFirstPageWithoutNavigation() throws IOException
    {
        page("README.md", "# Odradek\n");
        assertEquals("README.md has no list of links below the heading \"Where next\", which is the navigation of " +
            "the site: add it.", refusal());

        page("README.md", "# Odradek\n" + NAVIGATION);
        assertEquals("README.md links to docs/a.md, which does not exist here.", refusal());
    }

    private String refusal()
    {
        return assertThrows(IllegalStateException.class, () -> new Site(folder, folder.resolve("site")).write())
            .getMessage();
    }

    private void page(final String name, final String text) throws IOException
    {
        final Path file = folder.resolve(name);
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
    }

    /** Finds the pages, without those of the javadoc, which javadoc itself checks. */
    private static List<Path> pages(final Path out) throws IOException
    {
        try (Stream<Path> files = Files.walk(out))
        {
            return files.filter((file) -> file.toString().endsWith(".html") &&
                !file.startsWith(out.resolve("javadoc"))).toList();
        }
    }

    private static boolean leadsSomewhere(final Path page, final String href) throws IOException
    {
        final String[] parts = href.split("#", 2);
        final Path target = parts[0].isEmpty() ? page : page.resolveSibling(parts[0]).normalize();
        return Files.isRegularFile(target) && (parts.length == 1 || ID.matcher(Files.readString(target)).results()
            .anyMatch((id) -> id.group(1).equals(parts[1])));
    }

    private static Set<String> missing(final Path out, final String folder) throws IOException
    {
        try (Stream<Path> files = Files.list(ROOT.resolve(folder)))
        {
            return files.map((file) -> file.getFileName().toString()).filter((name) -> name.endsWith(".md"))
                .filter((name) -> !Files.exists(out.resolve(folder).resolve(name.replace(".md", ".html"))))
                .collect(Collectors.toCollection(HashSet::new));
        }
    }
}
