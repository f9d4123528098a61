// SPDX-License-Identifier: Apache-2.0
package org.odradek.harness;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
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
import java.util.stream.Stream;

/**
 * Finds predicates that act: boolean methods with a name such as {@code isOpen} that write a field, an array, a
 * collection or a buffer, wait, or call a listener; themselves, or in a method that they call. It reads what
 * {@code javap} prints of class files. A call is followed to every method of our classes that it may reach. Lambdas in
 * predicates are read as predicates, other lambdas are not followed.
 */
public final class ActingPredicates
{
    private static final String OURS = "org/odradek/";
    private static final String NAME = "(?:are|can|contains|does|had|has|have|holds|is|knows|may|must|needs|should|" +
        "wants|was|will)(?:[A-Z]\\w*)?";
    private static final Pattern PREDICATE =
        Pattern.compile("\\.(?:" + NAME + ":\\(.*\\)Z|lambda\\$" + NAME + "\\$\\d+:.*)");
    private static final Pattern ACTS = Pattern.compile(
        "java/lang/(Thread\\.(join|sleep|yield)|Object\\.(notify|wait)).*|java/util/concurrent/locks/.*|" +
        "java/nio/channels/S\\w+\\.(close|connect|finishConnect|read|select|write).*|" +
        "io/netty/.*\\.(close|connect|finishConnect|recv|send|set).*|" +
        "(java/util|java/nio|java/lang/invoke/VarHandle|org/agrona)\\b.*\\.(accept|add|await|clear|compareAnd|fill|" +
        "flip|getAnd|lazySet|offer|poll|pop|push|put|remove|reset|set).*|.*(Runnable\\.run|Callable\\.call|AndGet)");
    private static final Pattern LISTENER = Pattern.compile(".*\\.on[A-Z].*");
    private static final Pattern TYPE = Pattern.compile("(?:class|interface) (\\S+)(.*)\\{");
    private static final Pattern METHOD = Pattern.compile("  \\S.*?([\\w$]+)\\(.*;");
    private static final Pattern OPERATION = Pattern.compile(" +\\d+: (\\w+).*?(?:// (?:\\w+ )?(.*))?");
    private static final Pattern STORE_IN_ARRAY = Pattern.compile("[a-z]astore");
    private static final String DESCRIPTOR = "    descriptor: ";

    private final Map<String, Set<String>> above = new HashMap<>();
    private final Map<String, Set<String>> below = new HashMap<>();
    /** What each method does: the operation, and the field or method that it names. */
    private final Map<String, List<String[]>> methods = new TreeMap<>();

    private ActingPredicates()
    {
    }

    /**
     * @param checked  a class; the predicates in its package and those below are checked.
     * @param followed classes of other folders or jars, into which calls are followed.
     * @return a line for each predicate that acts, with the calls by which it does.
     */
    public static List<String> in(final Class<?> checked, final Class<?>... followed)
    {
        final ActingPredicates predicates = new ActingPredicates();
        predicates.read(checked);
        for (final Class<?> other : followed)
        {
            predicates.read(other);
        }
        final List<String> found = new ArrayList<>();
        for (final String method : predicates.methods.keySet())
        {
            final String action = method.startsWith(checked.getPackageName().replace('.', '/')) &&
                PREDICATE.matcher(method).find() ? predicates.action(method, new HashSet<>()) : null;
            if (action != null)
            {
                found.add(action);
            }
        }
        return found;
    }

    private void read(final Class<?> member)
    {
        try (ClassRoot root = new ClassRoot(member))
        {
            final List<String> arguments = new ArrayList<>(List.of("-c", "-p", "-s", "-cp", root.location.toString()));
            arguments.addAll(classes(root.path));
            final StringWriter text = new StringWriter();
            ToolProvider.findFirst("javap").orElseThrow()
                .run(new PrintWriter(text), new PrintWriter(text), arguments.toArray(String[]::new));
            read(text.toString());
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }

    private static List<String> classes(final Path root) throws IOException
    {
        try (Stream<Path> files = Files.walk(root.resolve(OURS)))
        {
            return files.map((file) -> root.relativize(file).toString()).filter((file) -> file.endsWith(".class"))
                .map((file) -> file.substring(0, file.length() - ".class".length()).replace('/', '.')).toList();
        }
    }

    private void read(final String text)
    {
        String type = null;
        String name = null;
        List<String[]> operations = null;
        for (final String line : (Iterable<String>)text.lines()::iterator)
        {
            final Matcher operation = OPERATION.matcher(line);
            if (operation.matches())
            {
                final String named = operation.group(2) == null ? "" : operation.group(2).replace("\"", "");
                operations.add(new String[] {operation.group(1), named.contains(".") ? named : type + "." + named});
                continue;
            }
            final Matcher method = METHOD.matcher(line);
            if (line.startsWith(DESCRIPTOR) && name != null)
            {
                operations = new ArrayList<>();
                methods.put(type + "." + name + ":" + line.substring(DESCRIPTOR.length()), operations);
            }
            else if (!line.startsWith(" ") && line.endsWith("{"))
            {
                type = readType(line);
            }
            name = method.matches() ? method.group(1) : line.equals("  static {};") ? "static" : null;
        }
    }

    private String readType(final String line)
    {
        final Matcher declared = TYPE.matcher(line.replaceAll("<[^>]*>+", ""));
        if (!declared.find())
        {
            throw new IllegalStateException(line);
        }
        final String type = declared.group(1).replace('.', '/');
        for (final String other : declared.group(2).replace('.', '/').split("[ ,]+"))
        {
            if (other.startsWith(OURS))
            {
                above.computeIfAbsent(type, (key) -> new TreeSet<>()).add(other);
                below.computeIfAbsent(other, (key) -> new TreeSet<>()).add(type);
            }
        }
        return type;
    }

    /** Returns how a method acts; null if it does not. */
    private String action(final String method, final Set<String> seen)
    {
        final List<String[]> operations = methods.get(method);
        if (operations == null || !seen.add(method))
        {
            return null;
        }
        // A method that makes an array stores into that one.
        final boolean isMaking = operations.stream().anyMatch((operation) -> operation[0].endsWith("newarray"));
        for (final String[] operation : operations)
        {
            String action = null;
            if (operation[0].startsWith("put"))
            {
                action = "writes " + shortened(operation[1]);
            }
            else if (STORE_IN_ARRAY.matcher(operation[0]).matches() && !isMaking)
            {
                action = "writes an array";
            }
            else if (operation[0].startsWith("invoke") && !operation[0].equals("invokedynamic"))
            {
                action = actionOfCall(operation[0], operation[1], seen);
            }
            if (action != null)
            {
                return shortened(method) + " " + action;
            }
        }
        return null;
    }

    private String actionOfCall(final String kind, final String called, final Set<String> seen)
    {
        final int dot = called.indexOf('.');
        final String owner = called.substring(0, dot);
        if (kind.equals("invokeinterface") && LISTENER.matcher(called).matches() ||
            !owner.startsWith(OURS) && ACTS.matcher(called.substring(0, called.indexOf(':'))).matches())
        {
            return "calls " + shortened(called);
        }
        // A constructor writes the new object only.
        if (!called.startsWith("<", dot + 1))
        {
            final Set<String> owners = new TreeSet<>();
            addAll(owner, above, owners);
            owners.remove(owner);
            addAll(owner, kind.equals("invokespecial") ? Map.of() : below, owners);
            for (final String type : owners)
            {
                final String action = action(type + called.substring(dot), seen);
                if (action != null)
                {
                    return "calls " + action;
                }
            }
        }
        return null;
    }

    private static void addAll(final String type, final Map<String, Set<String>> next, final Set<String> found)
    {
        if (found.add(type))
        {
            next.getOrDefault(type, Set.of()).forEach((other) -> addAll(other, next, found));
        }
    }

    private static String shortened(final String member)
    {
        return member.substring(0, member.indexOf(':')).replaceAll(".*/", "");
    }
}
