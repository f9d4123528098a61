// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.net;

import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.odradek.client.ClientListener;
import org.odradek.client.core.ClientSettings;
import org.odradek.client.core.CounterWriter;
import org.odradek.client.core.DutyClock;
import org.odradek.client.security.PlainMechanism;
import org.odradek.client.support.UnlimitedMemory;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Tests when the session of a connection is renewed. */
class SessionRenewalTest
{
    private static final int VERSION = 1;
    private static final int LIFETIME_MS = 28_000;

    private long nowMs;
    private final DutyClock clock = new DutyClock(() -> TimeUnit.MILLISECONDS.toNanos(nowMs), () -> 0);
    private final RequestFrame frame = new RequestFrame(UnlimitedMemory.budget(Long.MAX_VALUE), 1 << 10);

    @AfterEach
    void free()
    {
        frame.free();
    }

    /** The thread that polls was busy for twenty seconds meanwhile. */
    // Behaviour C37, tried 2026-11-29: Before a session ends, the connection authenticates again between two requests.
    // No record is lost or repeated, also if this authentication is refused.
    @Test
    void shouldCountTheLifetimeFromTheRequestOn() throws IOException
    {
        final Authentication authentication = begin();
        authenticate(authentication, 1_000, 21_000);

        assertFalse(authentication.isRenewalDue(clock.nowNs()));
        time(1_000 + LIFETIME_MS);
        assertTrue(authentication.isRenewalDue(clock.nowNs()));
    }

    /** One long pause costs one more authentication; a connection that is polled too seldom would do nothing else. */
    @Test
    void shouldFindOutThatEachSessionIsOverBeforeItIsUsed() throws IOException
    {
        final Authentication authentication = begin();
        authenticate(authentication, 1_000, 31_000);
        assertTrue(authentication.isRenewalDue(clock.nowNs()));
        assertFalse(authentication.isLateAgain());

        assertTrue(authentication.renew("host"));
        authenticate(authentication, 31_000, 61_000);
        assertTrue(authentication.isLateAgain());

        authentication.begin(VERSION, VERSION);
        authenticate(authentication, 61_000, 62_000);
        assertFalse(authentication.isLateAgain());
    }

    private Authentication begin() throws IOException
    {
        final ClientSettings settings = new ClientSettings();
        settings.random = () -> Long.MIN_VALUE;
        final Authentication authentication = new Authentication(
            settings, PlainMechanism.plain("alice", "secret".toCharArray()), clock, new CounterWriter(),
            ClientListener.NONE, (error) -> { }, frame);
        authentication.begin(VERSION, VERSION);
        return authentication;
    }

    private void authenticate(final Authentication authentication, final long sentMs, final long readMs)
        throws IOException
    {
        time(sentMs);
        assertTrue(authentication.nextRequest("host") > 0);
        respond(authentication, ByteBuffer.allocate(Short.BYTES + Integer.BYTES));
        answer(authentication, sentMs, readMs);
    }

    private void answer(final Authentication authentication, final long sentMs, final long readMs) throws IOException
    {
        time(sentMs);
        assertTrue(authentication.nextRequest("host") > 0);
        time(readMs);
        respond(authentication, ByteBuffer.allocate(2 * Short.BYTES + Integer.BYTES + Long.BYTES)
            .putShort((short)0).putShort((short)-1).putInt(0).putLong(LIFETIME_MS));
        assertEquals(0, authentication.nextRequest("host"));
        assertTrue(authentication.isDone());
    }

    private void time(final long ms)
    {
        nowMs = ms;
        clock.update();
    }

    private static void respond(final Authentication authentication, final ByteBuffer body) throws IOException
    {
        authentication.onResponse(new UnsafeBuffer(body.array()), 0, body.capacity());
    }
}
