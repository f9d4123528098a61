// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.rig;

import org.odradek.benchmarks.report.Usage;
import org.odradek.testkit.internal.ParentLines;

import java.io.IOException;

/**
 * Polls a live topic whenever the parent has not sent a line, on the thread that takes the lines. It reads the meters
 * between two polls, so that records and bytes belong together, and allocates nothing from the first reading to the
 * second. For that its class has no string constant: HotSpot would make the strings on this thread when C2 first
 * compiles one of its methods.
 */
final class PollingLoop
{
    private final Meters meters = new Meters();
    private final Client client;
    private final Sink sink;
    private final boolean isSpinning;
    private final EachSecond eachSecond;
    private boolean isBeginning = true;
    private long fetches;
    private Usage usage;

    /** @param eachSecond takes the figures of each second, or null. */
    PollingLoop(final Client client, final Sink sink, final boolean isSpinning, final EachSecond eachSecond)
    {
        this.client = client;
        this.sink = sink;
        this.isSpinning = isSpinning;
        this.eachSecond = eachSecond;
    }

    /** Resets all counts just before the next poll, which is after the answer has been written. */
    void begin()
    {
        isBeginning = true;
    }

    /** The meters are read before the line is taken. */
    void pollUntilAsked() throws IOException
    {
        if (isBeginning)
        {
            isBeginning = false;
            usage = new Usage();
            sink.reset();
            fetches = client.fetches();
            meters.begin();
            if (eachSecond != null)
            {
                eachSecond.begin();
            }
        }
        while (ParentLines.isEmpty())
        {
            client.poll();
            if (eachSecond != null)
            {
                eachSecond.afterPoll(sink);
            }
            if (isSpinning)
            {
                Thread.yield();
            }
        }
        meters.end(usage);
        usage.fetches = client.fetches() - fetches;
    }

    /** Returns what was used since {@link #begin()}, and closes the client. */
    Usage end() throws IOException
    {
        if (eachSecond != null)
        {
            eachSecond.end();
        }
        sink.addTo(usage);
        client.close();
        return usage;
    }
}
