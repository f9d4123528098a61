// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.core;

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

/**
 * Creates the string constants of the classes that the polling thread uses, before it starts.
 * <p>
 * When C2 is first asked to compile a method, HotSpot creates the string objects of all constants of its class, and
 * charges them to the thread that called the method ({@code CompileBroker::compile_method}): a few hundred bytes per
 * class, seconds or minutes after the start, on a thread that should allocate nothing. A constant that exists already
 * costs nothing. The build lists those of our classes; those of Netty, Agrona and the JDK are in a list that a test
 * writes and checks. They exist as long as this class does. Other classes, such as those of a handler, may still cost a
 * few bytes once.
 */
public final class StringConstants
{
    /** The constants of the classes of Netty, Agrona and the JDK. */
    public static final String RESOURCE = "string-constants.txt";
    /** The constants of our classes, written by the build. */
    public static final String OWN_RESOURCE = "own-string-constants.txt";

    private static final String FOLDER = "/org/odradek/consumer/";

    private static final List<String> STRINGS = new ArrayList<>();
    private static final Set<String> MADE = new HashSet<>();

    private StringConstants()
    {
    }

    /** Creates the constants of the consumer's classes and of those below, unless this was done before. */
    public static void make()
    {
        make(StringConstants.class, FOLDER + RESOURCE);
        make(StringConstants.class, FOLDER + OWN_RESOURCE);
    }

    /**
     * Creates further constants, unless this was done before.
     *
     * @param user     a class of the artifact that has the list.
     * @param resource the list, by its absolute name.
     */
    public static void make(final Class<?> user, final String resource)
    {
        synchronized (STRINGS)
        {
            if (MADE.add(resource))
            {
                read(user, resource);
            }
        }
    }

    private static void read(final Class<?> user, final String resource)
    {
        try (InputStream in = user.getResourceAsStream(resource))
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
