// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.core;

import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import javax.net.ssl.X509ExtendedKeyManager;
import javax.net.ssl.X509ExtendedTrustManager;

/**
 * Holds what the certificate stores contained when they were read.
 *
 * @param trustManager checks the chain of a broker, and its host name if the engine is configured for that.
 * @param keyManager   key manager of the client's key; null if there is no key.
 * @param privateKey   private key of the client, or null if there is none or more than one. {@link
 *                     PrivateKey#getEncoded()} is null for a key that cannot leave its token.
 * @param chain        certificate of the private key first, then those of its issuers; null if {@code privateKey} is
 *                     null.
 */
public record TlsMaterial(
    X509ExtendedTrustManager trustManager,
    X509ExtendedKeyManager keyManager,
    PrivateKey privateKey,
    X509Certificate[] chain)
{
    @Override
    public String toString()
    {
        return keyManager == null ? "certificates" : "certificates and a key";
    }
}
