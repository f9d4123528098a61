// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.properties;

import org.odradek.client.files.RegularFile;

import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/**
 * Copies the properties of a kafka-clients consumer and replaces the variables in their values: ${env:NAME},
 * ${file:/path:key} and ${dir:/path:file}, with the names that config.providers defines (KIP-297, KIP-421, KIP-887). No
 * message of this class contains what a provider has returned.
 */
final class ConfigProviders
{
    private static final String PROVIDERS = "config.providers";
    private static final String PACKAGE = "org.apache.kafka.common.config.provider.";
    private static final String FILE = PACKAGE + "FileConfigProvider";
    private static final String DIRECTORY = PACKAGE + "DirectoryConfigProvider";
    private static final String ENVIRONMENT = PACKAGE + "EnvVarConfigProvider";
    private static final String ALLOWED_PATHS = "allowed.paths";
    private static final String ALLOWED_NAMES = "allowlist.pattern";
    /**
     * Kafka's system property that lists the classes of providers that properties may name; if it is not set, all are
     * allowed.
     */
    private static final String ALLOWED_CLASSES = "org.apache.kafka.automatic.config.providers";
    /** Kafka's pattern of a variable: the name of the provider, a path if there is one, and a key. */
    private static final Pattern VARIABLE = Pattern.compile("\\$\\{([^}]*?):(?:([^}]*?):)?([^}]*?)}");

    private interface Provider
    {
        /** @param path the path, or null if the variable has none. */
        String value(String path, String name);
    }

    private final TreeMap<String, KafkaValue> values = new TreeMap<>();
    private final Map<String, Provider> providers = new HashMap<>();
    private final Consumer<? super String> notes;

    private ConfigProviders(final Consumer<? super String> notes)
    {
        this.notes = notes;
    }

    /**
     * Returns the values by key, in the order of the keys.
     *
     * @param notes receives a sentence for each variable that is not replaced.
     * @throws IllegalArgumentException if a value cannot be found or a key is wrong.
     */
    static Map<String, KafkaValue> values(final Map<?, ?> properties, final Consumer<? super String> notes)
    {
        final ConfigProviders reading = new ConfigProviders(notes);
        reading.copy(properties);
        reading.readProviders();
        reading.values.replaceAll((key, value) -> reading.replaceVariables(value));
        return reading.values;
    }

    private void copy(final Map<?, ?> properties)
    {
        if (properties instanceof Properties withDefaults)
        {
            withDefaults.stringPropertyNames().forEach(
                (key) -> values.put(key, new KafkaValue(key, withDefaults.getProperty(key))));
        }
        for (final Map.Entry<?, ?> entry : properties.entrySet())
        {
            if (!(entry.getKey() instanceof String key))
            {
                throw new IllegalArgumentException(
                    "key " + entry.getKey() + " is not a String, as all keys of Kafka are");
            }
            // A null value counts as not set.
            if (entry.getValue() != null)
            {
                values.put(key, new KafkaValue(key, entry.getValue()));
            }
        }
    }

    private void readProviders()
    {
        final KafkaValue names = values.remove(PROVIDERS);
        for (final String name : names == null ? new String[0] : names.list())
        {
            final String prefix = PROVIDERS + '.' + name + '.';
            providers.put(name, provider(removed(prefix + "class"),
                removed(prefix + "param." + ALLOWED_PATHS), removed(prefix + "param." + ALLOWED_NAMES)));
        }
    }

    private KafkaValue removed(final String key)
    {
        final KafkaValue value = values.remove(key);
        return value == null ? new KafkaValue(key, null) : value;
    }

    private static Provider provider(
        final KafkaValue className, final KafkaValue allowedPaths, final KafkaValue allowedNames)
    {
        final String type = className.text();
        if (!List.of(FILE, DIRECTORY, ENVIRONMENT).contains(type))
        {
            throw className.wrong("it must be FileConfigProvider, DirectoryConfigProvider or EnvVarConfigProvider of " +
                PACKAGE.substring(0, PACKAGE.length() - 1) + ", because other providers are not supported");
        }
        if (!isListed(ALLOWED_CLASSES, type, type))
        {
            throw className.wrong("the system property " + ALLOWED_CLASSES + " does not list this class, so " +
                "properties must not name it");
        }
        final List<Path> paths = allowedPaths(allowedPaths);
        final Pattern names = allowedNames(allowedNames);
        return type.equals(ENVIRONMENT) ? (path, name) -> environmentVariable(names, path, name) :
            (path, name) -> entryOf(type.equals(DIRECTORY), allowed(paths, path), name);
    }

    /**
     * @param property  the name of a system property whose value is a list separated by commas.
     * @param otherwise the list to use if the property is not set.
     */
    static boolean isListed(final String property, final String otherwise, final String text)
    {
        return List.of(new KafkaValue(property, System.getProperty(property, otherwise)).list()).contains(text);
    }

    /** @return null if all paths are allowed. */
    private static List<Path> allowedPaths(final KafkaValue value)
    {
        if (value.value() == null || value.list().length == 0)
        {
            return null;
        }
        final List<Path> paths = new ArrayList<>();
        for (final String text : value.list())
        {
            final Path path = Path.of(text);
            if (!path.isAbsolute() || !path.normalize().equals(path) || !Files.exists(path))
            {
                throw value.wrong("each must be an absolute path that exists, without . and ..");
            }
            paths.add(path);
        }
        return paths;
    }

    private static Pattern allowedNames(final KafkaValue value)
    {
        try
        {
            return value.value() == null ? null : Pattern.compile(value.string());
        }
        catch (final PatternSyntaxException ex)
        {
            throw value.wrong("it must be a regular expression");
        }
    }

    private KafkaValue replaceVariables(final KafkaValue value)
    {
        if (value.key().startsWith(PROVIDERS + '.') || !(value.value() instanceof String text))
        {
            return value;
        }
        final Matcher variable = VARIABLE.matcher(text);
        final StringBuilder replaced = new StringBuilder();
        boolean isProvided = false;
        while (variable.find())
        {
            final Provider provider = providers.get(variable.group(1));
            if (provider == null)
            {
                // The text may be part of a password, so the note does not contain it.
                notes.accept(value.key() + " has a variable whose provider config.providers does not name: " +
                    "the variable is left as it is");
            }
            isProvided |= provider != null;
            variable.appendReplacement(replaced, Matcher.quoteReplacement(
                provider == null ? variable.group() : provided(value.key(), provider, variable)));
        }
        return isProvided ? new KafkaValue(value.key(), variable.appendTail(replaced).toString(), true) : value;
    }

    private static String provided(final String key, final Provider provider, final Matcher variable)
    {
        try
        {
            return provider.value(variable.group(2), variable.group(3));
        }
        catch (final IllegalArgumentException ex)
        {
            throw new IllegalArgumentException(key + " has the variable " + variable.group() + ": " + ex.getMessage());
        }
    }

    private static String environmentVariable(final Pattern allowedNames, final String path, final String name)
    {
        if (path != null)
        {
            throw new IllegalArgumentException("an environment variable has no path");
        }
        if (allowedNames != null && !allowedNames.matcher(name).matches())
        {
            throw new IllegalArgumentException(ALLOWED_NAMES + " of its provider does not match " + name);
        }
        final String value = System.getenv(name);
        if (value == null)
        {
            throw new IllegalArgumentException("the environment has no such variable");
        }
        return value;
    }

    private static Path allowed(final List<Path> allowedPaths, final String text)
    {
        if (text == null || text.isEmpty())
        {
            throw new IllegalArgumentException("it must have a path and a key, with a colon between them");
        }
        try
        {
            final Path path = Path.of(text).normalize();
            if (allowedPaths == null || allowedPaths.stream().anyMatch(path::startsWith))
            {
                return path;
            }
        }
        catch (final InvalidPathException ex)
        {
            throw new IllegalArgumentException("its path is impossible");
        }
        throw new IllegalArgumentException("its path is not below one of " + ALLOWED_PATHS + " of its provider");
    }

    private static String entryOf(final boolean isDirectory, final Path path, final String name)
    {
        if (isDirectory && (name.isEmpty() || !Path.of(name).equals(Path.of(name).getFileName())
            || name.equals("..") || name.equals(".")))
        {
            throw new IllegalArgumentException("its key must be the name of a file in the directory");
        }
        try
        {
            if (isDirectory)
            {
                return RegularFile.readText(path.resolve(name), RegularFile.MAX_PROPERTIES_LENGTH);
            }
            final Properties file = new Properties();
            file.load(new StringReader(RegularFile.readText(path, RegularFile.MAX_PROPERTIES_LENGTH)));
            if (file.getProperty(name) == null)
            {
                throw new IllegalArgumentException("the file has no such key");
            }
            return file.getProperty(name);
        }
        catch (final IOException ex)
        {
            throw new IllegalArgumentException("the file cannot be read (" + ex + ")");
        }
    }
}
