// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.security;

import org.odradek.protocol.PrintableText;

import java.util.Date;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import javax.security.auth.Subject;
import javax.security.auth.kerberos.KerberosTicket;
import javax.security.auth.login.AppConfigurationEntry;
import javax.security.auth.login.Configuration;
import javax.security.auth.login.LoginContext;
import javax.security.auth.login.LoginException;

/**
 * Supplies a subject with Kerberos credentials. {@link #get} logs in with the JDK's Krb5LoginModule when it is called
 * first, and again when the ticket of the subject has less than a fifth of its lifetime left. If that fails, the ticket
 * stays in use while it is valid, and a further login begins after a minute at the earliest. A login may take seconds
 * and blocks the polling thread. To avoid this delay, use a supplier whose subject another thread renews.
 */
public final class KerberosLogin implements Supplier<Subject>
{
    private static final String MODULE = "com.sun.security.auth.module.Krb5LoginModule";
    private static final int FRACTION_LEFT = 5;
    private static final long RETRY_NS = 60_000_000_000L;
    /** A login may wait for a key distribution center for a long time, and the polling thread with it. */
    private static final long RETRY_WITHOUT_TICKET_NS = 5_000_000_000L;

    private final Login login;
    private final LongSupplier nanoClock;
    private Subject subject;
    /** The last failure, until the next login. */
    private LoginException failure;
    private long failedNs;

    /** Logs in, or throws. */
    interface Login
    {
        Subject begin() throws LoginException;
    }

    /**
     * Creates the supplier without logging in.
     *
     * @param options options of Krb5LoginModule, such as {@code useKeyTab=true, keyTab=FILE, principal=NAME}; they are
     *                copied. The module never asks a user for a password.
     */
    public KerberosLogin(final Map<String, ?> options)
    {
        this(loginWith(Map.copyOf(options)), System::nanoTime);
    }

    KerberosLogin(final Login login, final LongSupplier nanoClock)
    {
        this.login = login;
        this.nanoClock = nanoClock;
    }

    private static Login loginWith(final Map<String, ?> options)
    {
        final Configuration configuration = new Configuration()
        {
            @Override
            public AppConfigurationEntry[] getAppConfigurationEntry(final String name)
            {
                return new AppConfigurationEntry[]{new AppConfigurationEntry(
                    MODULE, AppConfigurationEntry.LoginModuleControlFlag.REQUIRED, options)};
            }
        };
        return () ->
        {
            final LoginContext context = new LoginContext("odradek", new Subject(), null, configuration);
            context.login();
            return context.getSubject();
        };
    }

    /**
     * Returns the subject, never null, after a login if one is necessary. After a login that failed, the next one
     * begins 5 seconds later at the earliest, or a minute later while an earlier ticket is valid.
     *
     * @throws IllegalStateException if the last login failed and no earlier ticket is valid. One of its causes is an
     *                               IOException if no key distribution center can be reached.
     */
    @Override
    public synchronized Subject get()
    {
        final boolean hasTicket = subject != null && isValid(subject, Integer.MAX_VALUE);
        if (!(hasTicket && isValid(subject, FRACTION_LEFT)) && isLoginDue(hasTicket))
        {
            logIn();
        }
        if (failure != null && !hasTicket)
        {
            throw new IllegalStateException(
                "the Kerberos login failed: " + PrintableText.of(failure.getMessage()), failure);
        }
        return subject;
    }

    private boolean isLoginDue(final boolean hasTicket)
    {
        return failure == null ||
            nanoClock.getAsLong() - failedNs >= (hasTicket ? RETRY_NS : RETRY_WITHOUT_TICKET_NS);
    }

    private void logIn()
    {
        try
        {
            subject = login.begin();
            failure = null;
        }
        catch (final LoginException ex)
        {
            failure = ex;
            failedNs = nanoClock.getAsLong();
        }
    }

    /** Returns true if the subject has a ticket with more than {@code 1 / parts} of its lifetime left. */
    private static boolean isValid(final Subject subject, final int parts)
    {
        for (final KerberosTicket ticket : subject.getPrivateCredentials(KerberosTicket.class))
        {
            if (ticket.getServer().getName().startsWith("krbtgt/") && ticket.isCurrent())
            {
                final Date start = ticket.getStartTime() == null ? ticket.getAuthTime() : ticket.getStartTime();
                final long endMs = ticket.getEndTime().getTime();
                if (System.currentTimeMillis() < endMs - (endMs - start.getTime()) / parts)
                {
                    return true;
                }
            }
        }
        return false;
    }
}
