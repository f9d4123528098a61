// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.handler;

import org.odradek.protocol.record.Record;

/**
 * Receives the records of a poll, and decides after each how to continue. The rules of {@link RecordHandler} about
 * lifetime, calls and exceptions apply. No action commits an offset to Kafka.
 */
@FunctionalInterface
public interface ControlledRecordHandler
{
    /** How to continue after a record. */
    enum Action
    {
        /** Continue. The counters are published at the end of the poll. */
        CONTINUE,
        /** Publish the counters now, then continue. */
        COMMIT,
        /** Count the record as delivered and end this poll. The next poll begins with the record after it. */
        BREAK,
        /**
         * Do not count the record, and end this poll. The next poll begins with the same record. Nothing else is
         * delivered until the record is accepted, or its partition is paused, sought or unassigned.
         */
        ABORT
    }

    /**
     * Handle one record.
     *
     * @param record a view, valid until this method returns.
     * @return how to continue; null means {@link Action#CONTINUE}.
     */
    Action onRecord(Record record);
}
