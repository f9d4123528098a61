// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.support;

import java.io.IOException;
import java.nio.file.Files;
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
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The source files below one package and which of them uses which, read from the sources: also what a class file does
 * not show, such as a constant of another class. A file is named by its top-level class.
 */
public final class FileGraph
{
    /** Comments, which may name any class, and texts. */
    private static final Pattern NO_CODE = Pattern.compile(
        "/\\*.*?\\*/|//[^\n]*+|\"{3}.*?\"{3}|" +
        "\"(?:\\\\.|[^\"\\\\\n])*+\"|'(?:\\\\.|[^'\\\\\n])++'", Pattern.DOTALL);
    private static final Pattern IMPORT =
        Pattern.compile("^import (?:static )?([a-z.]+\\.[A-Z]\\w*).*$", Pattern.MULTILINE);
    private static final Pattern TYPE = Pattern.compile("(?<![\\w.])[A-Z]\\w*");

    private final Map<String, Set<String>> uses = new TreeMap<>();

    /**
     * @param sources     folder of the packages.
     * @param packageName files in this package and the packages below it are read.
     */
    public FileGraph(final Path sources, final String packageName) throws IOException
    {
        final Map<String, String> codes = new TreeMap<>();
        try (Stream<Path> walk = Files.walk(sources))
        {
            for (final Path file : walk.filter((path) -> path.toString().endsWith(".java")).toList())
            {
                final String name = sources.relativize(file).toString().replace(".java", "").replace('/', '.');
                if (name.startsWith(packageName + ".") && !name.endsWith(".package-info"))
                {
                    codes.put(name, NO_CODE.matcher(Files.readString(file)).replaceAll(" "));
                }
            }
        }
        codes.forEach((file, code) -> uses.put(file, usedBy(file, code, codes.keySet())));
    }

    private static Set<String> usedBy(final String file, final String code, final Set<String> files)
    {
        final Set<String> imported = IMPORT.matcher(code).results().map((match) -> match.group(1))
            .collect(Collectors.toSet());
        final String body = IMPORT.matcher(code).replaceAll("");
        final Set<String> types = TYPE.matcher(body).results().map(MatchResult::group).collect(Collectors.toSet());
        final Set<String> used = new TreeSet<>();
        for (final String other : files)
        {
            final String type = other.substring(other.lastIndexOf('.') + 1);
            final boolean isNear = packageOf(other).equals(packageOf(file)) &&
                !Pattern.compile("\\b(class|interface|enum|record) " + type + "\\b").matcher(body).find();
            if (!other.equals(file) && types.contains(type) && (isNear || imported.contains(other)))
            {
                used.add(other);
            }
        }
        return used;
    }

    private static String packageOf(final String file)
    {
        return file.substring(0, file.lastIndexOf('.'));
    }

    public int size()
    {
        return uses.size();
    }

    /**
     * Groups of files of which each uses every other, directly or through others.
     */
    public List<Set<String>> cycles()
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
    public List<String> longestChain()
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
