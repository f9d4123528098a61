// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.security;

import org.apache.kafka.common.security.scram.internals.ScramFormatter;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.lang.reflect.AccessibleObject;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.InvalidKeyException;
import java.security.Key;
import java.security.Provider;
import java.security.Security;
import java.security.spec.AlgorithmParameterSpec;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import javax.crypto.Mac;
import javax.crypto.MacSpi;
import javax.security.sasl.SaslException;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** What SCRAM derives from the password is overwritten. A provider before the JDK's sees what the JDK returns. */
class ScramSecretsTest
{
    private static final String PASSWORD = "pencil";
    private static final String SALT = "W22ZaJ0SNY7soEsUEjb6gQ==";
    private static final int ITERATIONS = 4_096;
    private static final String NONCE = "rOprNGfwEbeRWgbNEkqO";
    private static final String SERVER_FIRST =
        "r=" + NONCE + "%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=" + SALT + ",i=" + ITERATIONS;
    private static final String SIGNATURE = "6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=";

    private final Provider provider = new KeepingProvider();
    private final ScramMechanism mechanism = ScramMechanism.scramSha256("user", PASSWORD.toCharArray());

    /** The JDK's HMAC, whose results are kept. */
    private static final class KeepingProvider extends Provider
    {
        private static final long serialVersionUID = 1;

        KeepingProvider()
        {
            super("Keeping", "1", "keeps what HMACs return");
            put("Mac.HmacSHA256", KeepingMac.class.getName());
        }
    }

    /** Public, because the JDK makes it. */
    public static final class KeepingMac extends MacSpi
    {
        private static final List<byte[]> RESULTS = new ArrayList<>();

        private final Mac mac = ofJdk();

        private static Mac ofJdk()
        {
            try
            {
                return Mac.getInstance("HmacSHA256", "SunJCE");
            }
            catch (final GeneralSecurityException ex)
            {
                throw new IllegalStateException(ex);
            }
        }

        @Override
        protected int engineGetMacLength()
        {
            return mac.getMacLength();
        }

        @Override
        protected void engineInit(final Key key, final AlgorithmParameterSpec params) throws InvalidKeyException
        {
            mac.init(key);
        }

        @Override
        protected void engineUpdate(final byte input)
        {
            mac.update(input);
        }

        @Override
        protected void engineUpdate(final byte[] input, final int offset, final int length)
        {
            mac.update(input, offset, length);
        }

        @Override
        protected byte[] engineDoFinal()
        {
            final byte[] result = mac.doFinal();
            RESULTS.add(result);
            return result;
        }

        @Override
        protected void engineReset()
        {
            mac.reset();
        }
    }

    @BeforeEach
    void insertProvider()
    {
        Security.insertProviderAt(provider, 1);
    }

    @AfterEach
    void removeProvider()
    {
        Security.removeProvider(provider.getName());
        KeepingMac.RESULTS.clear();
    }

    private SaslMechanism.Session exchange() throws SaslException
    {
        final SaslMechanism.Session session = mechanism.beginWith(NONCE);
        session.respond(new byte[0]);
        while (session.respond(SERVER_FIRST.getBytes(StandardCharsets.UTF_8)) == null)
        {
            continue;
        }
        session.respond(("v=" + SIGNATURE).getBytes(StandardCharsets.UTF_8));
        assertTrue(session.isComplete());
        return session;
    }

    private static boolean isKept(final byte[] bytes)
    {
        return KeepingMac.RESULTS.stream().anyMatch((result) -> Arrays.equals(result, bytes));
    }

    private static Object read(final Object object, final String name) throws ReflectiveOperationException
    {
        final AccessibleObject member = object instanceof Record ?
            object.getClass().getDeclaredMethod(name) : object.getClass().getDeclaredField(name);
        member.setAccessible(true);
        return member instanceof Method method ? method.invoke(object) : ((Field)member).get(object);
    }

    @Test
    void shouldOverwriteTheKeysOfBothSides() throws Exception
    {
        final ScramFormatter formatter = new ScramFormatter(
            org.apache.kafka.common.security.scram.internals.ScramMechanism.SCRAM_SHA_256);
        final byte[] salted = formatter.saltedPassword(PASSWORD, Base64.getDecoder().decode(SALT), ITERATIONS);
        final byte[] clientKey = formatter.clientKey(salted);
        final byte[] serverKey = formatter.serverKey(salted);
        assertTrue(isKept(clientKey) && isKept(serverKey));
        KeepingMac.RESULTS.clear();

        exchange();

        assertTrue(isKept(Base64.getDecoder().decode(SIGNATURE)));
        assertFalse(isKept(clientKey));
        assertFalse(isKept(serverKey));
    }

    @Test
    void shouldOverwriteWhatItDerivesFromWhenASessionEnds() throws Exception
    {
        final SaslMechanism.Session session = exchange();
        final byte[] sum = (byte[])read(session, "sum");
        final byte[] block = (byte[])read(session, "block");

        session.close();

        assertArrayEquals(new byte[sum.length], sum);
        assertArrayEquals(new byte[block.length], block);
    }

    @Test
    void shouldOverwriteThePasswordAndTheDerivedKeyWhenItIsCleared() throws Exception
    {
        exchange();
        final byte[] derived = (byte[])read(read(mechanism, "cached"), "value");
        final char[] password = (char[])read(mechanism, "password");
        assertEquals(PASSWORD, new String(password));

        mechanism.clear();

        assertArrayEquals(new byte[derived.length], derived);
        assertArrayEquals(new char[password.length], password);
        assertNull(read(mechanism, "cached"));
    }
}
