// SPDX-License-Identifier: Apache-2.0
package org.odradek.verification.matrix;

import org.odradek.consumer.IsolationLevel;
import org.odradek.consumer.StartPosition;
import org.odradek.consumer.handler.GroupProtocol;
import org.odradek.publisher.Acks;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * The readings that must succeed with a broker of any version: every codec in every format from the beginning, from an
 * offset, from a time and from the end, transactions with both isolation levels, what our publisher has written, and
 * the members of a group.
 */
final class SmokeSuite
{
    private static final int MIDDLE = 421;
    private static final IsolationLevel UNCOMMITTED = IsolationLevel.READ_UNCOMMITTED;

    private final KafkaVersion version;
    private final VersionedBroker broker;
    private final SmokeReading.Tally tally = new SmokeReading.Tally();

    SmokeSuite(final KafkaVersion version, final VersionedBroker broker)
    {
        this.version = version;
        this.broker = broker;
    }

    SmokeReading.Tally run() throws IOException, InterruptedException
    {
        final List<SmokeTopic> topics = version.topics();
        broker.write("fill", topics);
        for (final SmokeTopic topic : topics)
        {
            readWhatIsThere(topic);
        }
        readTransactions();
        if (version.hasSecureListener())
        {
            final SmokeTopic topic = new SmokeTopic("none", 2);
            read(broker.secureProperties(), topic.name(), topic, StartPosition.earliest(), UNCOMMITTED,
                IntStream.range(0, SmokeTopic.COUNT).toArray());
        }
        publish(topics);
        readFromTheEnd(topics);
        readAsGroup();
        return tally;
    }

    /** Each codec with acks all, and with acks 1 over the secure listener, if there is one; then reads it. */
    private void publish(final List<SmokeTopic> topics)
    {
        topics.stream().filter(SmokeTopic::hasHeaders).forEach((topic) ->
        {
            publish(plaintext(), topic, topic.published(SmokeTopic.ACKS_ALL), Acks.ALL);
            publish(secureOrPlaintext(), topic, topic.published(SmokeTopic.ACKS_LEADER), Acks.LEADER);
        });
    }

    private void publish(
        final Map<String, String> connection, final SmokeTopic topic, final String name, final Acks acks)
    {
        SmokePublishing.publish(connection, name, topic.codec(), acks, tally);
        read(name, topic, StartPosition.earliest(), UNCOMMITTED, IntStream.range(0, SmokeTopic.COUNT).toArray());
    }

    private void readAsGroup() throws InterruptedException
    {
        final Map<String, String> secure = secureOrPlaintext();
        if (!version.hasClassicGroups())
        {
            new SmokeGroup("refused", GroupProtocol.AUTO, plaintext(), secure).refuse(SmokeTopic.TRANSACTIONS, tally);
            return;
        }
        new SmokeGroup("group", GroupProtocol.AUTO, plaintext(), secure).share(version.hasConsumerGroups(), tally);
        if (version.hasConsumerGroups())
        {
            new SmokeGroup("classic-group", GroupProtocol.CLASSIC, plaintext(), secure).share(false, tally);
        }
    }

    private void readWhatIsThere(final SmokeTopic topic) throws IOException
    {
        final int magic = broker.storedMagic(topic.name());
        if (magic != topic.magic())
        {
            tally.problems.add(topic.name() + " is stored with magic " + magic);
        }
        read(topic, StartPosition.earliest(), 0);
        read(topic, StartPosition.offset(MIDDLE), MIDDLE);
        if (topic.hasTimestamps())
        {
            // One millisecond after the previous record.
            read(topic, StartPosition.timestamp(SmokeTopic.timestamp(MIDDLE - 1) + 1), MIDDLE);
        }
    }

    private void read(final SmokeTopic topic, final StartPosition position, final int first)
    {
        read(topic.name(), topic, position, UNCOMMITTED, IntStream.range(first, SmokeTopic.COUNT).toArray());
    }

    private void readTransactions()
    {
        final SmokeTopic topic = new SmokeTopic("none", 2);
        final int length = SmokeTopic.TRANSACTION_LENGTH;
        read(SmokeTopic.TRANSACTIONS, topic, StartPosition.earliest(), UNCOMMITTED,
            IntStream.range(0, 3 * length).toArray());
        read(SmokeTopic.TRANSACTIONS, topic, StartPosition.earliest(), IsolationLevel.READ_COMMITTED,
            IntStream.concat(IntStream.range(0, length), IntStream.range(2 * length, 3 * length)).toArray());
    }

    private void read(
        final String name,
        final SmokeTopic topic,
        final StartPosition position,
        final IsolationLevel isolation,
        final int[] expected)
    {
        read(plaintext(), name, topic, position, isolation, expected);
    }

    private Map<String, String> secureOrPlaintext()
    {
        return version.hasSecureListener() ? broker.secureProperties() : plaintext();
    }

    private Map<String, String> plaintext()
    {
        return Map.of("bootstrap.servers", broker.bootstrapServers());
    }

    private void read(
        final Map<String, String> connection,
        final String name,
        final SmokeTopic topic,
        final StartPosition position,
        final IsolationLevel isolation,
        final int[] expected)
    {
        try (SmokeReading reading =
            new SmokeReading(connection, name, topic, position, isolation, expected))
        {
            reading.read(tally);
        }
    }

    private void readFromTheEnd(final List<SmokeTopic> topics)
    {
        final int[] expected = IntStream.range(SmokeTopic.COUNT, SmokeTopic.COUNT + SmokeTopic.MORE).toArray();
        final List<SmokeReading> readings = new ArrayList<>();
        try
        {
            for (final SmokeTopic topic : topics)
            {
                readings.add(new SmokeReading(plaintext(), topic.name(), topic, StartPosition.latest(),
                    UNCOMMITTED, expected));
                readings.get(readings.size() - 1).ready();
            }
            broker.write("more", topics);
            readings.forEach((reading) -> reading.read(tally));
        }
        finally
        {
            readings.forEach(SmokeReading::close);
        }
    }
}
