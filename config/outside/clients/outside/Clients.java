// SPDX-License-Identifier: Apache-2.0
package outside;

import org.agrona.CloseHelper;
import org.agrona.concurrent.AgentRunner;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.odradek.client.Poller;
import org.odradek.client.TransportType;
import org.odradek.consumer.CommitPolicy;
import org.odradek.consumer.ConsumerContext;
import org.odradek.consumer.GroupSettings;
import org.odradek.consumer.StartPosition;
import org.odradek.consumer.TopicConsumer;
import org.odradek.consumer.handler.ControlledRecordHandler.Action;
import org.odradek.protocol.record.Record;
import org.odradek.publisher.InputBarrier;
import org.odradek.publisher.Publisher;
import org.odradek.publisher.PublisherContext;
import org.odradek.publisher.PublisherCounters;
import org.odradek.publisher.TopicPublisher;
import org.odradek.workers.WorkerSettings;
import org.odradek.workers.Workers;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * Reads three records as a member of a group, copies them to another topic by a pipeline, and reads them with two
 * workers: {@code Clients HOST:PORT NAME}. The copies are in the topic NAME, which must be empty.
 */
public final class Clients
{
    private static final int RECORDS = 3;
    private static final long WAIT_NS = 100_000_000L;
    private static final long READY_TIMEOUT_NS = 30_000_000_000L;

    private Clients()
    {
    }

    public static void main(final String[] args) throws InterruptedException
    {
        System.out.println("group " + read(consumerOf(args[0], "demo", args[1] + "-group")));
        System.out.println("committed " + committed(args[0], args[1] + "-group"));
        copy(args[0], args[1]);
        System.out.println("pipeline " + read(consumerOf(args[0], args[1], null)));
        System.out.println("workers " + work(args[0], args[1] + "-workers"));
    }

    private static ConsumerContext consumerOf(final String servers, final String topic, final String group)
    {
        final ConsumerContext context =
            new ConsumerContext().bootstrapServers(servers).topic(topic).startPosition(StartPosition.earliest());
        return group == null ? context : context.group(new GroupSettings(group));
    }

    private static String text(final Record record)
    {
        return record.buffer().getStringWithoutLengthUtf8(record.valueIndex(), record.valueLength());
    }

    private static List<String> read(final ConsumerContext context)
    {
        final List<String> texts = new ArrayList<>();
        try (TopicConsumer consumer = TopicConsumer.connect(context))
        {
            while (texts.size() < RECORDS)
            {
                consumer.poll((record) -> texts.add(text(record)), RECORDS - texts.size(), WAIT_NS);
            }
        }
        return texts;
    }

    private static long committed(final String servers, final String group)
    {
        try (TopicConsumer consumer = TopicConsumer.connect(consumerOf(servers, "demo", null)
            .startPosition(StartPosition.committed(group, StartPosition.earliest()))))
        {
            if (!consumer.awaitReady(READY_TIMEOUT_NS))
            {
                throw new IllegalStateException(consumer.describe());
            }
            return consumer.nextOffset(0);
        }
    }

    private static void copy(final String servers, final String name)
    {
        try (Poller poller = ConsumerContext.openPoller(TransportType.AUTO);
            TopicConsumer consumer = TopicConsumer.connect(consumerOf(servers, "demo", null).poller(poller)
                .group(new GroupSettings(name + "-pipeline").commitPolicy(CommitPolicy.acknowledged())));
            Publisher publisher =
                Publisher.connect(new PublisherContext().bootstrapServers(servers).poller(poller)))
        {
            final TopicPublisher copies = publisher.topic(name);
            final InputBarrier barrier = publisher.inputBarrier(consumer.group().acknowledgements(), 1);
            while (publisher.counters().get(PublisherCounters.RECORDS_ACKNOWLEDGED) < RECORDS)
            {
                consumer.controlledPoll((record) ->
                {
                    final long position = copies.offer(0, null, 0, TopicPublisher.NULL_LENGTH,
                        record.buffer(), record.valueIndex(), record.valueLength());
                    if (position < 0)
                    {
                        return Action.ABORT;
                    }
                    barrier.processed(record.partition(), record.ownershipEpoch(), record.offset() + 1);
                    return Action.CONTINUE;
                }, RECORDS, WAIT_NS);
                publisher.doWork();
            }
        }
    }

    private static List<String> work(final String servers, final String group) throws InterruptedException
    {
        final BlockingQueue<String> texts = new LinkedBlockingQueue<>();
        final List<AgentRunner> runners = new ArrayList<>();
        final Workers workers = Workers.connect(consumerOf(servers, "demo", null)
            .group(new GroupSettings(group).commitPolicy(CommitPolicy.acknowledged())),
            new WorkerSettings(2, (worker) -> (record) ->
            {
                texts.add(text(record));
                return Action.CONTINUE;
            }));
        runners.add(new AgentRunner(
            new BackoffIdleStrategy(), Throwable::printStackTrace, null, workers.dispatcher()));
        for (int i = 0; i < workers.count(); i++)
        {
            runners.add(new AgentRunner(
                new BackoffIdleStrategy(), Throwable::printStackTrace, null, workers.worker(i)));
        }
        runners.forEach(AgentRunner::startOnThread);
        final List<String> taken = new ArrayList<>();
        while (taken.size() < RECORDS)
        {
            taken.add(texts.take());
        }
        CloseHelper.closeAll(runners);
        workers.close();
        return taken;
    }
}
