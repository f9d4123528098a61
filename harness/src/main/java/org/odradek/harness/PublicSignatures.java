// SPDX-License-Identifier: Apache-2.0
package org.odradek.harness;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.Field;
import java.lang.reflect.GenericArrayType;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.lang.reflect.WildcardType;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * The types in the signatures of a package's public and protected members, read from its class files.
 */
public final class PublicSignatures
{
    private final Predicate<String> isAllowed;
    private final TreeMap<String, Set<String>> leaks = new TreeMap<>();

    private PublicSignatures(final Predicate<String> isAllowed)
    {
        this.isAllowed = isAllowed;
    }

    /** The public classes of a class's package, sorted by name; from a folder of classes or from a jar. */
    public static List<Class<?>> publicClasses(final Class<?> member)
    {
        final List<Class<?>> found = new ArrayList<>();
        try (ClassRoot root = new ClassRoot(member); Stream<Path> files = Files.list(root.ofPackage(member)))
        {
            for (final Path file : (Iterable<Path>)files.sorted()::iterator)
            {
                final String name = file.getFileName().toString();
                if (name.endsWith(".class") && !name.equals("package-info.class"))
                {
                    final Class<?> type = Class.forName(
                        member.getPackageName() + "." + name.substring(0, name.length() - ".class".length()), false,
                        member.getClassLoader());
                    if (isVisible(type))
                    {
                        found.add(type);
                    }
                }
            }
            return found;
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
        catch (final ClassNotFoundException ex)
        {
            throw new IllegalStateException(ex);
        }
    }

    private static boolean isVisible(final Class<?> type)
    {
        return !type.isAnonymousClass() && !type.isLocalClass() && isVisible(type.getModifiers()) &&
            (type.getDeclaringClass() == null || isVisible(type.getDeclaringClass()));
    }

    private static boolean isVisible(final int modifiers)
    {
        return Modifier.isPublic(modifiers) || Modifier.isProtected(modifiers);
    }

    /**
     * Finds the types that are not allowed in the public and protected signatures of classes.
     *
     * @param isAllowed given the name of a type, not of a primitive or JDK type.
     * @return a line for each such type, with the members that name it.
     */
    public static List<String> leaks(final Predicate<String> isAllowed, final List<Class<?>> types)
    {
        final PublicSignatures signatures = new PublicSignatures(isAllowed);
        types.forEach(signatures::check);
        return signatures.leaks.entrySet().stream().map((leak) -> leak.getKey() + " in " + leak.getValue()).toList();
    }

    private void check(final Class<?> type)
    {
        final String where = type.getSimpleName();
        check(where, type.getGenericSuperclass());
        check(where, type.getGenericInterfaces());
        check(where, type.getTypeParameters());
        for (final Field field : type.getDeclaredFields())
        {
            if (isVisible(field.getModifiers()))
            {
                check(where + "." + field.getName(), field.getGenericType());
            }
        }
        for (final Constructor<?> constructor : type.getDeclaredConstructors())
        {
            check(where + ".new", constructor);
        }
        for (final Method method : type.getDeclaredMethods())
        {
            check(where + "." + method.getName(), method);
            if (isVisible(method.getModifiers()) && !method.isSynthetic())
            {
                check(where + "." + method.getName(), method.getGenericReturnType());
            }
        }
    }

    private void check(final String where, final Executable executable)
    {
        if (isVisible(executable.getModifiers()) && !executable.isSynthetic())
        {
            check(where, executable.getGenericParameterTypes());
            check(where, executable.getGenericExceptionTypes());
            check(where, executable.getTypeParameters());
        }
    }

    private void check(final String where, final Type... types)
    {
        for (final Type type : types)
        {
            if (type instanceof Class<?> plain)
            {
                check(where, plain);
            }
            else if (type instanceof ParameterizedType generic)
            {
                check(where, generic.getRawType());
                check(where, generic.getActualTypeArguments());
            }
            else if (type instanceof GenericArrayType array)
            {
                check(where, array.getGenericComponentType());
            }
            else if (type instanceof WildcardType wildcard)
            {
                check(where, wildcard.getUpperBounds());
                check(where, wildcard.getLowerBounds());
            }
            else if (type instanceof TypeVariable<?> variable)
            {
                // A bound may name its own variable, so only plain bounds are followed.
                Stream.of(variable.getBounds()).filter(Class.class::isInstance)
                    .forEach((bound) -> check(where, (Class<?>)bound));
            }
        }
    }

    private void check(final String where, final Class<?> type)
    {
        final Class<?> element = type.isArray() ? type.getComponentType() : type;
        if (element.isArray())
        {
            check(where, element);
        }
        else if (!element.isPrimitive() && !element.getName().startsWith("java.") &&
            !element.getName().startsWith("javax.") && !isAllowed.test(element.getName()))
        {
            leaks.computeIfAbsent(element.getName(), (name) -> new TreeSet<>()).add(where);
        }
    }
}
