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
        /** Counts the record as delivered and ends this poll. */
        BREAK,
        /**
         * Refuses the record: the record counts as not delivered, and this poll ends. A later poll delivers the record
         * again, unless {@code seek} or {@code unassign} is called for its partition first. Until the record is
         * delivered again, the other partitions usually wait, too.
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
