// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.handler;

import org.odradek.protocol.record.Record;

/**
 * Receives the records of a poll, one by one, on the polling thread.
 * <p>
 * The record is a view, which is valid until the method returns; copy the bytes that you keep. The handler may call
 * {@code seek}, {@code pause}, {@code resume}, {@code unassign} and {@code wakeup} on the consumer. After a {@code
 * seek}, {@code pause} or {@code unassign} of the partition of the record, the records of the partition that have
 * arrived are discarded. Calls that poll, wait, assign or close throw {@link IllegalStateException}. If the handler
 * throws, the poll ends and {@link HandlerErrorPolicy} determines what happens: by default the record counts as not
 * delivered and its partition stops. To receive a record again without an error, implement {@link
 * ControlledRecordHandler} and return {@link ControlledRecordHandler.Action#ABORT}.
 */
@FunctionalInterface
public interface RecordHandler
{
    /**
     * Handles one record.
     *
     * @param record a view, valid until this method returns.
     */
    void onRecord(Record record);
}
