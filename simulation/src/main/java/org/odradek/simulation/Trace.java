// SPDX-License-Identifier: Apache-2.0
package org.odradek.simulation;

import java.nio.ByteBuffer;
import java.util.function.Consumer;
import java.util.zip.CRC32C;

/**
 * The digest of all that occurs in a run, and its text if somebody wants to read it. Two runs of one seed have equal
 * digests on every JDK.
 */
final class Trace implements Observer
{
    private static final long NANOS_PER_SECOND = 1_000_000_000L;
    private static final long MULTIPLIER = 0x9E3779B97F4A7C15L;

    private final SimulatedClock clock;
    private final Consumer<String> lines;
    private final CRC32C crc = new CRC32C();
    private long digest;

    /**
     * @param clock of the run.
     * @param lines receives the text, or null.
     */
    Trace(final SimulatedClock clock, final Consumer<String> lines)
    {
        this.clock = clock;
        this.lines = lines;
    }

    long digest()
    {
        return digest;
    }

    boolean hasText()
    {
        return lines != null;
    }

    /** Adds a line to the text only; the digest has what the line is made of. */
    void text(final String line)
    {
        if (lines != null)
        {
            final long nowNs = clock.nowNs();
            lines.accept(nowNs / NANOS_PER_SECOND + "." +
                Long.toString(NANOS_PER_SECOND + nowNs % NANOS_PER_SECOND).substring(1) + " " + line);
        }
    }

    /** Adds an event that is described by its name and two numbers. */
    void event(final String name, final long first, final long second)
    {
        add(clock.nowNs());
        add(name.hashCode());
        add(first);
        add(second);
        if (lines != null)
        {
            text(name + " " + first + " " + second);
        }
    }

    private void add(final long value)
    {
        digest = (digest ^ value) * MULTIPLIER;
        digest ^= digest >>> 29;
    }

    @Override
    public void onConnect(final Link link)
    {
        event("connect", link.id, link.host.port);
        textOf(link, "connecting");
    }

    @Override
    public void onLinkChanged(final Link link)
    {
        event("link", link.id, link.state());
        textOf(link, "changed");
    }

    @Override
    public void onClose(final Link link)
    {
        event("close", link.id, 0);
    }

    private void textOf(final Link link, final String what)
    {
        if (lines != null)
        {
            text(link + ": " + what + ", state " + link.state());
        }
    }

    @Override
    public void onRequest(final Link link, final ByteBuffer frame)
    {
        event("request", link.id, crcOf(frame));
        if (lines != null)
        {
            text(link + ": request of api " + frame.getShort(0) + " version " + frame.getShort(2) + " with id " +
                frame.getInt(4) + ", " + frame.remaining() + " bytes");
        }
    }

    @Override
    public void onResponse(final Link link, final ByteBuffer frame)
    {
        event("response", link.id, crcOf(frame));
        if (lines != null)
        {
            text(link + ": response of " + frame.remaining() + " bytes");
        }
    }

    private long crcOf(final ByteBuffer frame)
    {
        crc.reset();
        crc.update(frame.array(), frame.arrayOffset() + frame.position(), frame.remaining());
        return crc.getValue();
    }

    @Override
    public void onAwait(final long startNs, final long timeoutNs, final int ready)
    {
        event("await", timeoutNs, ready);
    }

    @Override
    public void onAppend(final int partition, final long baseOffset, final long lastOffset)
    {
        event("append", partition, lastOffset);
    }

    @Override
    public void onFault(final FaultKind kind)
    {
        event(kind.name(), 0, 0);
    }

    @Override
    public void onPhase(final Phase phase)
    {
        event(phase.name(), 0, 0);
    }
}
