// SPDX-License-Identifier: Apache-2.0
package org.odradek.harness.tls;

import java.security.InvalidAlgorithmParameterException;
import java.security.KeyStore;
import java.security.KeyStoreException;
import java.security.NoSuchAlgorithmException;
import java.security.Provider;
import java.security.Security;
import java.security.UnrecoverableKeyException;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.KeyManagerFactorySpi;
import javax.net.ssl.ManagerFactoryParameters;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.TrustManagerFactorySpi;
import javax.net.ssl.X509ExtendedKeyManager;
import javax.net.ssl.X509ExtendedTrustManager;

/**
 * Makes all trust and key managers that this JVM creates by default throw at the steps of a {@link Fault}, until it is
 * closed.
 */
public final class FaultyManagers implements AutoCloseable
{
    private static final String NAME = "OdradekFaults";
    private static final String TRUST = "ssl.TrustManagerFactory.algorithm";
    private static final String KEYS = "ssl.KeyManagerFactory.algorithm";

    private final String trustBefore = Security.getProperty(TRUST);
    private final String keysBefore = Security.getProperty(KEYS);

    public FaultyManagers(final Fault fault)
    {
        Security.addProvider(new Faults(fault, trustBefore, keysBefore));
        Security.setProperty(TRUST, NAME);
        Security.setProperty(KEYS, NAME);
    }

    @Override
    public void close()
    {
        Security.setProperty(TRUST, trustBefore);
        Security.setProperty(KEYS, keysBefore);
        Security.removeProvider(NAME);
    }

    /** The provider that the JVM takes the factories from. */
    private static final class Faults extends Provider
    {
        private static final long serialVersionUID = 1L;

        Faults(final Fault fault, final String trust, final String keys)
        {
            super(NAME, "1", "faulty managers");
            putService(new Service(this, "TrustManagerFactory", NAME, FaultyTrustFactory.class.getName(), null, null)
            {
                @Override
                public Object newInstance(final Object parameter) throws NoSuchAlgorithmException
                {
                    return new FaultyTrustFactory(TrustManagerFactory.getInstance(trust), fault);
                }
            });
            putService(new Service(this, "KeyManagerFactory", NAME, FaultyKeyFactory.class.getName(), null, null)
            {
                @Override
                public Object newInstance(final Object parameter) throws NoSuchAlgorithmException
                {
                    return new FaultyKeyFactory(KeyManagerFactory.getInstance(keys), fault);
                }
            });
        }
    }

    /** Makes trust managers. */
    private static final class FaultyTrustFactory extends TrustManagerFactorySpi
    {
        private final TrustManagerFactory factory;
        private final Fault fault;

        FaultyTrustFactory(final TrustManagerFactory factory, final Fault fault)
        {
            this.factory = factory;
            this.fault = fault;
        }

        @Override
        protected void engineInit(final KeyStore store) throws KeyStoreException
        {
            factory.init(store);
        }

        @Override
        protected void engineInit(final ManagerFactoryParameters parameters) throws InvalidAlgorithmParameterException
        {
            factory.init(parameters);
        }

        @Override
        protected TrustManager[] engineGetTrustManagers()
        {
            return new TrustManager[] {
                new FaultyTrust((X509ExtendedTrustManager)factory.getTrustManagers()[0], fault)};
        }
    }

    /** Makes key managers. */
    private static final class FaultyKeyFactory extends KeyManagerFactorySpi
    {
        private final KeyManagerFactory factory;
        private final Fault fault;

        FaultyKeyFactory(final KeyManagerFactory factory, final Fault fault)
        {
            this.factory = factory;
            this.fault = fault;
        }

        @Override
        protected void engineInit(final KeyStore store, final char[] password)
            throws KeyStoreException, NoSuchAlgorithmException, UnrecoverableKeyException
        {
            factory.init(store, password);
        }

        @Override
        protected void engineInit(final ManagerFactoryParameters parameters) throws InvalidAlgorithmParameterException
        {
            factory.init(parameters);
        }

        @Override
        protected KeyManager[] engineGetKeyManagers()
        {
            return new KeyManager[] {new FaultyKeys((X509ExtendedKeyManager)factory.getKeyManagers()[0], fault)};
        }
    }
}
