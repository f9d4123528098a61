// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.support;

import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.odradek.testkit.TopicClient;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Supplier;

/**
 * Stock producers that append to partition 0 of one topic in random order: a transactional one for each codec, which
 * commits or aborts at random, and one that is only idempotent.
 */
public final class RandomProducers implements AutoCloseable
{
    public static final List<String> CODECS = List.of("none", "gzip", "snappy", "lz4", "zstd");

    private final Random random;
    private final Supplier<ProducerRecord<byte[], byte[]>> records;
    private final List<Producer<byte[], byte[]>> transactional = new ArrayList<>();
    private final Producer<byte[], byte[]> plain;
    private final boolean[] isOpen = new boolean[CODECS.size()];
    private int committed;
    private int aborted;

    /**
     * @param name    begins the transactional ids.
     * @param records gives what is appended.
     */
    public RandomProducers(
        final TopicClient client,
        final String name,
        final Random random,
        final Supplier<ProducerRecord<byte[], byte[]>> records)
    {
        this.random = random;
        this.records = records;
        plain = client.producer(Map.of("compression.type", "zstd", "linger.ms", 1));
        for (final String codec : CODECS)
        {
            final Producer<byte[], byte[]> producer = client.producer(Map.of(
                "transactional.id", name + codec, "compression.type", codec, "linger.ms", 1,
                // With more, the broker refuses the next batch if the first one is delayed.
                "max.in.flight.requests.per.connection", 1,
                // The broker must not end a transaction because the machine is slow.
                "transaction.timeout.ms", 800_000));
            transactional.add(producer);
            producer.initTransactions();
        }
    }

    /** Appends some records or ends a transaction. */
    public void turn()
    {
        final int turn = random.nextInt(CODECS.size() + 1);
        if (turn == CODECS.size())
        {
            send(plain);
            return;
        }
        final Producer<byte[], byte[]> producer = transactional.get(turn);
        if (!isOpen[turn])
        {
            producer.beginTransaction();
            isOpen[turn] = true;
        }
        else if (random.nextInt(3) == 0)
        {
            end(turn);
            return;
        }
        send(producer);
    }

    private void send(final Producer<byte[], byte[]> producer)
    {
        for (int i = random.nextInt(12); i >= 0; i--)
        {
            producer.send(records.get());
        }
        if (random.nextBoolean())
        {
            producer.flush();
        }
    }

    private void end(final int turn)
    {
        final Producer<byte[], byte[]> producer = transactional.get(turn);
        if (random.nextInt(4) != 0)
        {
            // Otherwise a producer that aborts discards the records that it has not sent.
            producer.flush();
        }
        if (random.nextBoolean())
        {
            producer.abortTransaction();
            aborted++;
        }
        else
        {
            producer.commitTransaction();
            committed++;
        }
        isOpen[turn] = false;
    }

    /** Ends every transaction that is open. */
    public void endAll()
    {
        for (int i = 0; i < isOpen.length; i++)
        {
            if (isOpen[i])
            {
                end(i);
            }
        }
        plain.flush();
    }

    /** Waits until all records are stored; transactions stay open. */
    public void flush()
    {
        transactional.forEach(Producer::flush);
        plain.flush();
    }

    public boolean hasOpen()
    {
        for (final boolean open : isOpen)
        {
            if (open)
            {
                return true;
            }
        }
        return false;
    }

    public int committed()
    {
        return committed;
    }

    public int aborted()
    {
        return aborted;
    }

    @Override
    public void close()
    {
        transactional.forEach(Producer::close);
        plain.close();
    }
}
