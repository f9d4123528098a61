// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.live;

/**
 * A client that reads partitions from their end on and gives every value to a {@link ValueSink}. Made, polled and
 * closed by the polling thread; {@link #fetches()} is asked by the measuring one while the other stands still.
 */
public interface LiveClient extends AutoCloseable
{
    /**
     * Delivers what is there, and waits for it if the settings say so.
     */
    void poll();

    /**
     * @return fetch requests answered so far.
     */
    long fetches();

    @Override
    void close();
}
