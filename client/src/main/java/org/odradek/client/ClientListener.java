// SPDX-License-Identifier: Apache-2.0
package org.odradek.client;

/**
 * Receives the events of a client's connections, which name no topic, partition or group. A consumer and a publisher
 * have them in common; their own listeners say when the methods are called and what they may do. By default each method
 * does nothing.
 */
public interface ClientListener
{
    /** Ignores all events. */
    ClientListener NONE = new ClientListener()
    {
    };

    /**
     * An established connection was lost. The client reconnects after a backoff.
     *
     * @param nodeId  of the broker, or -1 for a bootstrap address.
     * @param address of the broker, host:port.
     * @param reason  in one sentence.
     */
    default void onConnectionLost(final int nodeId, final String address, final String reason)
    {
    }

    /**
     * A lost connection was re-established.
     *
     * @param nodeId  of the broker, or -1 for a bootstrap address.
     * @param address of the broker, host:port.
     */
    default void onConnectionRestored(final int nodeId, final String address)
    {
    }

    /**
     * A broker refused the client's credentials, or did not prove who it is. The client tries again after a backoff
     * of a second or more; further failures of the same mechanism at this broker are counted only, until an
     * authentication has succeeded.
     *
     * @param nodeId    of the broker, or -1 for a bootstrap address.
     * @param address   of the broker, host:port.
     * @param mechanism of SASL, or TLS if the certificate of either side was refused.
     * @param reason    as the broker reports it, if it does.
     */
    default void onAuthenticationFailed(
        final int nodeId, final String address, final String mechanism, final String reason)
    {
    }

    /**
     * The receive buffer has grown: a response was larger, or the thread waits, so that fetches ask for more bytes.
     *
     * @param nodeId     of the broker.
     * @param fromLength in bytes.
     * @param toLength   in bytes.
     */
    default void onBufferGrown(final int nodeId, final int fromLength, final int toLength)
    {
    }

    /**
     * A broker throttles this client: it sends nothing on this connection until the time has passed.
     *
     * @param nodeId         of the broker.
     * @param throttleTimeMs to wait: the time that the broker demands, two minutes at most.
     */
    default void onThrottled(final int nodeId, final int throttleTimeMs)
    {
    }

    /**
     * Certificate files have changed and cannot be used. Connections are made with the last certificates. The files are
     * read again when they change, and after a minute, which is reported only if the reason is another one.
     *
     * @param reason in one sentence, with the file.
     */
    default void onCertificatesNotReloaded(final String reason)
    {
    }

    /**
     * The token source of OAUTHBEARER has failed, or supplied no usable token. The last good token is used; if there is
     * none, the connection waits for the first. Called once for each reason at each connection, until the source has
     * supplied a token again.
     *
     * @param reason as the end of a sentence, without a secret.
     */
    default void onTokenNotRenewed(final String reason)
    {
    }

    /**
     * The JDK's TLS is used, which allocates for each record, although the settings do not request it. There are two
     * reasons. If BoringSSL cannot be used, this is reported once, after the first handshake; the artifact {@code
     * odradek-native} contains BoringSSL. If the certificate of a broker has a key that BoringSSL refuses, this is
     * reported once for each broker and kind of key.
     *
     * @param reason in one sentence; with the broker and the kind of key if it concerns only this broker.
     */
    default void onTlsFallback(final String reason)
    {
    }

    /**
     * The client discards its metadata and fetches it again from the bootstrap servers, whose names it resolves
     * again. Partitions continue at their next offsets once their leaders are known.
     *
     * @param reason in one sentence: a broker required it (KIP-1102, KIP-1242), or no broker has answered for too long
     *               (KIP-899).
     */
    default void onRebootstrap(final String reason)
    {
    }
}
