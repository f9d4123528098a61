// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.produce;

import org.odradek.benchmarks.rig.Settings;

/**
 * A producer under measurement. One thread makes it, offers records and closes it. Each record has a value that begins
 * with its number, and perhaps the number as its key.
 */
interface Producing extends AutoCloseable
{
    /** Kafka's words for when a batch is acknowledged. */
    String ACKS_ALL = "all";

    /** Is notified of each record that was acknowledged, on any thread; in order if the topic has one partition. */
    @FunctionalInterface
    interface Acknowledgements
    {
        void onAcknowledged(long number);
    }

    /** Takes the next record, once there is room for it. */
    void offer(long number);

    /** Does what is due, and waits for so long at most. */
    void work(long waitNs);

    /** Returns when every record is acknowledged. */
    void flush();

    @Override
    void close();

    /** @param acknowledgements of a trickle, whose records are sent at once; null if many records are sent. */
    static Producing open(final Settings settings, final Acknowledgements acknowledgements)
    {
        return settings.is("isOurs") ?
            new OdradekProducing(settings, acknowledgements) : new StockProducing(settings, acknowledgements);
    }
}
