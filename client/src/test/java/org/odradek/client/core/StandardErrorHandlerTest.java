// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.core;

import org.junit.jupiter.api.Test;
import org.odradek.client.ClientException;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** Tests what users see of an error if they have set no error handler. */
class StandardErrorHandlerTest
{
    private static String written(final Throwable error)
    {
        final PrintStream before = System.err;
        final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        System.setErr(new PrintStream(bytes, true));
        try
        {
            new StandardErrorHandler().onError(error);
        }
        finally
        {
            System.setErr(before);
        }
        return bytes.toString();
    }

    @Test
    void shouldNameWhatAHandlerHasThrown()
    {
        assertEquals("odradek: The handler failed. (java.lang.NullPointerException: no price)\n",
            written(new ClientException("The handler failed.", new NullPointerException("no price"))));
        assertEquals("odradek: The handler failed. (java.lang.NullPointerException)\n",
            written(new ClientException("The handler failed.", new NullPointerException())));
    }

    @Test
    void shouldNotRepeatACauseThatTheMessageContains()
    {
        assertEquals("odradek: Broker 1 cannot be reached: Connection refused.\n", written(
            new ClientException("Broker 1 cannot be reached: Connection refused.",
                new IOException("Connection refused"))));
        assertEquals("odradek: Broker 1 cannot be reached.\n",
            written(new ClientException("Broker 1 cannot be reached.")));
    }

    @Test
    void shouldWriteOneLineWithoutControlCharacters()
    {
        assertEquals("odradek: The handler failed. (java.lang.IllegalStateException: a?b?[2J)\n",
            written(new ClientException("The handler failed.", new IllegalStateException("a\nb\u001b[2J"))));
    }
}
