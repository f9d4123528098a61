// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.handler;

import org.odradek.protocol.record.Record;

/**
 * Receives the records of a poll, and decides after each record how to continue. The rules of {@link RecordHandler}
 * about lifetime, calls and exceptions apply.
 */
@FunctionalInterface
public interface ControlledRecordHandler
{
    /** The ways to continue after a record. */
    enum Action
    {
        /**
         * Continues with the next record. The record is counted in {@link ConsumerCounters#RECORDS} by the end of the
         * poll.
         */
        CONTINUE,
        /**
         * Counts the record and those before it in {@link ConsumerCounters#RECORDS} at once, and continues with the
         * next record. Other threads then see during a long poll what has been delivered. This action commits nothing
         * to Kafka.
         */
        PUBLISH,
        /** Counts the record as delivered and ends this poll. The next poll begins with the record after it. */
        BREAK,
        /**
         * Refuses the record: it counts as not delivered, and this poll ends. The next poll begins with the same
         * record. Nothing else is delivered until the record is accepted, or its partition is paused, sought or
         * unassigned.
         */
        ABORT
    }

    /**
     * Handles one record.
     *
     * @param record a view, valid until this method returns.
     * @return the way to continue; null means {@link Action#CONTINUE}.
     */
    Action onRecord(Record record);
}
