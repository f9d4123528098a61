// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.live;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Settings on their way to another process, as arguments of the form {@code name=value}.
 */
final class Arguments
{
    private final Map<String, String> values = new HashMap<>();

    Arguments(final String... arguments)
    {
        for (final String argument : arguments)
        {
            final int sign = argument.indexOf('=');
            if (sign < 0)
            {
                throw new IllegalArgumentException("An argument is name=value, not " + argument + ".");
            }
            values.put(argument.substring(0, sign), argument.substring(sign + 1));
        }
    }

    boolean has(final String name)
    {
        return values.containsKey(name);
    }

    String text(final String name)
    {
        final String value = values.get(name);
        if (value == null)
        {
            throw new IllegalArgumentException("The argument " + name + "= is missing.");
        }
        return value;
    }

    int number(final String name)
    {
        return Integer.parseInt(text(name));
    }

    int[] numbers(final String name)
    {
        return Arrays.stream(text(name).split(",")).mapToInt(Integer::parseInt).toArray();
    }

    static String join(final int... numbers)
    {
        return IntStream.of(numbers).mapToObj(Integer::toString).collect(Collectors.joining(","));
    }
}
