// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.properties;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The value of one of Kafka's keys: a value of the type of the key, or a string that may have blanks around it.
 *
 * @param isProvided true if a provider of variables returned a part of the value, which no message may show.
 */
public record KafkaValue(String key, Object value, boolean isProvided)
{
    private static final Pattern SECRET = Pattern.compile(
        "password|passphrase|secret|credentials|jaas|keystore\\.(key|certificate)|truststore\\.cert");

    /** The class name of secrets in kafka-clients, which is not a dependency. */
    private static final String PASSWORD = "org.apache.kafka.common.config.types.Password";

    /**
     * Matches the delimiters of those parts of a URL that may contain a secret: the user info, the query and the
     * fragment.
     */
    private static final Pattern SECRET_OF_URL = Pattern.compile("[@?#]");

    KafkaValue(final String key, final Object value)
    {
        this(key, value, false);
    }

    int number(final int least, final int most)
    {
        if (!(value instanceof Integer) && !(value instanceof String))
        {
            throw wrong("it must be an Integer or a String");
        }
        return (int)numberOf(least, most);
    }

    /** Returns a number of milliseconds, which must be an int even if Kafka's type is long. */
    int ms(final int least)
    {
        if (!(value instanceof Integer) && !(value instanceof Long) && !(value instanceof String))
        {
            throw wrong("it must be a Long, an Integer or a String");
        }
        return (int)numberOf(least, Integer.MAX_VALUE);
    }

    private long numberOf(final int least, final int most)
    {
        try
        {
            final long number = Long.parseLong(text());
            if (number >= least && number <= most)
            {
                return number;
            }
        }
        catch (final NumberFormatException ignore)
        {
            // The exception is thrown below.
        }
        throw wrong("it must be a whole number from " + least + " to " + most);
    }

    boolean isTrue()
    {
        if (value instanceof Boolean isTrue)
        {
            return isTrue;
        }
        if (!is("true") && !is("false"))
        {
            throw wrong("it must be true or false");
        }
        return is("true");
    }

    String string()
    {
        if (!(value instanceof String))
        {
            throw wrong("it must be a String");
        }
        return text();
    }

    String name()
    {
        if (string().isEmpty())
        {
            throw wrong("it must have at least one character");
        }
        return text();
    }

    boolean either(final String first, final String second)
    {
        if (!string().equals(first) && !text().equals(second))
        {
            throw wrong("it must be " + first + " or " + second);
        }
        return text().equals(first);
    }

    char[] secret()
    {
        if (value instanceof char[] characters)
        {
            return characters.clone();
        }
        return value != null && value.getClass().getName().equals(PASSWORD) ? ofPassword() : string().toCharArray();
    }

    private char[] ofPassword()
    {
        try
        {
            if (value.getClass().getMethod("value").invoke(value) instanceof String secret)
            {
                return secret.toCharArray();
            }
        }
        catch (final ReflectiveOperationException ignore)
        {
            // The exception is thrown below.
        }
        throw wrong("it must be a String");
    }

    Path path()
    {
        try
        {
            return Path.of(string());
        }
        catch (final InvalidPathException ex)
        {
            throw wrong("it must be a path");
        }
    }

    String oneOf(final String... words)
    {
        return Arrays.stream(words).filter(string()::equalsIgnoreCase).findFirst()
            .orElseThrow(() -> wrong("it must be " + alternatives(words)));
    }

    String[] list()
    {
        if (!(value instanceof Collection) && !(value instanceof String))
        {
            throw wrong("it must be a List or a String");
        }
        return text().isEmpty() ? new String[0] : text().split("\\s*,\\s*");
    }

    void listOf(final String... words)
    {
        if (!List.of(words).containsAll(List.of(list())))
        {
            throw wrong("each must be " + alternatives(words));
        }
    }

    private static String alternatives(final String... words)
    {
        final List<String> shown = Arrays.stream(words).map((word) -> word.isEmpty() ? "empty" : word).toList();
        final int last = shown.size() - 1;
        return String.join(", ", shown.subList(0, last)) + " or " + shown.get(last);
    }

    boolean is(final String other)
    {
        return text().equalsIgnoreCase(other);
    }

    String text()
    {
        return value instanceof Collection<?> list ?
            list.stream().map(String::valueOf).collect(Collectors.joining(",")) :
            value instanceof Class<?> type ? type.getName() : String.valueOf(value).trim();
    }

    IllegalArgumentException wrong(final String expected)
    {
        final String type = value == null || value instanceof String || value instanceof Collection ? "" :
            " of type " + value.getClass().getSimpleName();
        final boolean isHidden = isProvided || SECRET.matcher(key).find() ||
            key.endsWith(".url") && SECRET_OF_URL.matcher(text()).find();
        final String shown = value == null ? "not set" : isHidden ? "hidden" : "'" + text() + "'";
        return new IllegalArgumentException(key + " is " + shown + type + ": " + expected);
    }
}
