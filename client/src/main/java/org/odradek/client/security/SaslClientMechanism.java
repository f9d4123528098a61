// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.security;

import org.odradek.client.core.Causes;

import java.security.PrivilegedActionException;
import java.security.PrivilegedExceptionAction;
import java.util.Map;
import java.util.function.Supplier;
import javax.security.auth.Subject;
import javax.security.auth.callback.CallbackHandler;
import javax.security.sasl.Sasl;
import javax.security.sasl.SaslClient;
import javax.security.sasl.SaslException;

/**
 * A SASL mechanism that the JDK or another library on the class path provides through {@code javax.security.sasl}, such
 * as GSSAPI (Kerberos). The mechanism runs on the polling thread. GSSAPI contacts the key distribution center on that
 * thread, which may take seconds.
 */
public final class SaslClientMechanism implements SaslMechanism
{
    /** The usual first part of a broker's Kerberos principal, such as kafka/host@REALM. */
    public static final String DEFAULT_SERVICE_NAME = "kafka";

    private final String name;
    private final String serviceName;
    private final Supplier<Subject> subject;
    private final CallbackHandler handler;
    private final Map<String, ?> properties;

    /**
     * Creates the mechanism without looking it up: an unknown mechanism fails at the first authentication.
     *
     * @param name        registered name of the mechanism, such as "GSSAPI".
     * @param serviceName service name of every broker, such as {@link #DEFAULT_SERVICE_NAME}.
     * @param subject     supplies the subject whose credentials are used; it is called before each authentication. With
     *                    null, no subject is used.
     * @param handler     handler of the mechanism's callbacks, or null if the mechanism needs none.
     * @param properties  properties of the mechanism, as {@link Sasl} defines them; an empty map for the defaults. The
     *                    map is not copied.
     * @throws IllegalArgumentException if the name, the service name or the properties are null.
     */
    public SaslClientMechanism(
        final String name,
        final String serviceName,
        final Supplier<Subject> subject,
        final CallbackHandler handler,
        final Map<String, ?> properties)
    {
        if (name == null || serviceName == null || properties == null)
        {
            throw new IllegalArgumentException("name, service name and properties of a mechanism must not be null");
        }
        this.name = name;
        this.serviceName = serviceName;
        this.subject = subject;
        this.handler = handler;
        this.properties = properties;
    }

    /**
     * Creates the mechanism GSSAPI, which authenticates but does not encrypt messages.
     *
     * @param serviceName the first part of the principal of every broker.
     * @param subject     supplies the subject with Kerberos credentials: a {@link KerberosLogin}, or another supplier
     *                    whose subject another thread renews.
     */
    public static SaslClientMechanism gssapi(final String serviceName, final Supplier<Subject> subject)
    {
        return new SaslClientMechanism("GSSAPI", serviceName, subject, null, Map.of());
    }

    @Override
    public String name()
    {
        return name;
    }

    @Override
    public Session begin(final String host) throws SaslException
    {
        final Subject current = subject == null ? null : subject.get();
        final SaslClient client = as(current, () ->
            Sasl.createSaslClient(new String[]{name}, null, serviceName, host, properties, handler));
        if (client == null)
        {
            throw new SaslException("no library on the class path provides the SASL mechanism " + name);
        }
        return new ClientSession(client, current);
    }

    private static <T> T as(final Subject subject, final PrivilegedExceptionAction<T> action) throws SaslException
    {
        try
        {
            return subject == null ? action.run() : Subject.doAs(subject, action);
        }
        catch (final PrivilegedActionException ex)
        {
            throw failed(ex.getException());
        }
        catch (final SaslException ex)
        {
            throw failed(ex);
        }
        catch (final Exception ex)
        {
            throw new IllegalStateException(ex);
        }
    }

    private static SaslException failed(final Exception ex)
    {
        final Throwable cause = Causes.innermost(ex);
        return new SaslException(cause == ex ? ex.getMessage() : ex.getMessage() + ": " + cause.getMessage(), ex);
    }

    @Override
    public String toString()
    {
        return name;
    }

    private static final class ClientSession implements Session
    {
        private final SaslClient client;
        private final Subject subject;
        private boolean isBegun;

        ClientSession(final SaslClient client, final Subject subject)
        {
            this.client = client;
            this.subject = subject;
        }

        @Override
        public byte[] respond(final byte[] challenge) throws SaslException
        {
            final boolean isFirst = !isBegun;
            isBegun = true;
            if (isFirst && !client.hasInitialResponse())
            {
                // The broker waits for a message, even of a mechanism in which the server begins.
                return challenge;
            }
            final byte[] response = as(subject, () -> client.evaluateChallenge(challenge));
            if (response == null && !client.isComplete())
            {
                throw new SaslException("the mechanism has no response and is not complete");
            }
            return response;
        }

        @Override
        public boolean isComplete()
        {
            return isBegun && client.isComplete();
        }

        @Override
        public void close()
        {
            try
            {
                client.dispose();
            }
            catch (final SaslException ex)
            {
                // The exchange has ended, so this failure has no effect.
                return;
            }
        }
    }
}
