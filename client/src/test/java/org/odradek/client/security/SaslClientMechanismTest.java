// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.security;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.security.AccessController;
import java.security.Provider;
import java.security.Security;
import java.util.Map;
import javax.security.auth.Subject;
import javax.security.auth.callback.CallbackHandler;
import javax.security.sasl.SaslClient;
import javax.security.sasl.SaslClientFactory;
import javax.security.sasl.SaslException;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** A mechanism of another library: what it is asked, as which subject, and what becomes of its failures. */
class SaslClientMechanismTest
{
    private static final String NAME = "SCRIPTED";
    private static final byte[] CHALLENGE = {1, 2};
    private static final byte[] RESPONSE = {3};

    private final Provider provider = new ScriptedProvider();
    private final Subject subject = new Subject();
    private final SaslClientMechanism mechanism =
        new SaslClientMechanism(NAME, "kafka", () -> subject, null, Map.of());

    private static final class ScriptedProvider extends Provider
    {
        private static final long serialVersionUID = 1;

        ScriptedProvider()
        {
            super("Scripted", "1", "a mechanism that a test scripts");
            put("SaslClientFactory." + NAME, Factory.class.getName());
        }
    }

    /** Public, because the JDK makes it. */
    public static final class Factory implements SaslClientFactory
    {
        @Override
        public SaslClient createSaslClient(
            final String[] mechanisms,
            final String authorizationId,
            final String protocol,
            final String serverName,
            final Map<String, ?> properties,
            final CallbackHandler handler)
        {
            return new Client();
        }

        @Override
        public String[] getMechanismNames(final Map<String, ?> properties)
        {
            return new String[] {NAME};
        }
    }

    private static final class Client implements SaslClient
    {
        private static boolean isFirst;
        private static boolean isComplete;
        private static byte[] response;
        private static SaslException failure;
        private static int disposed;
        private static Subject seen;

        @Override
        public String getMechanismName()
        {
            return NAME;
        }

        @Override
        public boolean hasInitialResponse()
        {
            return isFirst;
        }

        @Override
        @SuppressWarnings("removal")
        public byte[] evaluateChallenge(final byte[] challenge) throws SaslException
        {
            seen = Subject.getSubject(AccessController.getContext());
            if (failure != null)
            {
                throw failure;
            }
            return response;
        }

        @Override
        public boolean isComplete()
        {
            return isComplete;
        }

        @Override
        public byte[] unwrap(final byte[] incoming, final int offset, final int length)
        {
            throw new IllegalStateException();
        }

        @Override
        public byte[] wrap(final byte[] outgoing, final int offset, final int length)
        {
            throw new IllegalStateException();
        }

        @Override
        public Object getNegotiatedProperty(final String name)
        {
            return null;
        }

        @Override
        public void dispose() throws SaslException
        {
            disposed++;
            throw new SaslException("disposed");
        }
    }

    @BeforeEach
    void insertProvider()
    {
        Security.addProvider(provider);
        Client.isFirst = true;
        Client.isComplete = false;
        Client.response = RESPONSE;
        Client.failure = null;
        Client.disposed = 0;
        Client.seen = null;
    }

    @AfterEach
    void removeProvider()
    {
        Security.removeProvider(provider.getName());
    }

    @Test
    void shouldAskTheClientAsTheSubject() throws SaslException
    {
        final SaslMechanism.Session session = mechanism.begin("host");
        assertSame(RESPONSE, session.respond(CHALLENGE));
        assertSame(subject, Client.seen);
        assertFalse(session.isComplete());

        Client.response = null;
        Client.isComplete = true;
        assertNull(session.respond(CHALLENGE));
        assertTrue(session.isComplete());
    }

    @Test
    void shouldAskTheClientWithoutASubject() throws SaslException
    {
        final SaslClientMechanism none = new SaslClientMechanism(NAME, "kafka", null, null, Map.of());
        assertSame(RESPONSE, none.begin("host").respond(CHALLENGE));
        assertNull(Client.seen);
    }

    /** The broker waits for a message although the server of the mechanism begins. */
    @Test
    void shouldSendItsChallengeFirstIfTheServerBegins() throws SaslException
    {
        Client.isFirst = false;
        Client.isComplete = true;
        final SaslMechanism.Session session = mechanism.begin("host");
        assertFalse(session.isComplete());
        assertArrayEquals(CHALLENGE, session.respond(CHALLENGE));
        assertSame(RESPONSE, session.respond(CHALLENGE));
    }

    @Test
    void shouldRefuseAMechanismThatStops() throws SaslException
    {
        Client.response = null;
        final SaslMechanism.Session session = mechanism.begin("host");
        assertEquals("the mechanism has no response and is not complete",
            assertThrows(SaslException.class, () -> session.respond(CHALLENGE)).getMessage());
    }

    @Test
    void shouldReportTheInnermostCause() throws SaslException
    {
        final SaslMechanism.Session session = mechanism.begin("host");
        final SaslMechanism.Session other =
            new SaslClientMechanism(NAME, "kafka", null, null, Map.of()).begin("host");
        Client.failure = new SaslException("outer", new IOException("middle", new IOException("inner")));
        assertEquals("outer: inner",
            assertThrows(SaslException.class, () -> session.respond(CHALLENGE)).getMessage());
        assertEquals("outer: inner",
            assertThrows(SaslException.class, () -> other.respond(CHALLENGE)).getMessage());
        Client.failure = new SaslException("only");
        assertEquals("only", assertThrows(SaslException.class, () -> session.respond(CHALLENGE)).getMessage());
    }

    @Test
    void shouldDisposeOfTheClientWhateverThatThrows() throws SaslException
    {
        final SaslMechanism.Session session = mechanism.begin("host");
        assertDoesNotThrow(session::close);
        assertEquals(1, Client.disposed);
    }

    @Test
    void shouldRefuseSettingsThatAreNull()
    {
        assertThrows(IllegalArgumentException.class,
            () -> new SaslClientMechanism(null, "kafka", null, null, Map.of()));
        assertThrows(IllegalArgumentException.class,
            () -> new SaslClientMechanism(NAME, null, null, null, Map.of()));
        assertThrows(IllegalArgumentException.class,
            () -> new SaslClientMechanism(NAME, "kafka", null, null, null));
    }
}
