// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.handler;

import org.odradek.protocol.record.Record;

/**
 * Receives the records of a poll, one by one, on the polling thread.
 * <p>
 * The record is a view, which is valid until the method returns; copy what you keep. The handler may call {@code seek},
 * {@code pause}, {@code resume}, {@code unassign} and {@code wakeup} on the consumer; they take effect when the handler
 * returns. {@code poll}, {@code assign} and {@code close} throw. If the handler throws, the record counts as delivered,
 * the error handler receives its partition, its offset and the cause, and the poll ends. To receive the record again,
 * implement {@link ControlledRecordHandler} and return {@link ControlledRecordHandler.Action#ABORT}.
 */
@FunctionalInterface
public interface RecordHandler
{
    /**
     * Handle one record.
     *
     * @param record a view, valid until this method returns.
     */
    void onRecord(Record record);
}
