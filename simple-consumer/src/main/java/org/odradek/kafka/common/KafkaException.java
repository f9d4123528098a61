// SPDX-License-Identifier: Apache-2.0
package org.odradek.kafka.common;

/** Is thrown if a broker has refused a request, or its response cannot be read. */
public class KafkaException extends RuntimeException
{
    private static final long serialVersionUID = 1L;

    public KafkaException(final String message)
    {
        super(message);
    }

    public KafkaException(final String message, final Throwable cause)
    {
        super(message, cause);
    }
}
