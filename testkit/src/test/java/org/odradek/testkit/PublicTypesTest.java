// SPDX-License-Identifier: Apache-2.0
package org.odradek.testkit;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.lang.reflect.Executable;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** Checks that the types that users have name no type of the package internal. */
class PublicTypesTest
{
    private static final Path CLASSES = Path.of("target/classes/org/odradek/testkit");

    private static List<Class<?>> publicTypes() throws IOException, ClassNotFoundException
    {
        final List<Class<?>> types = new ArrayList<>();
        try (Stream<Path> files = Files.list(CLASSES))
        {
            for (final String name : files.map((file) -> file.getFileName().toString()).sorted().toList())
            {
                if (name.endsWith(".class") && !name.equals("package-info.class"))
                {
                    final Class<?> type = Class.forName("org.odradek.testkit." + name.replace(".class", ""));
                    if (isVisible(type.getModifiers()))
                    {
                        types.add(type);
                    }
                }
            }
        }
        return types;
    }

    private static boolean isVisible(final int modifiers)
    {
        return Modifier.isPublic(modifiers) || Modifier.isProtected(modifiers);
    }

    @Test
    void shouldNameNoInternalTypeInAPublicSignature() throws Exception
    {
        final List<String> leaks = new ArrayList<>();
        for (final Class<?> type : publicTypes())
        {
            final List<String> signatures = new ArrayList<>();
            Stream.of(type.getDeclaredFields()).filter((field) -> isVisible(field.getModifiers()))
                .map(Field::toGenericString).forEach(signatures::add);
            Stream.<Executable>concat(Stream.of(type.getDeclaredMethods()), Stream.of(type.getDeclaredConstructors()))
                .filter((member) -> isVisible(member.getModifiers()))
                .map(Executable::toGenericString).forEach(signatures::add);
            signatures.stream().filter((signature) -> signature.contains(".internal.")).forEach(leaks::add);
        }
        assertEquals(List.of(), leaks);
    }
}
