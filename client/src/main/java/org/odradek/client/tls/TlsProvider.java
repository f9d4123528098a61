// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.tls;

import java.util.List;
import javax.net.ssl.SSLException;

/** Creates the TLS engines of connections. */
interface TlsProvider extends AutoCloseable
{
    String TLS_1_3 = "TLSv1.3";
    String DISABLED_ALGORITHMS = "jdk.tls.disabledAlgorithms";
    /** The cipher suites of TLS 1.2 with which BoringSSL is used unless the settings name others. */
    List<String> TLS_1_2_SUITES = List.of(
        "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384", "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384",
        "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256", "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256",
        "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256", "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256");

    TlsEngine newEngine(String host, int port) throws SSLException;

    /** Notifies the listener of events that handshakes have caused. */
    default void report()
    {
    }

    /** Frees native memory as soon as no engine uses it. */
    @Override
    void close();
}
