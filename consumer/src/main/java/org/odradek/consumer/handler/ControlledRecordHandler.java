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
        /** Continues with the next record. */
        CONTINUE,
        /**
         * Counts the record and those before it in {@link ConsumerCounters#RECORDS} at once, and continues with the
         * next record. This action commits nothing to Kafka.
         */
        PUBLISH,
        /** Counts the record as delivered and ends this poll. */
        BREAK,
        /**
         * Refuses the record: it counts as not delivered, and this poll ends. A later poll delivers the record again,
         * unless its partition is sought or unassigned first. Until then the other partitions usually wait, too.
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
