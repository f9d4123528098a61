// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.security;

import javax.security.sasl.SaslException;

/**
 * Authenticates the consumer to brokers. One object serves all connections of a consumer, each with a session of its
 * own. Consumers on several threads may share it.
 */
public interface SaslMechanism
{
    /** The registered name of the mechanism, such as PLAIN. */
    String name();

    /**
     * Begins one authentication, on the polling thread. The time that this takes is counted
     * ({@code ClientCounters.AUTHENTICATION_NS}).
     *
     * @param host of the broker as configured or as metadata names it; it is never looked up in reverse.
     * @return the exchange, or null if there are no credentials yet: the connection tries again after a short wait.
     * @throws SaslException if the mechanism cannot be used; its message is the end of a sentence, without a secret.
     */
    Session begin(String host) throws SaslException;

    /** The messages of one authentication. */
    interface Session
    {
        /**
         * Returns the next message to the broker.
         *
         * @param challenge of the broker; empty the first time.
         * @return the message, which the caller overwrites after sending it; or null if there is none: then the
         *     exchange is complete, or more work remains, and this is called again with the same challenge in the
         *     next duty cycle.
         * @throws SaslException if the broker must not be trusted, or the exchange cannot continue; its message is the
         *     end of a sentence, without a secret.
         */
        byte[] respond(byte[] challenge) throws SaslException;

        /**
         * Returns true if no further message of the broker is needed: it has proved what the mechanism requires. The
         * broker may still have to accept a message that is being sent.
         */
        boolean isComplete();

        /** Returns a possible reason why the broker refuses the credentials, as the end of a sentence, or null. */
        default String hint()
        {
            return null;
        }

        /** Overwrites the secrets of this exchange. Called once, when it has ended. */
        default void close()
        {
        }
    }
}
