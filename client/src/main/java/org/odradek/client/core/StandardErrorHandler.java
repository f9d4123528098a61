// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.core;

import org.agrona.ErrorHandler;
import org.odradek.protocol.PrintableText;

/**
 * Writes each error to the standard error stream, as one line. The line contains the cause if the message does not,
 * because an exception of a handler would otherwise not be shown.
 */
public final class StandardErrorHandler implements ErrorHandler
{
    @Override
    public void onError(final Throwable error)
    {
        System.err.println("odradek: " + sentence(String.valueOf(error.getMessage()), error.getCause()));
    }

    private static String sentence(final String message, final Throwable cause)
    {
        return cause == null || cause.getMessage() != null && message.contains(cause.getMessage()) ? message :
            message + " (" + PrintableText.of(cause.toString(), PrintableText.MAX_SENTENCE_LENGTH) + ")";
    }
}
