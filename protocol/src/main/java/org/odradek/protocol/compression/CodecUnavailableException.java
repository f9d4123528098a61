// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.compression;

/**
 * Thrown if the library of a codec is not on the class path, or its native part cannot be loaded, or there is no memory
 * for what it would decompress. The compressed bytes may be valid. The message names the artifact or the length.
 */
public final class CodecUnavailableException extends RuntimeException
{
    private static final long serialVersionUID = 1L;

    /**
     * @param message names the artifact or the length, and what is wrong with it.
     * @param cause   exception of the class loader or the library, or null.
     */
    public CodecUnavailableException(final String message, final Throwable cause)
    {
        super(message, cause);
    }
}
