// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.handler;

import org.odradek.protocol.record.Record;

/**
 * Takes the records of a poll and says after each how to go on. What {@link RecordHandler} says of lifetime, calls and
 * exceptions holds here too. No action commits an offset to Kafka.
 */
@FunctionalInterface
public interface ControlledRecordHandler
{
    /**
     * How to go on after a record.
     */
    enum Action
    {
        /**
         * Go on; the counters are published when the poll ends.
         */
        CONTINUE,
        /**
         * Publish the counters now, then go on.
         */
        COMMIT,
        /**
         * The record counts; end this poll. The next one goes on behind it.
         */
        BREAK,
        /**
         * The record does not count; end this poll. The next one begins with it. Nothing else is delivered until it is
         * taken, or its partition paused, sought or unassigned.
         */
        ABORT
    }

    /**
     * One record.
     *
     * @param record a view of it.
     * @return how to go on; null is taken as {@link Action#CONTINUE}.
     */
    Action onRecord(Record record);
}
