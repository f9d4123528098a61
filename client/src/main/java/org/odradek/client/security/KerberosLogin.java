// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.security;

import org.odradek.protocol.PrintableText;

import java.util.Date;
import java.util.Map;
import java.util.function.Supplier;
import javax.security.auth.Subject;
import javax.security.auth.kerberos.KerberosTicket;
import javax.security.auth.login.AppConfigurationEntry;
import javax.security.auth.login.Configuration;
import javax.security.auth.login.LoginContext;
import javax.security.auth.login.LoginException;

/**
 * Logs in to Kerberos with the JDK's Krb5LoginModule when a subject is first needed, and again when its ticket has less
 * than a fifth of its lifetime left. The login runs on the thread that needs the subject, which is the polling thread:
 * it takes about half a second, or seconds in a bad network. To avoid that, supply a subject that another thread
 * renews.
 */
public final class KerberosLogin implements Supplier<Subject>
{
    private static final String MODULE = "com.sun.security.auth.module.Krb5LoginModule";
    private static final int FRACTION_LEFT = 5;

    private final Configuration configuration;
    private LoginContext login;

    /**
     * @param options of Krb5LoginModule, such as {@code useKeyTab=true, keyTab=FILE, principal=NAME}; the module never
     *                prompts.
     */
    public KerberosLogin(final Map<String, ?> options)
    {
        final Map<String, ?> copy = Map.copyOf(options);
        configuration = new Configuration()
        {
            @Override
            public AppConfigurationEntry[] getAppConfigurationEntry(final String name)
            {
                return new AppConfigurationEntry[]{new AppConfigurationEntry(
                    MODULE, AppConfigurationEntry.LoginModuleControlFlag.REQUIRED, copy)};
            }
        };
    }

    /**
     * Returns the subject, after a login if one is due.
     *
     * @throws IllegalStateException if the login fails and there is no valid ticket.
     */
    @Override
    public synchronized Subject get()
    {
        if (login != null && isValid(login.getSubject(), FRACTION_LEFT))
        {
            return login.getSubject();
        }
        try
        {
            final LoginContext next = new LoginContext("odradek", new Subject(), null, configuration);
            next.login();
            login = next;
        }
        catch (final LoginException ex)
        {
            if (login == null || !isValid(login.getSubject(), Integer.MAX_VALUE))
            {
                throw new IllegalStateException("the Kerberos login failed: " + PrintableText.of(ex.getMessage()));
            }
        }
        return login.getSubject();
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
