// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.core;

import org.agrona.ErrorHandler;
import org.odradek.protocol.PrintableText;

/**
 * Writes the message of each error to the standard error stream, with the cause if the message does not contain the
 * message of the cause.
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
