// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.live;

/**
 * What the paced producer is told, and how it travels to its JVM.
 *
 * @param bootstrap        where it begins, HOST:PORT.
 * @param topic            that it writes to.
 * @param partitions       that take turns, record by record.
 * @param recordsPerSecond over all partitions.
 * @param valueLength      bytes, at least eight.
 * @param lingerMs         how long a record may wait for others.
 * @param acks             0, 1 or all.
 */
public record ProducerSettings(
    String bootstrap, String topic, int[] partitions, int recordsPerSecond, int valueLength, int lingerMs, String acks)
{
    public ProducerSettings
    {
        if (valueLength < Long.BYTES)
        {
            throw new IllegalArgumentException("A value holds a time of 8 bytes, so it cannot have " + valueLength +
                ".");
        }
        if (recordsPerSecond < 1)
        {
            throw new IllegalArgumentException("At least one record a second is sent, not " + recordsPerSecond + ".");
        }
    }

    ProducerSettings atRate(final int newRecordsPerSecond)
    {
        return new ProducerSettings(
            bootstrap, topic, partitions, newRecordsPerSecond, valueLength, lingerMs, acks);
    }

    static ProducerSettings parse(final String... arguments)
    {
        final Arguments read = new Arguments(arguments);
        return new ProducerSettings(read.text("bootstrap"), read.text("topic"), read.numbers("partitions"),
            read.number("recordsPerSecond"), read.number("valueLength"), read.number("lingerMs"), read.text("acks"));
    }

    String[] toArguments()
    {
        return new String[]{"bootstrap=" + bootstrap, "topic=" + topic, "partitions=" + Arguments.join(partitions),
            "recordsPerSecond=" + recordsPerSecond, "valueLength=" + valueLength, "lingerMs=" + lingerMs,
            "acks=" + acks};
    }
}
