// SPDX-License-Identifier: Apache-2.0
package org.odradek.flink;

import org.apache.flink.api.common.serialization.DeserializationSchema;
import org.apache.flink.api.java.typeutils.ResultTypeQueryable;
import org.apache.flink.util.Collector;
import org.odradek.protocol.record.Record;

import java.io.Serializable;

/**
 * Converts records to the elements of a stream. It is called on the thread of the task. If a deserializer creates no
 * object and passes the same element each time, the source allocates nothing; enable object reuse then, or Flink copies
 * each element.
 *
 * @param <T> the type of the elements.
 */
public interface RecordDeserializer<T> extends Serializable, ResultTypeQueryable<T>
{
    /**
     * Prepares a deserializer, once for each reader, before the first record.
     *
     * @throws Exception that fails the task.
     */
    default void open(final DeserializationSchema.InitializationContext context) throws Exception
    {
    }

    /**
     * Emits no, one or several elements for a record. The elements have the timestamp of the record.
     *
     * @param record a view, valid until this method returns: copy the bytes that an element keeps.
     * @param output takes the elements, and calls the operators that are chained to the source.
     * @throws Exception that fails the task.
     */
    void deserialize(Record record, Collector<T> output) throws Exception;

    /**
     * Passes a copy of each value to a schema of Flink. The copy is a new array for each record; a value that is null
     * is passed as null.
     */
    static <T> RecordDeserializer<T> valueOnly(final DeserializationSchema<T> schema)
    {
        return new ValueDeserializer<>(schema);
    }
}
