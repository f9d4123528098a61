/*
 * Licensed under the Apache License, Version 2.0; see the file LICENSE.
 */
package org.odradek.kafka.message;

import org.odradek.kafka.common.KafkaException;

/**
 * What stands in a message set cannot be read.
 */
public final class InvalidMessageException extends KafkaException
{
    private static final long serialVersionUID = 1L;

    public InvalidMessageException(final String message)
    {
        super(message);
    }
}
