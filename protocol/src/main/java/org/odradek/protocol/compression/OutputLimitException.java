// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.compression;

import org.odradek.protocol.WireFormatException;

/**
 * Thrown if bytes decompress, or claim to decompress, to more than they may. They may be valid. The message contains
 * the limit.
 */
public final class OutputLimitException extends WireFormatException
{
    private static final long serialVersionUID = 1L;

    /** @param message that contains the limit. */
    public OutputLimitException(final String message)
    {
        super(message);
    }
}
