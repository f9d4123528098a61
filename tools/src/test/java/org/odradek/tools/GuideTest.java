// SPDX-License-Identifier: Apache-2.0
package org.odradek.tools;

import org.junit.jupiter.api.Test;
import org.odradek.client.context.ClientContext;
import org.odradek.consumer.ConsumerContext;
import org.odradek.consumer.GroupSettings;
import org.odradek.consumer.handler.ConsumerListener;

import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * The tables of the user guide must contain every setting and every event.
 */
class GuideTest
{
    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

    @Test
    void shouldListEverySetting() throws IOException
    {
        final String settings = section("Settings");
        final List<String> missing = new ArrayList<>();
        for (final Class<?> type : List.of(ClientContext.class, ConsumerContext.class, GroupSettings.class))
        {
            for (final Method method : type.getDeclaredMethods())
            {
                if (isSetter(method, type) && !settings.contains("`" + method.getName()))
                {
                    missing.add(type.getSimpleName() + "." + method.getName());
                }
            }
        }
        assertEquals(List.of(), missing);
    }

    private static boolean isSetter(final Method method, final Class<?> type)
    {
        return Modifier.isPublic(method.getModifiers()) && !Modifier.isStatic(method.getModifiers()) &&
            method.getReturnType() == type && method.getParameterCount() > 0;
    }

    @Test
    void shouldListEveryEvent() throws IOException
    {
        final String events = section("Events, errors, counters");
        final List<String> missing = new ArrayList<>();
        for (final Method method : ConsumerListener.class.getMethods())
        {
            if (method.isDefault() && !events.contains("`" + method.getName() + "`"))
            {
                missing.add(method.getName());
            }
        }
        assertEquals(List.of(), missing);
    }

    private static String section(final String title) throws IOException
    {
        final String guide = Files.readString(ROOT.resolve("docs").resolve("guide.md"));
        final int begin = guide.indexOf("\n## " + title + "\n");
        assertTrue(begin >= 0, "the guide has no section " + title);
        final int end = guide.indexOf("\n## ", begin + 1);
        return guide.substring(begin, end < 0 ? guide.length() : end);
    }
}
