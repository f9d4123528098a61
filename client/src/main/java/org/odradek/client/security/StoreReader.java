// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.security;

import org.odradek.client.core.TlsMaterial;

import java.security.GeneralSecurityException;
import java.security.InvalidKeyException;
import java.security.Key;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.SignatureException;
import java.security.UnrecoverableKeyException;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedKeyManager;
import javax.net.ssl.X509ExtendedTrustManager;

final class StoreReader
{
    private static final Map<String, String> SIGNATURES =
        Map.of("RSA", "SHA256withRSA", "EC", "SHA256withECDSA", "EdDSA", "EdDSA");

    /**
     * The message that is signed; it is not empty, because the JDK's EdDSA finds no signature of an empty message
     * valid.
     */
    private static final byte[] MESSAGE = {1};

    private StoreReader()
    {
    }

    static TlsMaterial load(final CertificateStore trust, final CertificateStore key)
    {
        final X509ExtendedTrustManager trusted = trustManager(trust);
        if (key == null)
        {
            return new TlsMaterial(trusted, null, null, null);
        }
        final KeyStore store = key.load(true);
        try
        {
            final List<String> aliases = new ArrayList<>();
            for (final String alias : Collections.list(store.aliases()))
            {
                if (store.entryInstanceOf(alias, KeyStore.PrivateKeyEntry.class))
                {
                    aliases.add(alias);
                    if (store.getCertificateChain(alias) == null)
                    {
                        throw key.wrong("its key " + alias + " has no certificate" + key.passwordHint(), null);
                    }
                }
            }
            if (aliases.isEmpty())
            {
                throw key.wrong("it holds no private key", null);
            }
            final KeyManagerFactory factory = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            factory.init(store, key.secret());
            // From several keys the JDK chooses a key that the broker accepts, so the material does not name a key.
            final Key only = aliases.size() == 1 ? store.getKey(aliases.get(0), key.secret()) : null;
            final X509Certificate[] chain = only == null ? null :
                Arrays.stream(store.getCertificateChain(aliases.get(0))).toArray(X509Certificate[]::new);
            if (only != null && !isPair((PrivateKey)only, chain[0].getPublicKey()))
            {
                throw key.wrong("its key does not belong to its first certificate", null);
            }
            return new TlsMaterial(
                trusted, extended(factory.getKeyManagers(), X509ExtendedKeyManager.class, factory.getAlgorithm()),
                (PrivateKey)only, chain);
        }
        catch (final UnrecoverableKeyException ex)
        {
            throw key.wrong("the password of its key is wrong", ex);
        }
        catch (final GeneralSecurityException ex)
        {
            throw key.wrong(ex.getMessage(), ex);
        }
    }

    /**
     * Returns true if the certified key verifies a signature of the private key. A private key that cannot be exported,
     * or whose algorithm is not RSA, EC or EdDSA, is not checked: the result is true.
     */
    private static boolean isPair(final PrivateKey key, final PublicKey certified) throws GeneralSecurityException
    {
        final String algorithm = key.getEncoded() == null ? null : SIGNATURES.get(key.getAlgorithm());
        if (algorithm == null)
        {
            return true;
        }
        final Signature signature = Signature.getInstance(algorithm);
        signature.initSign(key);
        signature.update(MESSAGE);
        final byte[] signed = signature.sign();
        try
        {
            signature.initVerify(certified);
            signature.update(MESSAGE);
            return signature.verify(signed);
        }
        catch (final InvalidKeyException | SignatureException ex)
        {
            // The certified key has another algorithm or length than the private key.
            return false;
        }
    }

    private static <T> T extended(final Object[] managers, final Class<T> type, final String algorithm)
    {
        return Arrays.stream(managers).filter(type::isInstance).map(type::cast).findFirst().orElseThrow(() ->
            new IllegalStateException("the JVM's " + algorithm + " has no " + type.getSimpleName()));
    }

    private static X509ExtendedTrustManager trustManager(final CertificateStore trust)
    {
        final KeyStore store = trust == null ? null : trust.load(false);
        try
        {
            if (store != null && store.size() == 0)
            {
                throw trust.wrong("it holds no certificate" + trust.passwordHint(), null);
            }
            final TrustManagerFactory factory =
                TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            factory.init(store);
            return extended(factory.getTrustManagers(), X509ExtendedTrustManager.class, factory.getAlgorithm());
        }
        catch (final GeneralSecurityException ex)
        {
            if (trust == null)
            {
                throw new IllegalArgumentException("the JVM's own trust store is not usable: " + ex.getMessage(), ex);
            }
            throw trust.wrong(ex.getMessage(), ex);
        }
    }
}
