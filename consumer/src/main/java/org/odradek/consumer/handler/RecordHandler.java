// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.handler;

import org.odradek.protocol.record.Record;

/**
 * Takes the records of a poll, one call each, on the polling thread.
 * <p>
 * The record is a view: it is valid until the call returns, and what is kept must be copied. From here {@code seek},
 * {@code pause}, {@code resume}, {@code unassign} and {@code wakeup} may be called on the consumer, and act when this
 * returns; {@code poll}, {@code assign} and {@code close} throw. If this throws, the record counts as delivered, the
 * error handler is told its partition and offset, and the poll ends; who wants the record again implements
 * {@link ControlledRecordHandler} and returns {@link ControlledRecordHandler.Action#ABORT}.
 */
@FunctionalInterface
public interface RecordHandler
{
    /**
     * One record.
     *
     * @param record a view of it.
     */
    void onRecord(Record record);
}
