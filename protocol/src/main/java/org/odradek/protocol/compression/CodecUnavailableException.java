// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.compression;

/**
 * Thrown if the library of a codec is not on the class path, or its native part cannot be loaded, or there is no memory
 * for what it would decompress. The compressed bytes may be valid. The message names the artifact or the length.
 */
public final class CodecUnavailableException extends RuntimeException
{
    private static final long serialVersionUID = 1L;

    private final boolean isMemoryMissing;

    /** Memory is missing; the message names the length. */
    CodecUnavailableException(final String message)
    {
        super(message);
        isMemoryMissing = true;
    }

    /** The library is missing or cannot be loaded; the message names the artifact, and what is wrong with it. */
    CodecUnavailableException(final String message, final Throwable cause)
    {
        super(message, cause);
        isMemoryMissing = false;
    }

    /** Returns true if memory is missing, and false if the library is missing or cannot be loaded. */
    public boolean isMemoryMissing()
    {
        return isMemoryMissing;
    }
}
