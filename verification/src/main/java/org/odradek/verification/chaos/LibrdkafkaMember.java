// SPDX-License-Identifier: Apache-2.0
package org.odradek.verification.chaos;

import org.agrona.concurrent.UnsafeBuffer;
import org.odradek.verification.chaos.MemberLedger.Kind;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;

/**
 * A member of a group that reads with librdkafka: a Python program in a process of its own, whose lines are appended to
 * the ledger. It needs a {@code python3} with the package confluent-kafka, which holds the library.
 */
final class LibrdkafkaMember implements AutoCloseable
{
    /** The clock of Python's monotonic_ns is that of System.nanoTime. It ends with the input from its parent. */
    private static final String PROGRAM = """
        import base64, sys, threading, time
        from confluent_kafka import Consumer

        closing = threading.Event()

        def obey():
            sys.stdin.readline()
            closing.set()

        def log(kind, partition, offset=0, value=b'-'):
            print(kind, time.monotonic_ns(), partition, offset, base64.b64encode(value).decode(), flush=True)

        def on(kind):
            return lambda consumer, partitions: [log(kind, each.partition) for each in partitions]

        threading.Thread(target=obey, daemon=True).start()
        settings = {
            'bootstrap.servers': sys.argv[1], 'group.id': sys.argv[2], 'group.protocol': sys.argv[3],
            'auto.offset.reset': 'earliest', 'auto.commit.interval.ms': 500,
            'topic.metadata.refresh.interval.ms': 1000}
        if sys.argv[3] == 'classic':
            settings['session.timeout.ms'] = int(sys.argv[4])
            settings['heartbeat.interval.ms'] = int(sys.argv[5])
        consumer = Consumer(settings)
        consumer.subscribe([sys.argv[2]], on_assign=on('ASSIGNED'), on_revoke=on('REVOKED'), on_lost=on('LOST'))
        while not closing.is_set():
            message = consumer.poll(0.02)
            if message is not None and message.error() is None:
                log('DELIVERED', message.partition(), message.offset(), message.value() or b'-')
        consumer.close()
        """;

    private final Process python;
    private final Thread reading;

    LibrdkafkaMember(final MemberLedger ledger, final GroupMemberMain.Arguments arguments)
    {
        try
        {
            python = new ProcessBuilder("python3", "-u", "-c", PROGRAM, arguments.bootstrapServers(),
                arguments.topic(), arguments.protocol(), String.valueOf(arguments.sessionMs()),
                String.valueOf(arguments.heartbeatMs()))
                .redirectError(ProcessBuilder.Redirect.INHERIT).start();
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
        reading = new Thread(() -> read(ledger), "librdkafka");
        reading.start();
    }

    /** Returns the version of librdkafka, or null if there is none. */
    static String version()
    {
        try
        {
            final Process python = new ProcessBuilder(
                "python3", "-c", "import confluent_kafka; print(confluent_kafka.libversion()[0])").start();
            final String version =
                new String(python.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
            return python.waitFor() == 0 ? version : null;
        }
        catch (final IOException ex)
        {
            return null;
        }
        catch (final InterruptedException ex)
        {
            Thread.currentThread().interrupt();
            return null;
        }
    }

    boolean isAlive()
    {
        return python.isAlive();
    }

    private void read(final MemberLedger ledger)
    {
        try (BufferedReader lines =
            new BufferedReader(new InputStreamReader(python.getInputStream(), StandardCharsets.UTF_8)))
        {
            for (String line = lines.readLine(); line != null; line = lines.readLine())
            {
                final String[] words = line.split(" ");
                final int partition = Integer.parseInt(words[2]);
                final byte[] value = Base64.getDecoder().decode(words[4]);
                ledger.append(Kind.valueOf(words[0]), Long.parseLong(words[1]), partition, Long.parseLong(words[3]),
                    ChaosRecord.sequence(partition, new UnsafeBuffer(value), 0, value.length));
            }
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }

    /** Lets it leave the group, and returns when all of its lines are in the ledger. */
    @Override
    public void close()
    {
        try
        {
            python.getOutputStream().close();
            reading.join();
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
        catch (final InterruptedException ex)
        {
            Thread.currentThread().interrupt();
        }
    }
}
