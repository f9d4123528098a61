// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.spi.ToolProvider;

/**
 * The source files below one package and which of them uses which, as the JDK's {@code jdeps} reads it from class
 * files. A file is named by its top-level class.
 */
final class FileGraph
{
    private static final Pattern USE = Pattern.compile("^\\s+(\\S+)\\s+->\\s+(\\S+)\\s.*$");

    private final Map<String, Set<String>> uses = new TreeMap<>();

    /**
     * @param classes     folder or jar of class files.
     * @param packageName files in this package and the packages below it are read.
     */
    FileGraph(final Path classes, final String packageName)
    {
        final StringWriter output = new StringWriter();
        final PrintWriter writer = new PrintWriter(output);
        final int exitCode = ToolProvider.findFirst("jdeps").orElseThrow().run(
            writer, writer, "-verbose:class", "-filter:none", "--multi-release", "base", classes.toString());
        writer.flush();
        if (exitCode != 0)
        {
            throw new IllegalStateException("jdeps failed on " + classes + ": " + output);
        }
        String from = null;
        for (final String line : output.toString().split("\\R"))
        {
            final Matcher use = USE.matcher(line);
            final String[] words = line.trim().split("\\s+");
            if (use.matches())
            {
                add(fileOf(use.group(1)), fileOf(use.group(2)), packageName);
            }
            else if (line.startsWith("      ->") && null != from)
            {
                add(from, fileOf(words[1]), packageName);
            }
            else if (line.startsWith("   ") && words.length > 0)
            {
                from = fileOf(words[0]);
                add(from, from, packageName);
            }
        }
    }

    /**
     * Removes the files of a package that is checked on its own.
     */
    FileGraph without(final String packageName)
    {
        uses.keySet().removeIf((file) -> file.startsWith(packageName + "."));
        uses.values().forEach((used) -> used.removeIf((file) -> file.startsWith(packageName + ".")));
        return this;
    }

    private static String fileOf(final String className)
    {
        final int nested = className.indexOf('$');
        return nested < 0 ? className : className.substring(0, nested);
    }

    private void add(final String from, final String to, final String packageName)
    {
        if (from.startsWith(packageName + "."))
        {
            final Set<String> used = uses.computeIfAbsent(from, (name) -> new TreeSet<>());
            if (to.startsWith(packageName + ".") && !to.equals(from))
            {
                used.add(to);
            }
        }
    }

    int size()
    {
        return uses.size();
    }

    /**
     * Groups of files of which each uses every other, directly or through others.
     */
    List<Set<String>> cycles()
    {
        final Map<String, Set<String>> reachable = new HashMap<>();
        uses.keySet().forEach((file) -> reachable.put(file, reachableFrom(file)));
        final Set<String> seen = new HashSet<>();
        final List<Set<String>> cycles = new ArrayList<>();
        for (final String file : uses.keySet())
        {
            if (reachable.get(file).contains(file) && seen.add(file))
            {
                final Set<String> cycle = new TreeSet<>();
                cycle.add(file);
                for (final String other : reachable.get(file))
                {
                    if (reachable.get(other).contains(file))
                    {
                        cycle.add(other);
                    }
                }
                seen.addAll(cycle);
                cycles.add(cycle);
            }
        }
        return cycles;
    }

    private Set<String> reachableFrom(final String file)
    {
        final Set<String> found = new HashSet<>();
        final Deque<String> open = new ArrayDeque<>(uses.get(file));
        while (!open.isEmpty())
        {
            final String next = open.pop();
            if (found.add(next))
            {
                open.addAll(uses.getOrDefault(next, Set.of()));
            }
        }
        return found;
    }

    /**
     * The longest chain of files in which each uses the next. There must be no cycles.
     */
    List<String> longestChain()
    {
        final Map<String, List<String>> chains = new HashMap<>();
        List<String> longest = List.of();
        for (final String file : uses.keySet())
        {
            final List<String> chain = chainFrom(file, chains);
            longest = chain.size() > longest.size() ? chain : longest;
        }
        return longest;
    }

    private List<String> chainFrom(final String file, final Map<String, List<String>> chains)
    {
        final List<String> known = chains.get(file);
        if (null != known)
        {
            return known;
        }
        List<String> longest = List.of();
        for (final String used : uses.getOrDefault(file, Set.of()))
        {
            final List<String> chain = chainFrom(used, chains);
            longest = chain.size() > longest.size() ? chain : longest;
        }
        final List<String> chain = new ArrayList<>();
        chain.add(file);
        chain.addAll(longest);
        chains.put(file, chain);
        return chain;
    }
}
