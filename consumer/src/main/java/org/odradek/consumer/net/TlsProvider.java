// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.net;

import javax.net.ssl.SSLException;

/**
 * Creates the TLS engines of all connections, with the certificates that were valid when it was created.
 */
interface TlsProvider extends AutoCloseable
{
    /**
     * Creates the engine of one connection.
     *
     * @param host that the certificate of the broker must name.
     * @param port of the broker.
     */
    TlsEngine newEngine(String host, int port) throws SSLException;

    /** Frees native memory as soon as no engine uses it. */
    @Override
    void close();
}
