// SPDX-License-Identifier: Apache-2.0
package org.odradek.tools;

import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.Node;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Prints what a program has on its class path that depends on nothing but odradek-consumer, and asserts that it is no
 * more than this. The tree comes from the poms: ours, and those beside the jars in the local repository.
 */
class ConsumerDependenciesTest
{
    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

    private final List<String> names = new ArrayList<>();
    private final StringBuilder tree = new StringBuilder();

    @Test
    void shouldBringOnlyAgronaAndTheCodecs() throws Exception
    {
        add("org.odradek", "odradek-consumer", 0);

        System.out.print("The dependencies of a program that uses the consumer:\n" + tree);
        assertEquals(List.of(
            "org.odradek:odradek-consumer",
            " org.odradek:odradek-client",
            "  org.odradek:odradek-protocol",
            "   org.agrona:agrona",
            "   com.github.luben:zstd-jni",
            "   at.yawk.lz4:lz4-java",
            "   org.xerial.snappy:snappy-java"), names);
    }

    private void add(final String group, final String artifact, final int depth) throws Exception
    {
        final boolean isOurs = group.equals("org.odradek");
        final Path jar = isOurs ? null : jar(artifact);
        final Path pom = isOurs ? ROOT.resolve(artifact.replace("odradek-", "")).resolve("pom.xml") :
            jar.resolveSibling(jar.getFileName().toString().replace(".jar", ".pom"));
        assertTrue(Files.exists(pom), () -> pom + " does not exist");
        names.add(" ".repeat(depth) + group + ":" + artifact);
        tree.append("  ".repeat(depth))
            .append(isOurs ? artifact : jar.getFileName() + ", " + Files.size(jar) / 1024 + " KiB").append('\n');
        for (final Element dependency : dependencies(pom))
        {
            if (!text(dependency, "optional").equals("true") &&
                !List.of("test", "provided", "system", "import").contains(text(dependency, "scope")))
            {
                add(text(dependency, "groupId"), text(dependency, "artifactId"), depth + 1);
            }
        }
    }

    /** Finds a jar by its name on the class path of this test. */
    private static Path jar(final String artifact)
    {
        return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator)).map(Path::of)
            .filter((path) -> path.getFileName().toString().matches(artifact + "-\\d[^/]*\\.jar"))
            .findFirst().orElseThrow(() -> new AssertionError(artifact + " is not on the class path of this test"));
    }

    private static List<Element> dependencies(final Path pom) throws Exception
    {
        final DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
        factory.setFeature("http://apache.org/xml/features/disallow-doctype-decl", true);
        final Document document = factory.newDocumentBuilder().parse(pom.toFile());
        final List<Element> dependencies = new ArrayList<>();
        for (final Element section : children(document.getDocumentElement(), "dependencies"))
        {
            dependencies.addAll(children(section, "dependency"));
        }
        return dependencies;
    }

    private static String text(final Element parent, final String name)
    {
        final List<Element> found = children(parent, name);
        return found.isEmpty() ? "" : found.get(0).getTextContent().trim();
    }

    private static List<Element> children(final Element parent, final String name)
    {
        final List<Element> found = new ArrayList<>();
        for (Node node = parent.getFirstChild(); node != null; node = node.getNextSibling())
        {
            if (node instanceof Element element && element.getTagName().equals(name))
            {
                found.add(element);
            }
        }
        return found;
    }
}
