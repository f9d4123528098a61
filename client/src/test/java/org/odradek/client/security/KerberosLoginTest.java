// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.security;

import org.junit.jupiter.api.Test;

import java.util.ArrayDeque;
import java.util.Date;
import java.util.Deque;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import javax.security.auth.Subject;
import javax.security.auth.kerberos.KerberosPrincipal;
import javax.security.auth.kerberos.KerberosTicket;
import javax.security.auth.login.LoginException;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

class KerberosLoginTest
{
    private static final long HOUR_MS = TimeUnit.HOURS.toMillis(1);
    private static final LoginException FAILURE = new LoginException("no KDC");

    private final Deque<Subject> results = new ArrayDeque<>();
    private long nowNs = 5;
    private int logins;
    private final KerberosLogin login = new KerberosLogin(this::begin, () -> nowNs);

    private Subject begin() throws LoginException
    {
        logins++;
        if (results.isEmpty())
        {
            throw FAILURE;
        }
        return results.remove();
    }

    /** The ticket began an hour ago. */
    private static Subject withTicket(final long leftMs)
    {
        final long nowMs = System.currentTimeMillis();
        final Date start = new Date(nowMs - HOUR_MS);
        return new Subject(false, Set.of(), Set.of(), Set.of(new KerberosTicket(new byte[1],
            new KerberosPrincipal("alice@TEST"), new KerberosPrincipal("krbtgt/TEST@TEST"), new byte[16], 17,
            new boolean[32], start, start, new Date(nowMs + leftMs), null, null)));
    }

    @Test
    void shouldLogInOnceWhileTheTicketHasMoreThanAFifthLeft()
    {
        final Subject subject = withTicket(HOUR_MS);
        results.add(subject);

        assertSame(subject, login.get());
        assertSame(subject, login.get());
        assertEquals(1, logins);
    }

    @Test
    void shouldLogInAgainInTheLastFifth()
    {
        final Subject second = withTicket(HOUR_MS);
        results.add(withTicket(HOUR_MS / 10));
        results.add(second);

        login.get();

        assertSame(second, login.get());
        assertEquals(2, logins);
    }

    // Each login blocks the polling thread, for as long as the KDC does not answer.
    @Test
    void shouldKeepAValidTicketForAMinuteAfterALoginHasFailed()
    {
        final Subject first = withTicket(HOUR_MS / 10);
        final Subject second = withTicket(HOUR_MS);
        results.add(first);
        login.get();

        assertSame(first, login.get());
        nowNs += TimeUnit.SECONDS.toNanos(59);
        assertSame(first, login.get());
        assertEquals(2, logins);

        nowNs += TimeUnit.SECONDS.toNanos(1);
        results.add(second);
        assertSame(second, login.get());
        assertEquals(3, logins);
    }

    @Test
    void shouldLogInAgainAfterFiveSecondsWithoutAValidTicket()
    {
        assertFailed(1);
        nowNs += TimeUnit.SECONDS.toNanos(5) - 1;
        assertFailed(1);
        nowNs++;
        assertFailed(2);
        assertFailed(2);

        final Subject subject = withTicket(HOUR_MS);
        results.add(subject);
        nowNs += TimeUnit.SECONDS.toNanos(5);
        assertSame(subject, login.get());
        assertEquals(3, logins);
    }

    private void assertFailed(final int expectedLogins)
    {
        final IllegalStateException ex = assertThrows(IllegalStateException.class, login::get);
        assertEquals("the Kerberos login failed: no KDC", ex.getMessage());
        assertSame(FAILURE, ex.getCause());
        assertEquals(expectedLogins, logins);
    }
}
