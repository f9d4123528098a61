// SPDX-License-Identifier: Apache-2.0
package org.odradek.client;

/**
 * Receives the events of a client's connections. The listeners of consumers and of publishers extend this interface;
 * their javadoc states which thread calls the methods and what a method may do. By default each method does nothing.
 */
public interface ClientListener
{
    /** Ignores all events. */
    ClientListener NONE = new ClientListener()
    {
    };

    /**
     * An established connection was lost.
     *
     * @param nodeId  id of the broker, or -1 for a bootstrap server.
     * @param address host:port of the broker.
     * @param reason  the end of a sentence, such as "no response within 30000 ms".
     */
    default void onConnectionLost(final int nodeId, final String address, final String reason)
    {
    }

    /**
     * A lost connection was re-established.
     *
     * @param nodeId  id of the broker, or -1 for a bootstrap server.
     * @param address host:port of the broker.
     */
    default void onConnectionRestored(final int nodeId, final String address)
    {
    }

    /**
     * An authentication has failed, for example because the broker refused the client's credentials. The client tries
     * again after a backoff of a second or more. Further failures of the same mechanism at this broker are counted but
     * cause no event, until a connection to this broker succeeds.
     *
     * @param nodeId    id of the broker, or -1 for a bootstrap server.
     * @param address   host:port of the broker.
     * @param mechanism name of the SASL mechanism; "TLS" if TLS has failed, or if {@code allowedHosts} does not match
     *                  the host.
     * @param reason    what the broker reported, or what the client found wrong.
     */
    default void onAuthenticationFailed(
        final int nodeId, final String address, final String mechanism, final String reason)
    {
    }

    /**
     * The receive buffer of a connection has grown, because a response was larger than the buffer, or because the
     * client asks for larger responses from now on.
     *
     * @param nodeId     id of the broker, or -1 for a bootstrap server.
     * @param fromLength length before, in bytes.
     * @param toLength   new length, in bytes.
     */
    default void onBufferGrown(final int nodeId, final int fromLength, final int toLength)
    {
    }

    /**
     * A broker throttles a connection of this client. The client delays the next request on that connection until the
     * throttle time has passed.
     *
     * @param nodeId         id of the broker, or -1 for a bootstrap server.
     * @param throttleTimeMs time in milliseconds that the broker demands, but at most 120,000 (two minutes).
     */
    default void onThrottled(final int nodeId, final int throttleTimeMs)
    {
    }

    /**
     * Certificate files have changed and cannot be used. New connections use the previous certificates. Before a later
     * connection the files are read again if they have changed again or a minute has passed. A further failure of the
     * same files causes an event only if its reason differs.
     *
     * @param reason what is wrong with the files.
     */
    default void onCertificatesNotReloaded(final String reason)
    {
    }

    /**
     * The token source of OAUTHBEARER has failed, or has supplied a token that cannot be used. The last valid token is
     * used; while there is none, connections wait for a token. A connection does not report the same reason twice in a
     * row.
     *
     * @param reason the end of a sentence, which contains the message of the source's IOException, if there is one.
     */
    default void onTokenNotRenewed(final String reason)
    {
    }

    /**
     * The client uses the JDK's TLS, which allocates memory for each TLS record, although the settings do not request
     * the provider JDK. If BoringSSL cannot be used, the event occurs once, after the first handshake; the artifact
     * {@code odradek-native} contains BoringSSL. If BoringSSL refuses the kind of key in a broker's certificate, the
     * event occurs once for each broker and kind of key.
     *
     * @param reason one sentence, which names the broker and the kind of key if only that broker is affected.
     */
    default void onTlsFallback(final String reason)
    {
    }

    /**
     * The client discards its metadata, resolves the names of the bootstrap servers again, and fetches the metadata
     * from these servers. The partitions of a consumer continue at their next offsets once their leaders are known.
     *
     * @param reason the end of a sentence: a broker required the rebootstrap (KIP-1102, KIP-1242), or no broker has
     *               answered for too long (KIP-899).
     */
    default void onRebootstrap(final String reason)
    {
    }
}
