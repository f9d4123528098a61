// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.rig;

import org.apache.kafka.common.utils.Utils;
import org.odradek.benchmarks.report.Environment;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Named settings of clients and producers, which reach another process as arguments of the form {@code name=value}. */
public record Settings(Map<String, String> values)
{
    public static final Settings NONE = new Settings(Map.of());

    /** @param namesAndValues in turn; a value is written as its {@code toString} has it, an array with commas. */
    public static Settings of(final Object... namesAndValues)
    {
        return NONE.with(namesAndValues);
    }

    public Settings with(final Object... namesAndValues)
    {
        final Map<String, String> changed = new LinkedHashMap<>(values);
        Environment.ordered(namesAndValues).forEach((name, value) -> changed.put(name,
            value instanceof int[] numbers ? commaSeparated(numbers) : value.toString()));
        return new Settings(changed);
    }

    private static String commaSeparated(final int[] numbers)
    {
        return IntStream.of(numbers).mapToObj(Integer::toString).collect(Collectors.joining(","));
    }

    /** @return these settings with all of the others added; where both have a name the others win. */
    public Settings with(final Settings others)
    {
        final Map<String, String> changed = new LinkedHashMap<>(values);
        changed.putAll(others.values);
        return new Settings(changed);
    }

    public static Settings parse(final String... arguments)
    {
        final Object[] namesAndValues =
            Stream.of(arguments).flatMap((argument) -> Stream.of(argument.split("=", 2))).toArray();
        if (namesAndValues.length != 2 * arguments.length)
        {
            throw new IllegalArgumentException("Arguments are name=value, not " + List.of(arguments) + ".");
        }
        return of(namesAndValues);
    }

    public String[] toArguments()
    {
        return values.entrySet().stream().map(Object::toString).toArray(String[]::new);
    }

    public boolean has(final String name)
    {
        return values.containsKey(name);
    }

    public boolean is(final String name)
    {
        return Boolean.parseBoolean(values.get(name));
    }

    public String text(final String name)
    {
        return Optional.ofNullable(values.get(name))
            .orElseThrow(() -> new IllegalArgumentException("The setting " + name + " is missing."));
    }

    public int number(final String name)
    {
        return Integer.parseInt(text(name));
    }

    /** @return the setting, or the other value if there is no such setting. */
    public long number(final String name, final long otherwise)
    {
        return has(name) ? Long.parseLong(text(name)) : otherwise;
    }

    public int[] numbers(final String name)
    {
        return Arrays.stream(text(name).split(",")).mapToInt(Integer::parseInt).toArray();
    }

    /** @return Kafka's properties of the connection: the bootstrap servers, and those in the file config, if any. */
    public Properties connection()
    {
        final Properties properties = new Properties();
        if (has("config"))
        {
            try
            {
                properties.putAll(Utils.loadProps(text("config")));
            }
            catch (final IOException ex)
            {
                throw new UncheckedIOException(ex);
            }
        }
        properties.setProperty("bootstrap.servers", text("bootstrap"));
        return properties;
    }
}
