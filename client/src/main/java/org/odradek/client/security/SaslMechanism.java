// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.security;

import javax.security.sasl.SaslException;

/**
 * Authenticates a client to brokers with SASL. One object serves all connections of a client; each authentication has a
 * session of its own. Clients on several threads may share an object, so an implementation must be thread-safe.
 *
 * <p>If an exception of the mechanism or of a session has a cause that is an IOException but not a SaslException, the
 * client does not count it as refused credentials: something that the mechanism needs cannot be reached. The client
 * connects again after a backoff.
 */
public interface SaslMechanism
{
    /** Returns the registered name of the mechanism, such as "PLAIN"; never null. */
    String name();

    /**
     * Begins one authentication. The polling thread calls this method; {@code ClientCounters.AUTHENTICATION_NS} counts
     * the time that the call takes.
     *
     * @param host host of the broker, as in the settings or in the metadata, never the result of a reverse lookup.
     * @return the session, or null if there are no credentials yet; the connection then calls this method again about
     *         100 ms later.
     * @throws SaslException if the mechanism cannot be used. The message of the exception becomes a part of the
     *                       client's error message, so it must contain no secret.
     */
    Session begin(String host) throws SaslException;

    /** Exchanges the messages of one authentication. */
    interface Session
    {
        /**
         * Returns the next message to the broker.
         *
         * @param challenge last message of the broker; empty in the first call.
         * @return the message, which the caller overwrites after it was copied into the request. Null if there is no
         *         message: either {@link #isComplete()} then returns true, or more work remains and the next duty cycle
         *         calls this method again with the same challenge.
         * @throws SaslException if the broker must not be trusted, or the exchange cannot continue. The message of the
         *                       exception becomes a part of the client's error message, so it must contain no secret.
         */
        byte[] respond(byte[] challenge) throws SaslException;

        /**
         * Returns true if the mechanism needs no further message of the broker. The broker may not have accepted the
         * client's last message yet.
         */
        boolean isComplete();

        /**
         * Returns a possible reason why the broker has refused the credentials, which the client appends to the error
         * message; null, the default, if none is known.
         */
        default String hint()
        {
            return null;
        }

        /** Overwrites the secrets of this exchange. The client calls this method once, after the exchange has ended. */
        default void close()
        {
        }
    }
}
