// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.fuzz;

import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.SAXException;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;

/**
 * The second half of {@code odradek mutation}: counts the results of PIT, writes their table and prints the score. Each
 * mutant that survives must have a line in {@code equivalent.tsv} of its module with the reason why it cannot be
 * detected: class, method, mutator, line of code, number of such mutants, reason. The exit code is 0 if each has one,
 * else 1.
 */
public final class MutationReport
{
    private static final String EXCUSES = "src/test/resources/mutation/equivalent.tsv";
    private static final String MUTATIONS = "mutations.xml";
    /** The name of each part, its classes and its tests; missing where there is one part only. */
    private static final String PARTS = "src/test/resources/mutation/parts.txt";

    private final Kind kind;
    private final Path root;
    private final List<Path> modules;
    private final Map<String, List<String>> sources = new HashMap<>();
    private final Map<String, String> excuses = new TreeMap<>();
    private final Map<String, Integer> left = new TreeMap<>();
    private final Map<String, int[]> killedAndAll = new TreeMap<>();
    private final List<String> excused = new ArrayList<>();
    private final List<String> survived = new ArrayList<>();
    private final List<String> notRun = new ArrayList<>();

    /** What is changed, and where that is recorded. */
    private enum Kind
    {
        PROTOCOL(List.of("protocol"), "docs/results/mutation.md", """
            # Mutation score of protocol

            `./odradek mutation` takes away every condition and every call without a result of the code that reads \
            what a broker sends, and moves the border of every comparison, one at a time. It counts what the replay \
            of the corpus notices.
            """),
        GROUPS(List.of("client", "consumer"), "docs/results/mutation-groups.md", """
            # Mutation score of groups and security

            `./odradek mutation groups` takes away every condition and every call without a result of the code of \
            consumer groups and of SASL, and moves the border of every comparison, one at a time. It counts what the \
            unit tests of a class and those over scripted brokers notice. Tests that take a second or more, and those \
            with real brokers, do not take part.
            """);

        private final List<String> modules;
        private final String table;
        private final String text;

        Kind(final List<String> modules, final String table, final String text)
        {
            this.modules = modules;
            this.table = table;
            this.text = text;
        }
    }

    private MutationReport(final Kind kind, final Path root) throws IOException
    {
        this.kind = kind;
        this.root = root;
        modules = kind.modules.stream().map(root::resolve).toList();
        for (final Path module : modules)
        {
            for (final String line : Files.readAllLines(module.resolve(EXCUSES)))
            {
                final int reason = line.lastIndexOf('\t');
                final int count = line.lastIndexOf('\t', reason - 1);
                final String key = line.substring(0, count);
                left.put(key, Integer.parseInt(line.substring(count + 1, reason)));
                excuses.put(key, line.substring(reason + 1));
            }
        }
    }

    /** @param args the project's folder, and the kind if it is not protocol. */
    public static void main(final String[] args)
        throws IOException, ParserConfigurationException, SAXException
    {
        final Kind kind = args.length < 2 ? Kind.PROTOCOL : Kind.valueOf(args[1].toUpperCase(Locale.ROOT));
        final MutationReport report = new MutationReport(kind, Path.of(args[0]));
        for (final Path module : report.modules)
        {
            report.readModule(module);
        }
        System.exit(report.print());
    }

    /** Reads the results of each part, which has a folder of its own, or of the only one. */
    private void readModule(final Path module) throws IOException, ParserConfigurationException, SAXException
    {
        final Path folder = module.resolve("target/mutation");
        if (Files.notExists(module.resolve(PARTS)))
        {
            read(folder.resolve(MUTATIONS));
            return;
        }
        for (final String line : Files.readAllLines(module.resolve(PARTS)))
        {
            final String part = line.substring(0, line.indexOf(' '));
            final Path file = folder.resolve(part).resolve(MUTATIONS);
            // PIT writes it at the end of a run.
            if (Files.exists(file) && Files.size(file) > 0)
            {
                read(file);
            }
            else
            {
                notRun.add(part);
            }
        }
    }

    private void read(final Path file) throws IOException, ParserConfigurationException, SAXException
    {
        final NodeList mutations = DocumentBuilderFactory.newInstance().newDocumentBuilder()
            .parse(file.toFile()).getElementsByTagName("mutation");
        for (int i = 0; i < mutations.getLength(); i++)
        {
            count((Element) mutations.item(i));
        }
    }

    private void count(final Element mutation) throws IOException
    {
        final String type = text(mutation, "mutatedClass");
        final String name = type.substring(type.lastIndexOf('.') + 1);
        final int[] counts = killedAndAll.computeIfAbsent(name, (key) -> new int[2]);
        counts[1]++;
        if ("true".equals(mutation.getAttribute("detected")))
        {
            counts[0]++;
            return;
        }
        final String mutator = text(mutation, "mutator");
        final String key = name + '\t' + text(mutation, "mutatedMethod") + '\t' +
            mutator.substring(mutator.lastIndexOf('.') + 1) + '\t' +
            line(type, Integer.parseInt(text(mutation, "lineNumber")));
        if (left.getOrDefault(key, 0) > 0)
        {
            left.merge(key, -1, Integer::sum);
            excused.add(key + '\t' + excuses.get(key));
        }
        else
        {
            survived.add(key);
        }
    }

    private int print() throws IOException
    {
        int killed = 0;
        int all = 0;
        final StringBuilder table = new StringBuilder(kind.text).append("""

            | class | noticed | of |
            |---|---:|---:|
            """);
        for (final Map.Entry<String, int[]> entry : killedAndAll.entrySet())
        {
            killed += entry.getValue()[0];
            all += entry.getValue()[1];
            table.append("| `").append(entry.getKey()).append("` | ").append(entry.getValue()[0]).append(" | ")
                .append(entry.getValue()[1]).append(" |\n");
        }
        if (all == 0)
        {
            System.err.println("No mutation was run.");
            return 1;
        }
        table.append("| all | ").append(killed).append(" | ").append(all).append(" |\n");
        if (!notRun.isEmpty())
        {
            table.append("\nNot run: the parts ").append(String.join(", ", notRun)).append(".\n");
        }
        list(table, "Not noticed, because it changes nothing that can be seen", excused);
        list(table, "Not noticed", survived);
        Files.writeString(root.resolve(kind.table), table);

        System.out.print(table);
        left.forEach((key, count) ->
        {
            if (count > 0)
            {
                System.out.println("No longer needed in " + EXCUSES + ": " + key);
            }
        });
        System.out.printf("%d of %d mutants noticed (%.1f %%), %d cannot be, %d should have been; see %s%n",
            killed, all, 100.0 * killed / all, excused.size(), survived.size(), kind.table);
        return survived.isEmpty() ? 0 : 1;
    }

    private static void list(final StringBuilder table, final String title, final List<String> keys)
    {
        if (!keys.isEmpty())
        {
            table.append("\n## ").append(title).append("\n\n");
            keys.stream().sorted().forEach(
                (key) -> table.append("    ").append(key.replace("\t", " | ")).append('\n'));
        }
    }

    private String line(final String type, final int number) throws IOException
    {
        List<String> lines = sources.get(type);
        if (null == lines)
        {
            final String file = "src/main/java/" + type.replace('.', '/').replaceAll("\\$.*", "") + ".java";
            lines = Files.readAllLines(modules.stream().map((module) -> module.resolve(file))
                .filter(Files::exists).findFirst().orElseThrow());
            sources.put(type, lines);
        }
        return lines.get(number - 1).trim();
    }

    private static String text(final Element mutation, final String name)
    {
        return mutation.getElementsByTagName(name).item(0).getTextContent();
    }
}
