// SPDX-License-Identifier: Apache-2.0
package org.odradek.client;

import org.odradek.protocol.PrintableText;

/**
 * An error that the error handler receives. Its message is one sentence that says what happened and where. It has no
 * stack trace, because the message says more than the location in the code.
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
     * @param cause   the exception of a handler, or null.
     */
    public ClientException(final String message, final Throwable cause)
    {
        super(PrintableText.of(message, PrintableText.MAX_SENTENCE_LENGTH), cause, false, false);
    }
}
