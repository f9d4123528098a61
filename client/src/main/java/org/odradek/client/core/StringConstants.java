// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.core;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;

/**
 * Creates string constants in advance, so that the polling thread does not allocate them.
 * <p>
 * When a method is first submitted to C2, HotSpot creates the string objects of all constants of its class that do not
 * exist yet, and the thread that called the method allocates them ({@code CompileBroker::compile_method}).
 */
public final class StringConstants
{
    public static final String RESOURCE = "string-constants.txt";

    private static final String FOLDER = "/org/odradek/client/";

    private static final List<String> STRINGS = new ArrayList<>();
    private static final Set<String> MADE = new HashSet<>();

    private StringConstants()
    {
    }

    /**
     * @param own    absolute name of the resource with the constants of Odradek's classes, which the build writes.
     * @param opener opens the resource, because only the module that contains the list can open it.
     */
    public static void make(final String own, final Function<String, InputStream> opener)
    {
        synchronized (STRINGS)
        {
            makeOnce(FOLDER + RESOURCE, StringConstants.class::getResourceAsStream);
            makeOnce(own, opener);
        }
    }

    private static void makeOnce(final String resource, final Function<String, InputStream> opener)
    {
        if (MADE.add(resource))
        {
            read(resource, opener);
        }
    }

    private static void read(final String resource, final Function<String, InputStream> opener)
    {
        try (InputStream in = opener.apply(resource))
        {
            if (in == null)
            {
                throw new IllegalStateException("The resource " + resource + " is missing: the build writes it.");
            }
            new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8)).lines()
                .forEach((line) -> STRINGS.add(line.translateEscapes().intern()));
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException("The resource " + resource + " cannot be read: " + ex, ex);
        }
    }
}
