// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.tls;

import java.net.Socket;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedKeyManager;

/**
 * Supplies the key of the client, if there is one, and notes whether a peer has requested a certificate. The JDK's
 * engine requests the key only if the peer has requested a certificate, and does not report that request in another
 * way.
 */
final class RequestedKeys extends X509ExtendedKeyManager
{
    private final X509ExtendedKeyManager keys;
    boolean isRequested;

    /** @param keys key manager of the client's key, or null if there is no key. */
    RequestedKeys(final X509ExtendedKeyManager keys)
    {
        this.keys = keys;
    }

    void forget()
    {
        isRequested = false;
    }

    @Override
    public String chooseEngineClientAlias(final String[] keyTypes, final Principal[] issuers, final SSLEngine engine)
    {
        isRequested = true;
        return keys == null ? null : keys.chooseEngineClientAlias(keyTypes, issuers, engine);
    }

    @Override
    public X509Certificate[] getCertificateChain(final String alias)
    {
        return keys == null ? null : keys.getCertificateChain(alias);
    }

    @Override
    public PrivateKey getPrivateKey(final String alias)
    {
        return keys == null ? null : keys.getPrivateKey(alias);
    }

    @Override
    public String[] getClientAliases(final String keyType, final Principal[] issuers)
    {
        return keys == null ? null : keys.getClientAliases(keyType, issuers);
    }

    @Override
    public String chooseClientAlias(final String[] keyTypes, final Principal[] issuers, final Socket socket)
    {
        throw new UnsupportedOperationException();
    }

    @Override
    public String[] getServerAliases(final String keyType, final Principal[] issuers)
    {
        throw new UnsupportedOperationException();
    }

    @Override
    public String chooseServerAlias(final String keyType, final Principal[] issuers, final Socket socket)
    {
        throw new UnsupportedOperationException();
    }
}
