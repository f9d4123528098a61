// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.handler;

/**
 * What the error handler is given: one sentence that says what was wrong and where. It has no stack trace, because
 * the place in the code says nothing that the sentence does not.
 */
public final class ConsumerException extends RuntimeException
{
    private static final long serialVersionUID = 1L;

    /**
     * @param message the sentence.
     */
    public ConsumerException(final String message)
    {
        this(message, null);
    }

    /**
     * @param message the sentence.
     * @param cause   what a handler threw, or null.
     */
    public ConsumerException(final String message, final Throwable cause)
    {
        super(message, cause, false, false);
    }
}
