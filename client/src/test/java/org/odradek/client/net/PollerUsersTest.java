// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.net;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import org.odradek.client.PolledSocket;
import org.odradek.client.Poller;
import org.odradek.client.PollerUser;
import org.odradek.client.TransportType;

import java.io.IOException;
import java.net.Socket;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Tests a poller that several users share. */
@ParameterizedClass
@EnumSource(value = TransportType.class, names = {"NIO", "EPOLL"})
class PollerUsersTest extends PollerFixture
{
    private static final long FOR_EVER_NS = Long.MAX_VALUE;

    /** Has something to do when a test says so. */
    private static final class TestUser implements PollerUser
    {
        private long untilNextNs = FOR_EVER_NS - 1;
        private long cycles;

        @Override
        public long untilNextNs()
        {
            return untilNextNs;
        }

        @Override
        public long cycles()
        {
            return cycles;
        }
    }

    PollerUsersTest(final TransportType type)
    {
        super(type);
    }

    @Test
    void shouldTellTheSocketsOfAUserFromThoseOfOthers() throws IOException
    {
        final TestUser user = new TestUser();
        final PolledSocket own = poller.openSocket(0, 0, user);
        try (Socket ownPeer = loopback.connect(poller, own))
        {
            own.readInterest(true);
            socket.readInterest(true);
            own.clearReady();
            Loopback.write(peer, "a");

            assertEquals(Poller.OTHERS, poller.await(FOR_EVER_NS, user, false));
            assertEquals(0, poller.await(0, user, true));
            assertEquals(1, poller.await(FOR_EVER_NS, null, false));
            assertTrue(socket.isReady());
            assertFalse(own.isReady());

            Loopback.write(ownPeer, "b");
            assertEquals(1, poller.await(FOR_EVER_NS, user, true));
            assertTrue(own.isReady());
            assertEquals(1, poller.await(FOR_EVER_NS, user, false));
            assertEquals(2, poller.await(FOR_EVER_NS));
        }
    }

    @Test
    void shouldWaitAloneWhileSocketsOfOthersAreReady() throws IOException
    {
        socket.readInterest(true);
        Loopback.write(peer, "a");
        final TestUser user = new TestUser();

        assertSleeps(user, true);
        assertSleeps(user, true);
        assertTrue(socket.isReady());
        final TestUser other = new TestUser();
        assertEquals(Poller.OTHERS, poller.await(FOR_EVER_NS, other, false));
        assertEquals(0, poller.await(1_000_000, user, true));
        assertEquals(0, poller.await(1_000_000, other, true));
        poller.wakeup();
        assertEquals(0, poller.await(FOR_EVER_NS, user, true));
        Thread.currentThread().interrupt();
        assertEquals(0, poller.await(FOR_EVER_NS, user, true));
        assertTrue(Thread.interrupted());

        assertEquals(1, poller.await(FOR_EVER_NS));
        assertEquals("a", Loopback.receive(poller, socket, 1));
    }

    /** Otherwise a user that does not work would make the others spin. */
    @Test
    void shouldEndAWaitForTheSocketOfAnotherOnceInItsCycle() throws IOException
    {
        final TestUser user = new TestUser();
        final TestUser other = new TestUser();
        final PolledSocket othersSocket = poller.openSocket(0, 0, other);
        try (Socket othersPeer = loopback.connect(poller, othersSocket))
        {
            othersSocket.readInterest(true);
            othersSocket.clearReady();
            Loopback.write(othersPeer, "a");

            assertEquals(Poller.OTHERS, poller.await(FOR_EVER_NS, user, false));
            assertTrue(othersSocket.isReady());
            assertSleeps(user, false);
            assertSleeps(user, false);
            other.cycles++;
            assertEquals(Poller.OTHERS, poller.await(FOR_EVER_NS, user, false));
            assertSleeps(user, false);
            assertEquals(1, poller.await(FOR_EVER_NS, other, false));
            assertEquals("a", Loopback.receive(poller, othersSocket, 1));
        }
    }

    @Test
    void shouldEndTheNextWaitForAnotherIfThisOneEndsForTheUser() throws IOException
    {
        final TestUser user = new TestUser();
        final TestUser other = new TestUser();
        final PolledSocket own = poller.openSocket(0, 0, user);
        final PolledSocket othersSocket = poller.openSocket(0, 0, other);
        try (Socket ownPeer = loopback.connect(poller, own);
            Socket othersPeer = loopback.connect(poller, othersSocket))
        {
            own.readInterest(true);
            othersSocket.readInterest(true);
            Loopback.write(ownPeer, "a");
            Loopback.write(othersPeer, "b");
            while (poller.await(FOR_EVER_NS) < 2)
            {
                // Both have arrived when one wait finds both.
            }

            assertEquals(1, poller.await(FOR_EVER_NS, user, false));
            own.readInterest(false);
            assertEquals(Poller.OTHERS, poller.await(FOR_EVER_NS, user, false));
            assertSleeps(user, false);
        }
    }

    @Test
    void shouldEndAWaitWhenAnotherIsDueOnceInItsCycle()
    {
        final TestUser user = new TestUser();
        final TestUser other = new TestUser();
        poller.openSocket(0, 0, other);

        other.untilNextNs = 1_000_000;
        assertEquals(Poller.OTHERS, poller.await(FOR_EVER_NS, user, false));
        assertSleeps(user, false);
        other.untilNextNs = 0;
        assertSleeps(user, false);
        assertSleeps(null, false);
        other.cycles++;
        assertEquals(Poller.OTHERS, poller.await(FOR_EVER_NS, user, false));
        assertSleeps(user, false);
        other.cycles++;
        assertSleeps(user, true);
        assertEquals(0, poller.await(FOR_EVER_NS));
        assertSleeps(null, false);
        assertSleeps(other, false);
        other.cycles++;
        other.untilNextNs = Long.MAX_VALUE;
        assertSleeps(user, false);
        other.untilNextNs = 0;
        assertSleeps(user, false);
    }

    @Test
    void shouldWaitAloneAfterThePeerOfAnotherHasReset() throws IOException
    {
        socket.readInterest(true);
        Loopback.write(peer, "unread");
        Loopback.reset(peer);

        assertSleeps(new TestUser(), true);
        assertEquals(1, poller.await(FOR_EVER_NS));
    }

    @Test
    void shouldChangeTheInterestOfASocketThatIsMasked() throws IOException
    {
        socket.readInterest(true);
        Loopback.write(peer, "a");
        final TestUser user = new TestUser();
        assertEquals(0, poller.await(1_000_000, user, true));

        socket.readInterest(false);
        socket.clearReady();
        assertEquals(0, poller.await(1_000_000, user, true));
        assertEquals(0, poller.await(1_000_000));
        assertFalse(socket.isReady());
        socket.readInterest(true);
        assertEquals(1, poller.await(FOR_EVER_NS));
    }

    @Test
    void shouldCloseASocketThatIsMasked() throws IOException
    {
        socket.readInterest(true);
        Loopback.write(peer, "a");
        final TestUser user = new TestUser();
        assertEquals(0, poller.await(1_000_000, user, true));

        socket.close();
        assertSleeps(user, true);
        assertEquals(0, poller.await(1_000_000));
    }
}
