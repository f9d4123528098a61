// SPDX-License-Identifier: Apache-2.0
package org.odradek.testkit;

import org.odradek.testkit.TcpProxy.Direction;
import org.odradek.testkit.internal.Sockets;

import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;

/** The current faults of a proxy. Tests set the faults, and the threads of the proxy apply them. */
final class ProxyFaults
{
    static final int PORTION_LENGTH = 64 * 1024;

    private static final long NO_CUT = -1;
    /** The number of portions per second of a throttled connection. */
    private static final int PORTIONS_PER_SECOND = 20;

    private final boolean[] isStalled = new boolean[Direction.values().length];
    private final long[] byteCounts = new long[Direction.values().length];
    private final long[] delaysMs = new long[Direction.values().length];
    private long bytesPerSecond;
    private long bytesUntilCut = NO_CUT;
    private int repeats;
    private int pieceLength = Sockets.WHOLE;

    synchronized void stall(final Direction direction, final boolean stalled)
    {
        isStalled[direction.ordinal()] = stalled;
        notifyAll();
    }

    synchronized void delay(final Direction direction, final long newDelayMs)
    {
        requireNotNegative(newDelayMs, "A delay");
        delaysMs[direction.ordinal()] = newDelayMs;
        notifyAll();
    }

    synchronized void throttle(final long newBytesPerSecond)
    {
        requireNotNegative(newBytesPerSecond, "A rate");
        bytesPerSecond = newBytesPerSecond;
        notifyAll();
    }

    synchronized void cutAfter(final long byteCount)
    {
        requireNotNegative(byteCount, "A number of bytes");
        bytesUntilCut = byteCount;
    }

    synchronized void repeat(final int count)
    {
        repeats = count;
    }

    synchronized void pieces(final int newPieceLength)
    {
        requireNotNegative(newPieceLength, "A piece");
        pieceLength = newPieceLength;
    }

    synchronized void clear()
    {
        for (final Direction direction : Direction.values())
        {
            isStalled[direction.ordinal()] = false;
            delaysMs[direction.ordinal()] = 0;
        }
        bytesPerSecond = 0;
        bytesUntilCut = NO_CUT;
        repeats = 0;
        pieceLength = Sockets.WHOLE;
        notifyAll();
    }

    synchronized long byteCount(final Direction direction)
    {
        return byteCounts[direction.ordinal()];
    }

    synchronized int pieceLength()
    {
        return pieceLength;
    }

    synchronized int portionLength()
    {
        return bytesPerSecond == 0 ? PORTION_LENGTH :
            (int) Math.max(1, Math.min(PORTION_LENGTH, bytesPerSecond / PORTIONS_PER_SECOND));
    }

    synchronized void hold(final Direction direction, final int length, final ProxyConnection connection)
        throws InterruptedException
    {
        final long startNs = System.nanoTime();
        while (!connection.isEnded())
        {
            final long remainingNs = holdNs(direction, length) - (System.nanoTime() - startNs);
            if (isStalled[direction.ordinal()])
            {
                wait();
            }
            else if (remainingNs > 0)
            {
                TimeUnit.NANOSECONDS.timedWait(this, remainingNs);
            }
            else
            {
                return;
            }
        }
    }

    /** @return the number of bytes that may pass, less than {@code length} only if the connection is cut. */
    synchronized int pass(final Direction direction, final int length, final ProxyConnection connection)
    {
        int allowed = length;
        if (direction == Direction.TO_CLIENT && bytesUntilCut != NO_CUT)
        {
            allowed = (int) Math.min(length, bytesUntilCut);
            bytesUntilCut -= allowed;
            if (bytesUntilCut == 0)
            {
                bytesUntilCut = NO_CUT;
                connection.setCut();
            }
        }
        byteCounts[direction.ordinal()] += allowed;
        return allowed;
    }

    /**
     * Returns true if a portion must be written twice: a repetition is requested, and the portion is exactly one frame,
     * which begins with the length of the rest.
     */
    synchronized boolean isToRepeat(final Direction direction, final byte[] portion, final int length)
    {
        final boolean isRepeated = repeats > 0 && direction == Direction.TO_CLIENT && length > Integer.BYTES &&
            ByteBuffer.wrap(portion).getInt() == length - Integer.BYTES;
        repeats -= isRepeated ? 1 : 0;
        return isRepeated;
    }

    synchronized void connectionEnded()
    {
        notifyAll();
    }

    private long holdNs(final Direction direction, final int length)
    {
        final long throttleNs = bytesPerSecond == 0 ? 0 : length * TimeUnit.SECONDS.toNanos(1) / bytesPerSecond;
        return TimeUnit.MILLISECONDS.toNanos(delaysMs[direction.ordinal()]) + throttleNs;
    }

    private static void requireNotNegative(final long value, final String what)
    {
        if (value < 0)
        {
            throw new IllegalArgumentException(what + " cannot be negative, but is " + value + ".");
        }
    }
}
