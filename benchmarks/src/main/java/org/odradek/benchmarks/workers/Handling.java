// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.workers;

import org.odradek.benchmarks.rig.Settings;
import org.odradek.replay.FrameReplay;

/**
 * A consumer under measurement, which reads a log from its first record on and lets a {@link Tally} handle each. One
 * thread makes it, works and closes it. The records of a key are handled in order, except by the bare ring.
 */
interface Handling extends AutoCloseable
{
    /** Does what is to do on this thread, which for most is a poll, and waits a moment if there was nothing. */
    void work(int recordLimit);

    /** Polls no more, and returns when all that was polled is handled, and committed if this arm commits. */
    @Override
    void close();

    /** Returns false if close may leave polled records to the next member of the group. */
    default boolean isHandlingAll()
    {
        return true;
    }

    /** @param replay that has just begun, or null to read from a broker. */
    static Handling open(final Settings settings, final FrameReplay replay, final Tally tally)
    {
        return switch (settings.text("arm"))
        {
            case "stock-pool" -> new StockPool(settings, tally);
            case "parallel-consumer" -> new ParallelConsuming(settings, tally);
            default -> OdradekHandling.open(settings, replay, tally);
        };
    }
}
