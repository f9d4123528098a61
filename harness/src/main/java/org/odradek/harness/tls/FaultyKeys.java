// SPDX-License-Identifier: Apache-2.0
package org.odradek.harness.tls;

import java.net.Socket;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedKeyManager;

/** A key manager of the JDK that throws before or after a client's call of it, at the steps of a {@link Fault}. */
final class FaultyKeys extends X509ExtendedKeyManager
{
    private final X509ExtendedKeyManager keys;
    private final Fault fault;

    FaultyKeys(final X509ExtendedKeyManager keys, final Fault fault)
    {
        this.keys = keys;
        this.fault = fault;
    }

    @Override
    public String chooseEngineClientAlias(final String[] types, final Principal[] issuers, final SSLEngine engine)
    {
        fault.step("before the choice of a key");
        final String alias = keys.chooseEngineClientAlias(types, issuers, engine);
        fault.step("after the choice of a key");
        return alias;
    }

    @Override
    public String chooseClientAlias(final String[] types, final Principal[] issuers, final Socket socket)
    {
        fault.step("before the choice of a key");
        final String alias = keys.chooseClientAlias(types, issuers, socket);
        fault.step("after the choice of a key");
        return alias;
    }

    @Override
    public X509Certificate[] getCertificateChain(final String alias)
    {
        fault.step("before the certificates are taken");
        final X509Certificate[] chain = keys.getCertificateChain(alias);
        fault.step("after the certificates are taken");
        return chain;
    }

    @Override
    public PrivateKey getPrivateKey(final String alias)
    {
        fault.step("before the key is taken");
        final PrivateKey key = keys.getPrivateKey(alias);
        fault.step("after the key is taken");
        return key;
    }

    @Override
    public String[] getClientAliases(final String type, final Principal[] issuers)
    {
        return keys.getClientAliases(type, issuers);
    }

    @Override
    public String[] getServerAliases(final String type, final Principal[] issuers)
    {
        return keys.getServerAliases(type, issuers);
    }

    @Override
    public String chooseServerAlias(final String type, final Principal[] issuers, final Socket socket)
    {
        return keys.chooseServerAlias(type, issuers, socket);
    }
}
