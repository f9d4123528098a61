// SPDX-License-Identifier: Apache-2.0
package org.odradek.examples;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Compares a list of public members with the list of the last release. A type is a line, and its members are the
 * indented lines after it. The changelog must name each type and each member of the release that is missing or has
 * changed, and each new abstract method of a type of the release; everything else that is new needs no line. A type is
 * named as {@code `Type`} and a member as {@code `Type.member`}; a constructor is named as its type.
 */
final class ApiChanges
{
    private ApiChanges()
    {
    }

    /**
     * Returns the changes that the changelog does not name.
     *
     * @param released  the lines of the list of the last release.
     * @param current   the lines of the list of today.
     * @param changelog the part of the changelog about the time since the last release.
     */
    static List<String> unnamed(final List<String> released, final List<String> current, final String changelog)
    {
        final Map<String, Set<String>> types = byType(current);
        final List<String> found = new ArrayList<>();
        byType(released).forEach((type, lines) ->
        {
            final Set<String> today = types.get(type);
            if (today == null)
            {
                addUnlessNamed(found, simpleName(type), "is missing", changelog);
                return;
            }
            lines.stream().filter((line) -> !today.contains(line))
                .forEach((line) -> addUnlessNamed(found, name(type, line), "was: " + line.strip(), changelog));
            today.stream().filter((line) -> line.startsWith("    ") && line.contains(" abstract "))
                .filter((line) -> !lines.contains(line))
                .forEach((line) -> addUnlessNamed(found, name(type, line), "is new: " + line.strip(), changelog));
        });
        return found;
    }

    private static void addUnlessNamed(
        final List<String> found, final String name, final String change, final String changelog)
    {
        if (!changelog.contains("`" + name + "`"))
        {
            found.add(name + " " + change);
        }
    }

    /** Returns the lines of each type, its own line included, by the name of the type. */
    private static Map<String, Set<String>> byType(final List<String> lines)
    {
        final Map<String, Set<String>> types = new LinkedHashMap<>();
        String type = "";
        for (final String line : lines)
        {
            type = line.startsWith(" ") ? type : lastWord(line.replaceAll("<.*", ""));
            types.computeIfAbsent(type, (name) -> new LinkedHashSet<>()).add(line);
        }
        return types;
    }

    private static String name(final String type, final String line)
    {
        final String member = lastWord(line.replaceAll("\\(.*", ""));
        return simpleName(type) + (line.startsWith(" ") && !member.equals(type) ? "." + member : "");
    }

    private static String lastWord(final String text)
    {
        return text.substring(text.lastIndexOf(' ') + 1);
    }

    private static String simpleName(final String type)
    {
        return type.substring(type.lastIndexOf('.') + 1).replace('$', '.');
    }
}
