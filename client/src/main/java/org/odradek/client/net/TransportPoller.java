// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.net;

import org.odradek.client.PolledSocket;
import org.odradek.client.Poller;
import org.odradek.client.PollerUser;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.NotYetConnectedException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Implements the part of a poller that does not depend on the transport: its owner thread, its users, wake-ups, sockets
 * whose interest has changed, and sockets that other threads have closed.
 */
abstract class TransportPoller implements Poller
{
    private final List<TransportSocket> changedSockets = new ArrayList<>(16);
    /** The users that have waited or opened sockets; a later wait removes closed users. */
    private final List<Client> clients = new ArrayList<>();
    /** The user of the current or the last wait; null if that wait is for all users. */
    private PollerUser user;
    private boolean isAlone;
    private boolean isWaiting;
    private long waitCount;
    /** Another user whose deadline ends the wait, or null if there is none. */
    private Client due;
    /** The number of sockets of other users that the last {@link #select(long)} found ready and that end the wait. */
    private int othersCount;
    /** The number of sockets of other users that the last {@link #select(long)} found ready and masked. */
    private int maskedCount;
    /** Sockets whose interest is hidden from the transport until the next wait that is not for the same user alone. */
    private final List<TransportSocket> maskedSockets = new ArrayList<>(16);
    private final String description;
    /** Any thread sets this flag; the end of a wait with a timeout of more than 0 clears it. */
    private final AtomicBoolean isWoken = new AtomicBoolean();
    /** Any thread holds this lock while it closes sockets or the poller. */
    private final Object closeLock = new Object();
    /** Sockets that other threads have closed, for the owner to close. */
    private final List<TransportSocket> abandonedSockets = new ArrayList<>();
    /** This field is volatile because other threads set it. */
    private volatile boolean hasAbandonedSockets;
    /** This field is volatile because other threads set it. */
    private volatile boolean isClosed;
    /** This field is volatile because other threads read it to wake the owner. */
    volatile Thread owner;

    TransportPoller(final String description)
    {
        this.description = description;
    }

    /**
     * Makes the current thread the owner if there is none or the owner has ended.
     *
     * @throws IllegalStateException if another live thread is the owner, or the poller is closed.
     */
    final void checkOwner()
    {
        final Thread current = Thread.currentThread();
        if (current != owner)
        {
            if (owner != null && owner.isAlive())
            {
                throw new IllegalStateException("This poller is owned by " + owner + ", not by " + current +
                    ": open a poller for each thread.");
            }
            checkMayOwn(current);
            owner = current;
        }
        if (isClosed)
        {
            throw new IllegalStateException("This poller is closed.");
        }
    }

    /** Throws an IllegalStateException if the transport cannot be used on this thread. */
    void checkMayOwn(final Thread thread)
    {
    }

    @Override
    public final PolledSocket openSocket(final int receiveBufferLength, final int sendBufferLength)
    {
        return openSocket(receiveBufferLength, sendBufferLength, null);
    }

    @Override
    public final int await(final long timeoutNs)
    {
        return await(timeoutNs, null, false);
    }

    @Override
    public final int await(final long timeoutNs, final PollerUser newUser, final boolean isNewAlone)
    {
        checkOwner();
        if (hasAbandonedSockets)
        {
            closeAbandonedSockets();
        }
        if (!maskedSockets.isEmpty() && !(isNewAlone && newUser == user))
        {
            unmask();
        }
        user = newUser;
        isAlone = isNewAlone;
        client(newUser);
        isWaiting = timeoutNs > 0;
        waitCount++;
        due = null;
        final long waitNs = isNewAlone ? timeoutNs : untilOthersAreDue(timeoutNs);
        final long dueNs = due == null ? 0 : System.nanoTime() + waitNs;
        final int readyCount = awaitUnmasked(waitNs);
        if (readyCount == 0 && isWaiting)
        {
            takeTurns(due != null && othersCount == 0 && System.nanoTime() - dueNs >= 0);
        }
        if (isWaiting && isWoken.get())
        {
            isWoken.getAndSet(false);
        }
        assert isConsistent() && readyCount >= 0;
        final boolean isForOthers = othersCount > 0 || waitNs < timeoutNs;
        return isForOthers && readyCount == 0 && newUser != null && !isNewAlone ? OTHERS : readyCount;
    }

    private void takeTurns(final boolean isDue)
    {
        for (int i = 0; i < clients.size() && othersCount > 0; i++)
        {
            final Client client = clients.get(i);
            if (client.bySocket.foundIn == waitCount)
            {
                client.bySocket.cycle = client.user.cycles();
            }
        }
        if (isDue)
        {
            due.byTime.cycle = due.user.cycles();
        }
    }

    private long untilOthersAreDue(final long timeoutNs)
    {
        long leastNs = timeoutNs;
        for (int i = clients.size() - 1; i >= 0 && leastNs > 0; i--)
        {
            final Client client = clients.get(i);
            final long untilNs = client.user == user ? timeoutNs : client.user.untilNextNs();
            if (untilNs == Long.MAX_VALUE)
            {
                clients.remove(i);
            }
            else if (untilNs < leastNs && !client.hasHad(client.byTime))
            {
                leastNs = Math.max(untilNs, 0);
                due = client;
            }
        }
        return leastNs;
    }

    private int awaitUnmasked(final long timeoutNs)
    {
        final long deadlineNs = timeoutNs > 0 ? System.nanoTime() + timeoutNs : 0;
        long remainingNs = timeoutNs;
        int readyCount = submitAndSelect(timeoutNs);
        while (readyCount == 0 && othersCount == 0 && maskedCount > 0 && remainingNs > 0 && !isWaitCancelled())
        {
            remainingNs = deadlineNs - System.nanoTime();
            readyCount = submitAndSelect(remainingNs);
        }
        return readyCount;
    }

    private int submitAndSelect(final long timeoutNs)
    {
        submitInterest();
        othersCount = 0;
        maskedCount = 0;
        return select(timeoutNs > 0 && isWaitCancelled() ? 0 : timeoutNs) - othersCount - maskedCount;
    }

    private Client client(final PollerUser ofSocket)
    {
        for (int i = 0; i < clients.size(); i++)
        {
            if (clients.get(i).user == ofSocket)
            {
                return clients.get(i);
            }
        }
        return ofSocket == null ? null : addClient(ofSocket);
    }

    private Client addClient(final PollerUser ofSocket)
    {
        clients.removeIf((client) -> client.user.untilNextNs() == Long.MAX_VALUE);
        final Client added = new Client(ofSocket, new Turn(), new Turn());
        clients.add(added);
        return added;
    }

    @Override
    public final void keepOthersAlive(final PollerUser except)
    {
        for (int i = 0; i < clients.size(); i++)
        {
            final PollerUser other = clients.get(i).user;
            if (other != except)
            {
                other.keepAlive();
            }
        }
    }

    final void submitInterest()
    {
        for (int i = 0; i < changedSockets.size(); i++)
        {
            changedSockets.get(i).submitInterest();
        }
        changedSockets.clear();
    }

    /**
     * Waits for sockets that are ready and calls {@link TransportSocket#onReady()} for each.
     *
     * @return the number of ready sockets of all users.
     */
    abstract int select(long timeoutNs);

    private void unmask()
    {
        for (int i = 0; i < maskedSockets.size(); i++)
        {
            maskedSockets.get(i).isMasked = false;
            maskedSockets.get(i).onInterestChanged();
        }
        maskedSockets.clear();
    }

    final boolean isWaitCancelled()
    {
        return isWoken.get() || Thread.currentThread().isInterrupted();
    }

    @Override
    public final void wakeup()
    {
        if (!isWoken.getAndSet(true) && !isClosed)
        {
            wakeSelect();
        }
    }

    abstract void wakeSelect();

    @Override
    public final String description()
    {
        return description;
    }

    @Override
    public final void close()
    {
        synchronized (closeLock)
        {
            if (!isClosed)
            {
                isClosed = true;
                closeAbandonedSockets();
                closeSelect();
            }
        }
    }

    abstract void closeSelect();

    private void closeAbandonedSockets()
    {
        synchronized (closeLock)
        {
            assert hasAbandonedSockets == !abandonedSockets.isEmpty();
            hasAbandonedSockets = false;
            abandonedSockets.forEach(TransportSocket::closeNow);
            abandonedSockets.clear();
        }
    }

    private void close(final TransportSocket socket)
    {
        synchronized (closeLock)
        {
            if (Thread.currentThread() == owner || isClosed)
            {
                socket.closeNow();
                return;
            }
            abandonedSockets.add(socket);
            hasAbandonedSockets = true;
        }
        wakeup();
    }

    private boolean isConsistent()
    {
        // A wait for the sockets of all users has no sockets of other users.
        return (user != null || othersCount == 0 && maskedCount == 0) &&
            // A wait for one user alone does not end because of another user.
            (!isAlone || !isWaiting || othersCount == 0 && due == null) &&
            // The deadline of the user that waits never ends the wait.
            (due == null || due.user != user) &&
            // Sockets that the last select has masked are listed, so that they can be unmasked.
            (maskedCount == 0 || !maskedSockets.isEmpty());
    }

    /**
     * Stores the wait and the duty cycle in which a user last ended a wait of another user, either by a socket or by a
     * deadline.
     */
    private static final class Turn
    {
        private long foundIn = -1;
        private long cycle = -1;
    }

    private record Client(PollerUser user, Turn bySocket, Turn byTime)
    {
        boolean hasHad(final Turn turn)
        {
            return turn.cycle == user.cycles();
        }
    }

    /** A change of interest is passed to the transport in the next wait only, because each change is a system call. */
    abstract class TransportSocket implements PolledSocket
    {
        static final int NEW = 0;
        static final int CONNECTING = 1;
        static final int CONNECTED = 2;
        static final int CLOSED = 3;

        static final int READ = 1;
        static final int WRITE = 2;

        final int requestedReceiveBufferLength;
        final int requestedSendBufferLength;
        int state = NEW;
        int interest;
        private boolean isReady;
        private boolean isChanged;
        private boolean isMasked;
        private final PollerUser user;
        private final Client client;

        TransportSocket(final int receiveBufferLength, final int sendBufferLength, final PollerUser user)
        {
            this.user = user;
            client = client(user);
            requestedReceiveBufferLength = receiveBufferLength;
            requestedSendBufferLength = sendBufferLength;
        }

        @Override
        public final boolean connect(final InetSocketAddress address) throws IOException
        {
            if (state != NEW)
            {
                throw new IllegalStateException("This socket has been connected or closed before.");
            }
            if (address.isUnresolved())
            {
                throw new UnknownHostException(address.getHostString());
            }
            state = beginConnect(address) ? CONNECTED : CONNECTING;
            onInterestChanged();
            return state == CONNECTED;
        }

        abstract boolean beginConnect(InetSocketAddress address) throws IOException;

        @Override
        public final boolean finishConnect() throws IOException
        {
            if (state == CONNECTING && endConnect())
            {
                state = CONNECTED;
                onInterestChanged();
            }
            if (state != CONNECTING)
            {
                checkConnected();
                return true;
            }
            isReady = false;
            return false;
        }

        abstract boolean endConnect() throws IOException;

        private void checkConnected() throws ClosedChannelException
        {
            if (state != CONNECTED)
            {
                if (state == CLOSED)
                {
                    throw new ClosedChannelException();
                }
                throw new NotYetConnectedException();
            }
        }

        @Override
        public final int receive(final ByteBuffer buffer) throws IOException
        {
            checkConnected();
            return buffer.hasRemaining() ? moved(read(buffer)) : NOTHING;
        }

        @Override
        public final int send(final ByteBuffer buffer) throws IOException
        {
            checkConnected();
            return buffer.hasRemaining() ? moved(write(buffer)) : NOTHING;
        }

        private int moved(final int length)
        {
            isReady &= length != NOTHING;
            return length;
        }

        abstract int read(ByteBuffer buffer) throws IOException;

        abstract int write(ByteBuffer buffer) throws IOException;

        @Override
        public final void shutdownOutput() throws IOException
        {
            checkConnected();
            shutdownSystemOutput();
        }

        abstract void shutdownSystemOutput() throws IOException;

        @Override
        public final void readInterest(final boolean on)
        {
            interest(on ? interest | READ : interest & ~READ);
        }

        @Override
        public final void writeInterest(final boolean on)
        {
            interest(on ? interest | WRITE : interest & ~WRITE);
        }

        final boolean hasInterest()
        {
            return state == CONNECTING || state == CONNECTED && interest != 0;
        }

        private void interest(final int newInterest)
        {
            if (newInterest != interest)
            {
                interest = newInterest;
                if (state == CONNECTED)
                {
                    onInterestChanged();
                }
            }
        }

        final void onInterestChanged()
        {
            if (!isChanged)
            {
                isChanged = true;
                changedSockets.add(this);
            }
        }

        final void onReady()
        {
            isReady = true;
            if (TransportPoller.this.user != null && TransportPoller.this.user != user)
            {
                if (!isWaiting || !isAlone && (client == null || !client.hasHad(client.bySocket)))
                {
                    othersCount++;
                    if (client != null)
                    {
                        client.bySocket.foundIn = waitCount;
                    }
                }
                else
                {
                    mask();
                }
            }
        }

        private void mask()
        {
            maskedCount++;
            if (!isMasked)
            {
                isMasked = true;
                maskedSockets.add(this);
                onInterestChanged();
            }
        }

        private void submitInterest()
        {
            assert isChanged && (!isMasked || maskedSockets.contains(this));
            isChanged = false;
            if (state == CONNECTING || state == CONNECTED)
            {
                submitInterest(isMasked ? 0 : state == CONNECTING ? WRITE : interest);
            }
        }

        /** While the socket is being connected, its interest is {@link #WRITE}. */
        abstract void submitInterest(int newInterest);

        @Override
        public final boolean isReady()
        {
            return isReady;
        }

        @Override
        public final void clearReady()
        {
            isReady = false;
        }

        @Override
        public final int receiveBufferLength()
        {
            try
            {
                return state == CONNECTING || state == CONNECTED ? systemReceiveBufferLength() : 0;
            }
            catch (final IOException ex)
            {
                throw socketFailed(ex);
            }
        }

        abstract int systemReceiveBufferLength() throws IOException;

        @Override
        public final void close()
        {
            TransportPoller.this.close(this);
        }

        final void closeNow()
        {
            isReady = false;
            state = CLOSED;
            try
            {
                closeSystemSocket();
            }
            catch (final IOException ex)
            {
                throw socketFailed(ex);
            }
        }

        /** Closes the system's socket, if there is one; a second call does nothing. */
        abstract void closeSystemSocket() throws IOException;

        private static UncheckedIOException socketFailed(final IOException ex)
        {
            return new UncheckedIOException("A socket could not be closed or inspected: " + ex.getMessage(), ex);
        }
    }
}
