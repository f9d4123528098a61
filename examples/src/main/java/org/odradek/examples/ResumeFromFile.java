// SPDX-License-Identifier: Apache-2.0
package org.odradek.examples;

import org.odradek.consumer.ConsumerContext;
import org.odradek.consumer.OffsetFile;
import org.odradek.consumer.StartPosition;
import org.odradek.consumer.TopicConsumer;
import org.odradek.consumer.handler.RecordHandler;
import org.odradek.protocol.record.Record;

import java.io.PrintStream;
import java.nio.file.Path;

/**
 * Prints records and stores the offsets in a file. However a run ends, the next one continues exactly after the last
 * record that this one finished: {@code ResumeFromFile HOST:PORT TOPIC FILE COUNT}.
 */
public final class ResumeFromFile implements RecordHandler
{
    private static final int RECORD_LIMIT = 1_000;
    private static final long WAIT_NS = 100_000_000L;

    private final OffsetFile file;
    private final PrintStream out;

    ResumeFromFile(final OffsetFile file, final PrintStream out)
    {
        this.file = file;
        this.out = out;
    }

    @Override
    public void onRecord(final Record record)
    {
        final int length = Math.max(0, record.valueLength());
        out.println(record.partition() + " " + record.offset() + " " +
            record.buffer().getStringWithoutLengthUtf8(record.valueIndex(), length));
        // Store after the work: a run that is killed between the two repeats this record and never skips one.
        // Storing is a few writes to mapped memory, cheap enough for every record.
        file.store(record.partition(), record.offset() + 1, record.leaderEpoch());
    }

    /**
     * @param args bootstrap servers, topic, file for the offsets, the number of records to print.
     */
    public static void main(final String[] args)
    {
        if (args.length != 4)
        {
            System.err.println("usage: ResumeFromFile HOST:PORT TOPIC FILE COUNT");
            System.exit(2);
        }
        read(args[0], args[1], Path.of(args[2]), Integer.parseInt(args[3]), System.out);
    }

    static void read(
        final String bootstrapServers, final String topic, final Path path, final int count, final PrintStream out)
    {
        try (OffsetFile file = OffsetFile.map(path, topic, 1);
            TopicConsumer consumer = TopicConsumer.connect(new ConsumerContext()
                .bootstrapServers(bootstrapServers).topic(topic)
                .startPosition(StartPosition.stored(file, StartPosition.earliest()))))
        {
            final ResumeFromFile handler = new ResumeFromFile(file, out);
            int left = count;
            while (left > 0)
            {
                left -= consumer.poll(handler, Math.min(left, RECORD_LIMIT), WAIT_NS);
            }
        }
    }
}
