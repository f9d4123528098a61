// SPDX-License-Identifier: Apache-2.0
package org.odradek.tools.site;

import com.samskivert.mustache.Mustache;
import com.samskivert.mustache.Template;
import org.commonmark.Extension;
import org.commonmark.ext.gfm.tables.TableBlock;
import org.commonmark.ext.gfm.tables.TablesExtension;
import org.commonmark.ext.heading.anchor.HeadingAnchorExtension;
import org.commonmark.node.AbstractVisitor;
import org.commonmark.node.CustomBlock;
import org.commonmark.node.FencedCodeBlock;
import org.commonmark.node.Heading;
import org.commonmark.node.HtmlBlock;
import org.commonmark.node.Link;
import org.commonmark.node.Node;
import org.commonmark.node.StrongEmphasis;
import org.commonmark.node.Text;
import org.commonmark.parser.Parser;
import org.commonmark.renderer.html.HtmlRenderer;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * A site of static files from README.md and all pages to which it leads, directly or through other pages. Each page
 * keeps its folder, so that relative links stay as they are. The list below "Where next" of README.md is the
 * navigation.
 */
final class Site
{
    private static final Path README = Path.of("README.md");
    private static final String NAVIGATION = "Where next";
    private static final Path JAVADOC = Path.of("javadoc");
    private static final String JAVADOC_OF_MODULE = "target/reports/apidocs";
    private static final List<Extension> EXTENSIONS =
        List.of(TablesExtension.create(), HeadingAnchorExtension.create());

    private final Parser parser = Parser.builder().extensions(EXTENSIONS).build();
    private final HtmlRenderer renderer = HtmlRenderer.builder().extensions(EXTENSIONS).build();
    private final Template pageTemplate = Mustache.compiler().compile(resource("page.mustache"));
    private final Template chartTemplate = Mustache.compiler().compile(resource("chart.mustache"));
    private final String style = resource("site.css");
    private final Map<Path, Node> pages = new LinkedHashMap<>();
    private final Deque<Path> unread = new ArrayDeque<>(List.of(README));
    private final Set<Path> files = new TreeSet<>();
    private final Path home;
    private final Path out;

    private record Group(String title, List<Entry> links)
    {
    }

    private record Entry(String text, String href, boolean isCurrent)
    {
    }

    Site(final Path home, final Path out) throws IOException
    {
        this.home = home.toAbsolutePath().normalize();
        this.out = out;
    }

    /** Returns the number of pages, without those of the javadoc. */
    int write() throws IOException
    {
        while (!unread.isEmpty())
        {
            final Path page = unread.remove();
            if (!pages.containsKey(page))
            {
                final Node document = parser.parse(Files.readString(home.resolve(page)));
                pages.put(page, document);
                document.accept(new PageVisitor(page));
            }
        }
        final List<Group> navigation = navigation(pages.get(README));
        final List<Entry> javadoc = javadoc();
        if (!javadoc.isEmpty())
        {
            navigation.add(new Group("Javadoc", javadoc));
        }
        for (final Map.Entry<Path, Node> page : pages.entrySet())
        {
            write(htmlOf(page.getKey()), page.getValue(), navigation);
        }
        for (final Path file : files)
        {
            copy(home.resolve(file), out.resolve(file));
        }
        return pages.size();
    }

    private void write(final Path page, final Node document, final List<Group> navigation) throws IOException
    {
        final String title = document.getFirstChild() instanceof Heading heading ? text(heading) : page.toString();
        final List<Group> groups = navigation.stream().map((group) -> new Group(group.title, group.links.stream()
            .map((link) -> new Entry(link.text, href(page, link.href), link.href.equals(slashes(page))))
            .toList())).toList();
        final Path file = out.resolve(page);
        Files.createDirectories(file.getParent());
        Files.writeString(file, pageTemplate.execute(Map.of(
            "title", title.equals("Odradek") ? title : title + " – Odradek",
            "home", href(page, slashes(htmlOf(README))),
            "style", style,
            "body", renderer.render(document),
            "groups", groups)));
    }

    /** Reads groups of links, each an item of a list: its title in bold, then its links. */
    private static List<Group> navigation(final Node readme)
    {
        final List<Group> groups = new ArrayList<>();
        Node node = readme.getFirstChild();
        while (node != null && !(node instanceof Heading && text(node).equals(NAVIGATION)))
        {
            node = node.getNext();
        }
        if (node != null)
        {
            node.getNext().accept(new AbstractVisitor()
            {
                @Override
                public void visit(final StrongEmphasis title)
                {
                    groups.add(new Group(text(title), new ArrayList<>()));
                }

                @Override
                public void visit(final Link link)
                {
                    groups.get(groups.size() - 1).links.add(new Entry(text(link), link.getDestination(), false));
                }
            });
        }
        if (groups.isEmpty())
        {
            throw new IllegalStateException("README.md has no list of links below the heading \"" + NAVIGATION +
                "\", which is the navigation of the site: add it.");
        }
        return groups;
    }

    /** Copies the javadoc of each published module that has been packaged, and returns links to it. */
    private List<Entry> javadoc() throws IOException
    {
        final List<Entry> links = new ArrayList<>();
        final List<Path> modules;
        try (Stream<Path> children = Files.list(home))
        {
            modules = children.filter((child) -> Files.exists(child.resolve(JAVADOC_OF_MODULE))).sorted().toList();
        }
        for (final Path module : modules)
        {
            final Path folder = JAVADOC.resolve(module.getFileName());
            final Path source = module.resolve(JAVADOC_OF_MODULE);
            try (Stream<Path> found = Files.walk(source))
            {
                for (final Path file : found.filter(Files::isRegularFile).toList())
                {
                    copy(file, out.resolve(folder).resolve(source.relativize(file)));
                }
            }
            links.add(new Entry("odradek-" + module.getFileName(), slashes(folder.resolve("index.html")), false));
        }
        return links;
    }

    private static void copy(final Path source, final Path target) throws IOException
    {
        Files.createDirectories(target.getParent());
        Files.copy(source, target, StandardCopyOption.REPLACE_EXISTING);
    }

    /** Returns a link from one page to another, both relative to the folder of the site. */
    private static String href(final Path page, final String target)
    {
        return "../".repeat(page.getNameCount() - 1) + target;
    }

    private static Path htmlOf(final Path page)
    {
        final String name = page.getFileName().toString();
        return page.resolveSibling(name.equals("README.md") ? "index.html" : name.replaceAll("\\.md$", ".html"));
    }

    private static String slashes(final Path path)
    {
        return path.toString().replace('\\', '/');
    }

    private static String text(final Node node)
    {
        final StringBuilder text = new StringBuilder();
        node.accept(new AbstractVisitor()
        {
            @Override
            public void visit(final Text words)
            {
                text.append(words.getLiteral());
            }
        });
        return text.toString();
    }

    private static String resource(final String name) throws IOException
    {
        try (InputStream stream = Site.class.getResourceAsStream(name))
        {
            return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    /**
     * Changes what differs between a page in Markdown and its HTML: links, charts, and tables, which get a box of
     * their own to scroll in.
     */
    private final class PageVisitor extends AbstractVisitor
    {
        private final Path page;

        private PageVisitor(final Path page)
        {
            this.page = page;
        }

        @Override
        public void visit(final Link link)
        {
            final String[] parts = link.getDestination().split("#", 2);
            if (!parts[0].isEmpty() && !parts[0].contains(":"))
            {
                final Path target = home.relativize(home.resolve(page).resolveSibling(parts[0]).normalize());
                if (target.startsWith("..") || !Files.exists(home.resolve(target)))
                {
                    throw new IllegalStateException(page + " links to " + parts[0] + ", which does not exist here.");
                }
                if (Files.isDirectory(home.resolve(target)))
                {
                    replaceByText(link);
                }
                else if (parts[0].endsWith(".md"))
                {
                    unread.add(target);
                    final String name = htmlOf(target).getFileName().toString();
                    link.setDestination(parts[0].substring(0, parts[0].lastIndexOf('/') + 1) + name +
                        (parts.length > 1 ? "#" + parts[1] : ""));
                }
                else
                {
                    files.add(target);
                }
            }
            visitChildren(link);
        }

        private void replaceByText(final Link link)
        {
            while (link.getFirstChild() != null)
            {
                link.insertBefore(link.getFirstChild());
            }
            link.unlink();
        }

        @Override
        public void visit(final FencedCodeBlock code)
        {
            final Chart chart = "mermaid".equals(code.getInfo()) ? Chart.parse(code.getLiteral()) : null;
            if (chart != null)
            {
                code.insertBefore(html(chartTemplate.execute(chart)));
                code.unlink();
            }
        }

        @Override
        public void visit(final CustomBlock block)
        {
            if (block instanceof TableBlock)
            {
                block.insertBefore(html("<div class=\"wide\">"));
                block.insertAfter(html("</div>"));
            }
            visitChildren(block);
        }

        private HtmlBlock html(final String literal)
        {
            final HtmlBlock block = new HtmlBlock();
            block.setLiteral(literal);
            return block;
        }
    }
}
