// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.link;

import org.agrona.BufferUtil;

import java.nio.ByteBuffer;
import java.util.concurrent.locks.LockSupport;

/**
 * What is on its way in one direction, between a thread that puts and one that takes: each packet can be taken when its
 * time has come. With a window no more is put than the window allows: a packet counts until as long after its time as
 * it was on its way, as if an acknowledgement came back. All memory is allocated at the start. Times are those of
 * {@link System#nanoTime()}.
 */
final class DelayRing
{
    static final int NO_WINDOW = Integer.MAX_VALUE;
    /** A wake-up costs more than this is worth: what is due so soon leaves together. */
    private static final long TOGETHER_NS = 50_000;
    /** A bottleneck has a queue of this length. */
    private static final long LONGEST_QUEUE_NS = 200_000_000;

    private final int slotLength;
    private final int slots;
    private final int window;
    private final ByteBuffer putView;
    private final ByteBuffer takeView;
    private final int[] lengths;
    private final long[] dueNs;
    /** These four belong to the thread that puts. */
    private long acknowledged;
    private long unacknowledgedBytes;
    private long freeNs = System.nanoTime();
    private long lastDueNs = freeNs;
    /** Written by the thread that puts, read by the other. */
    private volatile long tail;
    /** Written by the thread that takes, read by the other. */
    private volatile long head;
    /** Set by the thread that takes while it has nothing to wait for. */
    private volatile Thread idle;
    /** Set by whoever changes the link. */
    private volatile LinkConditions conditions = LinkConditions.NONE;

    /**
     * @param slotLength most bytes of a packet.
     * @param slots      most packets on their way.
     * @param window     bytes in a round trip, or {@link #NO_WINDOW}.
     */
    DelayRing(final int slotLength, final int slots, final int window)
    {
        this.slotLength = slotLength;
        this.slots = slots;
        this.window = window;
        // One more, into which a packet is read that then finds no place.
        putView = ByteBuffer.allocateDirect(slotLength * (slots + 1));
        takeView = putView.duplicate();
        lengths = new int[slots + 1];
        dueNs = new long[slots + 1];
    }

    void set(final LinkConditions next)
    {
        conditions = next;
    }

    /** Returns the address of index 0 of what {@link #claim()} and {@link #await()} return. */
    long address()
    {
        return BufferUtil.address(putView);
    }

    boolean isLost(final double draw)
    {
        return conditions.isLost(draw);
    }

    /** Returns the memory of the next packet, between position and limit. */
    ByteBuffer claim()
    {
        return view(putView, slot(tail), slotLength);
    }

    /** Returns how many bytes the next packet may have; 0 if there is no place for one. */
    int room(final long nowNs)
    {
        final long ackNs = window == NO_WINDOW ? 0 : conditions.oneWayNs();
        while (acknowledged < head && dueNs[slot(acknowledged)] + ackNs - nowNs <= 0)
        {
            unacknowledgedBytes -= lengths[slot(acknowledged)];
            acknowledged++;
        }
        return tail - acknowledged == slots || freeNs - nowNs > LONGEST_QUEUE_NS ? 0 :
            (int) Math.min(slotLength, Math.max(0, window - unacknowledgedBytes));
    }

    /** Sends what is in the claimed memory on its way; there must be room for it. */
    void put(final int length, final long nowNs)
    {
        final LinkConditions now = conditions;
        freeNs = Math.max(freeNs, nowNs) + now.sendNs(length);
        // A link that has become shorter does not change the order.
        lastDueNs = Math.max(lastDueNs, freeNs + now.oneWayNs());
        lengths[slot(tail)] = length;
        dueNs[slot(tail)] = lastDueNs;
        unacknowledgedBytes += length;
        tail++;
        LockSupport.unpark(idle);
    }

    /** Returns when the first packet is due, or {@link Long#MAX_VALUE} if there is none. */
    long nextNs()
    {
        return head == tail ? Long.MAX_VALUE : dueNs[slot(head)];
    }

    /** Returns the first packet, between position and limit, once it is due, and waits for it. */
    ByteBuffer await()
    {
        idle = Thread.currentThread();
        while (head == tail)
        {
            LockSupport.park(this);
        }
        idle = null;
        for (long waitNs = nextNs() - System.nanoTime(); waitNs > TOGETHER_NS; waitNs = nextNs() - System.nanoTime())
        {
            LockSupport.parkNanos(waitNs);
        }
        return first();
    }

    ByteBuffer first()
    {
        return view(takeView, slot(head), lengths[slot(head)]);
    }

    /** Lets the memory of the first packet be used again. */
    void remove()
    {
        head++;
    }

    private int slot(final long index)
    {
        return (int) (index % (slots + 1));
    }

    private ByteBuffer view(final ByteBuffer view, final int slot, final int length)
    {
        return view.limit(slot * slotLength + length).position(slot * slotLength);
    }
}
