// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.security;

/**
 * The implementation of TLS that a client uses.
 */
public enum TlsProviderType
{
    /** {@link #BORINGSSL} if it is available and supports the settings, else {@link #JDK}. */
    AUTO,
    /** BoringSSL through Netty's native library, which allocates nothing for each record. */
    BORINGSSL,
    /** The JDK's implementation, which allocates 1.4 to 3.5 KB for each TLS record. */
    JDK
}
