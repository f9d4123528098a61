// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.security;

/**
 * A way to prove to a broker who the consumer is. One object serves all connections of a consumer, each with a session
 * of its own.
 */
public interface SaslMechanism
{
    /** The name that brokers know it by, such as PLAIN. */
    String name();

    /**
     * Begins one authentication, on the polling thread.
     *
     * @param host of the broker as configured or as metadata names it; it is never looked up in reverse.
     */
    Session begin(String host);

    /** The exchange of one authentication. */
    interface Session
    {
        /**
         * Returns the next message to the broker.
         *
         * @param challenge of the broker; empty the first time.
         * @return the message, or null if the exchange is complete and nothing more is to be sent.
         */
        byte[] respond(byte[] challenge);

        /** Whether the broker has proved what the mechanism requires of it. */
        boolean isComplete();
    }
}
