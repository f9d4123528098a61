// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.chain;

/**
 * All chains of one step, ready to carry messages: made before it, closed after it, in the JVM of their arm.
 */
interface Chains extends AutoCloseable
{
    /** Services of a chain; each increases the int of a message by one. */
    int SERVICES = 5;

    /** One before each service, and one behind the last. */
    int TOPICS = SERVICES + 1;

    /**
     * Writes a message into the first topic of a chain. Called by one thread.
     *
     * @param chain      0 to the number of chains - 1.
     * @param intendedNs when the schedule wants it sent, which is the message's long.
     */
    void send(int chain, long intendedNs);

    /** Ends all services; what is still on its way is lost. */
    @Override
    void close();
}
