// SPDX-License-Identifier: Apache-2.0
package org.odradek.kafka.message;

import org.odradek.kafka.common.KafkaException;

/** Is thrown if a message set cannot be read. */
public final class InvalidMessageException extends KafkaException
{
    private static final long serialVersionUID = 1L;

    public InvalidMessageException(final String message)
    {
        super(message);
    }
}
