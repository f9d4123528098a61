// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.properties;

import org.odradek.client.files.RegularFile;

import java.io.IOException;
import java.io.StreamTokenizer;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import javax.security.auth.login.AppConfigurationEntry;
import javax.security.auth.login.Configuration;

/**
 * One login module and its options, from Kafka's key sasl.jaas.config or from the login configuration of the JVM.
 *
 * @param options the options by name; the values may be secrets.
 */
record JaasConfig(String module, Map<String, String> options)
{
    static final String CLIENT = "KafkaClient";
    static final String FILE_PROPERTY = "java.security.auth.login.config";

    /** @throws IllegalArgumentException if the configuration is wrong; the message contains no value. */
    static JaasConfig parse(final String text)
    {
        final StreamTokenizer tokens = new StreamTokenizer(new StringReader(text));
        tokens.ordinaryChars('0', '9');
        tokens.ordinaryChar('.');
        tokens.ordinaryChar('-');
        tokens.wordChars('0', '9');
        for (final char letter : ".-_$*+".toCharArray())
        {
            tokens.wordChars(letter, letter);
        }
        tokens.slashSlashComments(true);
        tokens.slashStarComments(true);
        try
        {
            return read(tokens);
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }

    /**
     * Reads the entry {@value #CLIENT} of the JVM's own login configuration, usually the file that the system property
     * {@value #FILE_PROPERTY} names.
     *
     * @return null if there is no such configuration or entry.
     */
    static JaasConfig ofJvm()
    {
        checkFile(System.getProperty(FILE_PROPERTY));
        final AppConfigurationEntry[] entries;
        try
        {
            entries = Configuration.getConfiguration().getAppConfigurationEntry(CLIENT);
        }
        catch (final SecurityException ex)
        {
            // The JDK throws this if there is no file, or if it cannot read the file.
            if (System.getProperty(FILE_PROPERTY) == null)
            {
                return null;
            }
            throw new IllegalArgumentException(FILE_PROPERTY + " names a file that cannot be read", ex);
        }
        if (entries == null)
        {
            return null;
        }
        if (entries.length != 1)
        {
            throw new IllegalArgumentException("it has more than one login module");
        }
        final Map<String, String> options = new LinkedHashMap<>();
        entries[0].getOptions().forEach((name, value) -> options.put(name, String.valueOf(value)));
        return new JaasConfig(entries[0].getLoginModuleName(), options);
    }

    /**
     * Throws if the value is the path of something other than a regular file, because the JDK would wait for the writer
     * of a pipe.
     */
    private static void checkFile(final String value)
    {
        if (value == null)
        {
            return;
        }
        final String name = value.startsWith("=") ? value.substring(1) : value;
        try
        {
            RegularFile.check(name.startsWith("file:") ? Path.of(URI.create(name)) : Path.of(name));
        }
        catch (final NoSuchFileException | IllegalArgumentException ignore)
        {
            // The value is another kind of address, or has a variable. The JDK reports an address that it cannot read.
        }
        catch (final IOException ex)
        {
            throw new IllegalArgumentException(FILE_PROPERTY + " names a file that cannot be read (" + ex + ")", ex);
        }
    }

    private static JaasConfig read(final StreamTokenizer tokens) throws IOException
    {
        final String module = word(tokens, "a login module");
        final String flag = word(tokens, "required, requisite, sufficient or optional after the login module");
        if (!flag.matches("(?i)required|requisite|sufficient|optional"))
        {
            throw new IllegalArgumentException(
                "it has no required, requisite, sufficient or optional after the login module");
        }
        final Map<String, String> options = new LinkedHashMap<>();
        while (tokens.nextToken() != ';')
        {
            tokens.pushBack();
            // This word may be part of a password that lacks its quotes, so the message does not contain it.
            final int number = options.size() + 1;
            final String name = word(tokens, "the name of an option, or a semicolon at its end");
            if (tokens.nextToken() != '=')
            {
                throw new IllegalArgumentException("it has no = after the name of option " + number);
            }
            options.put(name, word(tokens, "a value of option " + number));
        }
        if (tokens.nextToken() != StreamTokenizer.TT_EOF)
        {
            throw new IllegalArgumentException("it has more than one login module");
        }
        return new JaasConfig(module, options);
    }

    private static String word(final StreamTokenizer tokens, final String what) throws IOException
    {
        final int type = tokens.nextToken();
        if (type != StreamTokenizer.TT_WORD && type != '"' && type != '\'')
        {
            throw new IllegalArgumentException("it lacks " + what);
        }
        return tokens.sval;
    }

    @Override
    public String toString()
    {
        return module;
    }
}
