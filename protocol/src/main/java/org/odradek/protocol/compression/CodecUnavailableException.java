// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.compression;

/**
 * The library of a codec is not on the class path, or its native part cannot be loaded here. Nothing is wrong with the
 * bytes. The message is one sentence that names the artifact.
 */
public final class CodecUnavailableException extends RuntimeException
{
    private static final long serialVersionUID = 1L;

    /**
     * @param message names the artifact and what is wrong with it.
     * @param cause   what the class loader or the library said.
     */
    public CodecUnavailableException(final String message, final Throwable cause)
    {
        super(message, cause);
    }
}
