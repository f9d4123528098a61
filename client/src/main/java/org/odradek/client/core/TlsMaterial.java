// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.core;

import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import javax.net.ssl.X509ExtendedKeyManager;
import javax.net.ssl.X509ExtendedTrustManager;

/**
 * The contents of the stores when they were read: the trusted certificates, and the consumer's own key.
 *
 * @param trustManager checks the chain of a broker, and its host name if the engine is configured for that.
 * @param keyManager   of the consumer's key; null without a key.
 * @param privateKey   of the consumer, or null if there is none or more than one. A key that cannot leave its token has
 *                     a null {@link PrivateKey#getEncoded()}.
 * @param chain        the certificate of the private key first, then those of its issuers; null without the key.
 */
public record TlsMaterial(
    X509ExtendedTrustManager trustManager,
    X509ExtendedKeyManager keyManager,
    PrivateKey privateKey,
    X509Certificate[] chain)
{
    /** Without a secret. */
    @Override
    public String toString()
    {
        return keyManager == null ? "certificates" : "certificates and a key";
    }
}
