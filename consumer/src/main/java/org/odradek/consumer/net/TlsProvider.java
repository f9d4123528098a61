// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.net;

import javax.net.ssl.SSLException;

/**
 * Creates the TLS engines of all connections, with the certificates that were valid when it was created.
 */
interface TlsProvider extends AutoCloseable
{
    String TLS_1_3 = "TLSv1.3";

    /**
     * Creates the engine of one connection.
     *
     * @param host that the certificate of the broker must name.
     * @param port of the broker.
     */
    TlsEngine newEngine(String host, int port) throws SSLException;

    /** Whether a protocol is TLS 1.3; it keeps the string out of the classes that encrypt and decrypt. */
    static boolean isTls13(final String protocol)
    {
        return TLS_1_3.equals(protocol);
    }

    /** Frees native memory as soon as no engine uses it. */
    @Override
    void close();
}
