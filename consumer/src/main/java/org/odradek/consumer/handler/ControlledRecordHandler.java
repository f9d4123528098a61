// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.handler;

import org.odradek.protocol.record.Record;

/**
 * Receives the records of a poll, and decides after each how to continue. The rules of {@link RecordHandler} about
 * lifetime, calls and exceptions apply.
 */
@FunctionalInterface
public interface ControlledRecordHandler
{
    /** How to continue after a record. */
    enum Action
    {
        /** Continue. {@link ConsumerCounters#RECORDS} counts the record at the end of the poll. */
        CONTINUE,
        /**
         * Count the record, and those before it, in {@link ConsumerCounters#RECORDS} now, so that other threads see
         * during a long poll what has been delivered; then continue. This commits nothing to Kafka.
         */
        PUBLISH,
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
