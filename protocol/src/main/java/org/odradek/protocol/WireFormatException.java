// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol;

/**
 * Thrown if a response is malformed: a length, count or value does not fit. The message contains the field, the value
 * that was found, the values that were expected, and the index in the frame.
 */
public class WireFormatException extends RuntimeException
{
    private static final long serialVersionUID = 1L;

    /** @param message what was found, where, and what was expected. */
    public WireFormatException(final String message)
    {
        super(message);
    }
}
