// SPDX-License-Identifier: Apache-2.0
package org.odradek.tools.demo;

/**
 * A consumer of the demo's one partition, from its end on. All but {@link #fetches()} is called by the polling thread.
 */
interface DemoClient extends AutoCloseable
{
    /**
     * Waits {@link FetchSettings#POLL_TIMEOUT_MS} at most, and gives every value that came to the sink.
     */
    void poll();

    /**
     * @return fetch requests answered so far; called by the measuring thread.
     */
    long fetches();

    @Override
    void close();
}
