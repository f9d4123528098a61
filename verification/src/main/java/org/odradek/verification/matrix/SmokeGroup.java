// SPDX-License-Identifier: Apache-2.0
package org.odradek.verification.matrix;

import org.apache.kafka.clients.admin.AdminClient;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.GroupType;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.odradek.consumer.ConsumerContext;
import org.odradek.consumer.GroupSettings;
import org.odradek.consumer.StartPosition;
import org.odradek.consumer.TopicConsumer;
import org.odradek.consumer.handler.ConsumerCounters;
import org.odradek.consumer.handler.GroupProtocol;
import org.odradek.consumer.handler.GroupState;
import org.odradek.verification.matrix.SmokeReading.Tally;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;

/**
 * The checks of consumer groups with one broker, on one thread. Members join and leave a group while records are
 * written, at first ours only, then one of ours and one of the stock client with the classic protocol, whose group is
 * converted and converted back if ours has the protocol consumer. Ours connect to the plaintext listener and to the
 * secure one in turn. Each record must be delivered once. A broker without such groups must be reported.
 */
final class SmokeGroup
{
    private static final int PARTITIONS = 4;
    /** Records of each partition in each round. */
    private static final int RECORDS = 50;
    private static final int ROUNDS = 8;
    private static final int HEARTBEAT_MS = 500;
    private static final long LIMIT_NS = TimeUnit.SECONDS.toNanos(60);
    private static final long POLL_NS = TimeUnit.MILLISECONDS.toNanos(10);
    private static final String SENTENCE = "classic groups need brokers from 2.3 on";

    private final String topic;
    private final GroupProtocol protocol;
    private final Map<String, String> plaintext;
    private final Map<String, String> secure;
    private final String bootstrap;
    private final int[][] seen = new int[PARTITIONS][ROUNDS * RECORDS];
    private final StringBuilder errors = new StringBuilder();
    private final List<TopicConsumer> members = new ArrayList<>();
    /** Null while no stock consumer is in the group. */
    private KafkaConsumer<byte[], byte[]> stock;
    private int joined;
    private int written;
    private int count;
    private int wrong;

    /**
     * @param topic     also the group.
     * @param plaintext what connects to the plaintext listener.
     * @param secure    what connects to the secure listener, or as before if there is none.
     */
    SmokeGroup(
        final String topic,
        final GroupProtocol protocol,
        final Map<String, String> plaintext,
        final Map<String, String> secure)
    {
        this.topic = topic;
        this.protocol = protocol;
        this.plaintext = plaintext;
        this.secure = secure;
        bootstrap = plaintext.get("bootstrap.servers");
    }

    /** Expects a sentence of a broker that has no such groups; the topic has been written. */
    void refuse(final String existing, final Tally sum)
    {
        try (TopicConsumer member = connect(existing))
        {
            members.add(member);
            until("the refusal", () -> member.group().state() == GroupState.FAILED);
        }
        catch (final IllegalStateException ex)
        {
            sum.problems.add(ex.getMessage());
            return;
        }
        if (errors.indexOf(SENTENCE) < 0)
        {
            sum.problems.add("a member of a group was refused without the reason: " + errors);
        }
    }

    /** @param isConsumer whether ours become members by the protocol consumer. */
    void share(final boolean isConsumer, final Tally sum) throws InterruptedException
    {
        try (AdminClient admin = AdminClient.create(Map.of("bootstrap.servers", bootstrap)))
        {
            admin.createTopics(List.of(new NewTopic(topic, PARTITIONS, (short)1))).all().get();
            shareAmongOurs();
            shareWithStock(admin, isConsumer ? GroupType.CONSUMER : GroupType.CLASSIC);
            shareAsFirst();
            readOverSeveralConnections();
        }
        catch (final IllegalStateException | ExecutionException ex)
        {
            sum.problems.add(ex.getMessage());
        }
        finally
        {
            members.forEach(TopicConsumer::close);
            if (stock != null)
            {
                stock.close();
            }
        }
        count(sum);
    }

    /** Two members share the partitions, and the last one commits everything when it leaves. */
    private void shareAmongOurs()
    {
        final TopicConsumer first = join();
        until("all partitions", () -> owned(first) == PARTITIONS);
        writeAndRead();
        final TopicConsumer second = join();
        until("two members", () -> owned(first) == PARTITIONS / 2 && owned(second) == PARTITIONS / 2);
        writeAndRead();
        leave(first);
        until("one member", () -> owned(second) == PARTITIONS);
        writeAndRead();
        leave(second);
    }

    /** The stock member begins where ours has committed, and its group may be converted while one of ours is in it. */
    private void shareWithStock(final AdminClient admin, final GroupType shared)
        throws ExecutionException, InterruptedException
    {
        joinStock();
        until("the classic member", () -> stock.assignment().size() == PARTITIONS);
        writeAndRead();
        expect(admin, GroupType.CLASSIC);
        final TopicConsumer ours = join();
        until("both members", () -> owned(ours) == PARTITIONS / 2 && stock.assignment().size() == PARTITIONS / 2);
        writeAndRead();
        expect(admin, shared);
        leave(ours);
        until("the classic member again", () -> stock.assignment().size() == PARTITIONS);
        writeAndRead();
        expect(admin, GroupType.CLASSIC);
    }

    /** Ours was there before the stock member, and so divides the partitions of a classic group. */
    private void shareAsFirst()
    {
        stock.close();
        stock = null;
        final TopicConsumer ours = join();
        until("the first member", () -> owned(ours) == PARTITIONS);
        writeAndRead();
        joinStock();
        until("the second member",
            () -> owned(ours) == PARTITIONS / 2 && stock.assignment().size() == PARTITIONS / 2);
        writeAndRead();
    }

    /** Reads everything again without the group, a batch with each fetch, so that the partitions lag. */
    private void readOverSeveralConnections()
    {
        final int[] next = new int[PARTITIONS];
        final long startNs = System.nanoTime();
        try (TopicConsumer consumer = TopicConsumer.connect(ConsumerContext.from(plaintext).topic(topic)
            .startPosition(StartPosition.earliest()).fetchMaxBytes(1).fetchConnections(PARTITIONS)))
        {
            while (Arrays.stream(next).sum() < PARTITIONS * written)
            {
                consumer.poll((record) ->
                    wrong += record.offset() == next[record.partition()]++ ? 0 : 1, RECORDS, POLL_NS);
                if (System.nanoTime() - startNs > LIMIT_NS)
                {
                    throw new IllegalStateException("read only " + Arrays.toString(next) + consumer.describe());
                }
            }
            if (consumer.counters().get(ConsumerCounters.FETCH_CONNECTIONS_ADDED) == 0)
            {
                throw new IllegalStateException("one connection was used for all partitions: " + consumer.describe());
            }
        }
    }

    private void joinStock()
    {
        stock = new KafkaConsumer<>(Map.of("bootstrap.servers", bootstrap, "group.id", topic, "group.protocol",
            "classic", "auto.offset.reset", "earliest", "heartbeat.interval.ms", HEARTBEAT_MS),
            new ByteArrayDeserializer(), new ByteArrayDeserializer());
        stock.subscribe(List.of(topic));
    }

    private TopicConsumer join()
    {
        final TopicConsumer member = connect(topic);
        members.add(member);
        return member;
    }

    private TopicConsumer connect(final String read)
    {
        return TopicConsumer.connect(ConsumerContext.from(joined++ % 2 == 0 ? plaintext : secure)
            .topic(read)
            .startPosition(StartPosition.earliest())
            .group(new GroupSettings(topic).protocol(protocol).heartbeatIntervalMs(HEARTBEAT_MS))
            .errorHandler((error) -> errors.append(error.getMessage()).append(' ')));
    }

    private void leave(final TopicConsumer member)
    {
        member.group().leave();
        until("a leave", () -> member.group().state() == GroupState.LEFT);
        members.remove(member);
        member.close();
    }

    private static long owned(final TopicConsumer member)
    {
        return IntStream.range(0, PARTITIONS).filter(member.group()::isOwned).count();
    }

    private void expect(final AdminClient admin, final GroupType type) throws ExecutionException, InterruptedException
    {
        final GroupType found =
            admin.describeConsumerGroups(List.of(topic)).describedGroups().get(topic).get().type();
        if (found != type)
        {
            throw new IllegalStateException("the group is of the type " + found + " and not " + type);
        }
    }

    private void writeAndRead()
    {
        try (Producer<byte[], byte[]> producer = new KafkaProducer<>(
            Map.of("bootstrap.servers", bootstrap), new ByteArraySerializer(), new ByteArraySerializer()))
        {
            for (int i = 0; i < PARTITIONS * RECORDS; i++)
            {
                producer.send(new ProducerRecord<>(topic, i % PARTITIONS, null, new byte[]{1}));
            }
        }
        written += RECORDS;
        until("all records", () -> count >= PARTITIONS * written);
    }

    private void until(final String what, final BooleanSupplier condition)
    {
        final long startNs = System.nanoTime();
        while (!condition.getAsBoolean())
        {
            if (System.nanoTime() - startNs > LIMIT_NS)
            {
                throw new IllegalStateException("the group waited too long for " + what + ": " + count +
                    " records, " + (stock == null ? "" : "stock owns " + stock.assignment() + ", ") + errors + members);
            }
            members.forEach((member) ->
                member.poll((record) -> seen(record.partition(), record.offset()), RECORDS, POLL_NS));
            if (stock != null)
            {
                stock.poll(Duration.ofNanos(POLL_NS))
                    .forEach((record) -> seen(record.partition(), record.offset()));
            }
        }
    }

    private void seen(final int partition, final long offset)
    {
        count++;
        if (offset < written)
        {
            seen[partition][(int)offset]++;
        }
        else
        {
            wrong++;
        }
    }

    private void count(final Tally sum)
    {
        int lost = 0;
        int repeated = 0;
        for (final int[] partition : seen)
        {
            for (int i = 0; i < written; i++)
            {
                lost += partition[i] == 0 ? 1 : 0;
                repeated += Math.max(0, partition[i] - 1);
            }
        }
        sum.add(count, lost, repeated, wrong);
        if (errors.length() > 0 || lost + repeated + wrong > 0)
        {
            sum.problems.add(topic + ": " + lost + " lost, " + repeated + " repeated, " + wrong + " wrong; " + errors);
        }
    }
}
