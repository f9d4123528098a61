// SPDX-License-Identifier: Apache-2.0
package org.odradek.client;

import org.odradek.protocol.PrintableText;

/**
 * Reports an error to the error handler. Some calls also throw this exception, such as the creation of a client if no
 * bootstrap server has an address. The message states what happened and where; the exception has no stack trace.
 */
public class ClientException extends RuntimeException
{
    private static final long serialVersionUID = 1L;

    /** @param message one sentence. */
    public ClientException(final String message)
    {
        this(message, null);
    }

    /**
     * @param message one sentence.
     * @param cause   cause of the error, or null if there is none.
     */
    public ClientException(final String message, final Throwable cause)
    {
        super(PrintableText.of(message, PrintableText.MAX_SENTENCE_LENGTH), cause, false, false);
    }
}
