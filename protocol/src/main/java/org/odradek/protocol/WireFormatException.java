// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol;

/**
 * Bytes from the wire that cannot be what they claim to be: a length, count or value that does not fit where it stands.
 * The message names the field, what was found, what would have been right, and the index in the frame.
 */
public final class WireFormatException extends RuntimeException
{
    private static final long serialVersionUID = 1L;

    /** @param message what was found where, and what would have been right. */
    public WireFormatException(final String message)
    {
        super(message);
    }
}
