// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

import java.io.IOException;
import java.io.StreamTokenizer;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * One login module and its options, as Kafka's key sasl.jaas.config gives them: {@code module flag key="value" ...;}.
 *
 * @param module  class name.
 * @param options by name; values may be secret.
 */
record JaasConfig(String module, Map<String, String> options)
{
    /**
     * @throws IllegalArgumentException with what is wrong, without a value.
     */
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
            final String name = word(tokens, "the name of an option, or a semicolon at its end");
            if (tokens.nextToken() != '=')
            {
                throw new IllegalArgumentException("it has no = after the option " + name);
            }
            options.put(name, word(tokens, "a value of the option " + name));
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

    /** The module, without the options. */
    @Override
    public String toString()
    {
        return module;
    }
}
