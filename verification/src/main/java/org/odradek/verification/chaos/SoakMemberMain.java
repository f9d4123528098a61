// SPDX-License-Identifier: Apache-2.0
package org.odradek.verification.chaos;

import org.agrona.concurrent.Agent;
import org.agrona.concurrent.AgentRunner;
import org.agrona.concurrent.CompositeAgent;
import org.agrona.concurrent.SleepingMillisIdleStrategy;
import org.odradek.consumer.CommitPolicy;
import org.odradek.consumer.ConsumerContext;
import org.odradek.consumer.GroupSettings;
import org.odradek.consumer.StartPosition;
import org.odradek.consumer.handler.ControlledRecordHandler;
import org.odradek.consumer.handler.ControlledRecordHandler.Action;
import org.odradek.consumer.handler.HandlerErrorPolicy;
import org.odradek.publisher.Compression;
import org.odradek.publisher.FailedBatch;
import org.odradek.publisher.InputBarrier;
import org.odradek.publisher.Publisher;
import org.odradek.publisher.PublisherContext;
import org.odradek.publisher.PublisherListener;
import org.odradek.publisher.TopicPublisher;
import org.odradek.testkit.internal.ParentLines;
import org.odradek.workers.Worker;
import org.odradek.workers.WorkerCounters;
import org.odradek.workers.WorkerSettings;
import org.odradek.workers.Workers;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * The main class of the process under a soak: a member of a group with two workers, each of which publishes its records
 * with a publisher of its own. When its parent asks, it measures itself.
 */
public final class SoakMemberMain
{
    static final String READY = "ready";
    /** Asks for a sample; the answer begins with it, and has the figures of {@link ProcessMeter#measure}. */
    static final String SAMPLE = "sample ";
    static final String CLOSE = "close";
    /** Begins a line of counters, which are written before the end. */
    static final String COUNTERS = "counters ";
    /** An argument: at each sample heap, direct memory, a descriptor and a thread are leaked. */
    static final String LEAK = "leak";

    private static final int WORKER_COUNT = 2;
    private static final int REQUEST_TIMEOUT_MS = 2_000;
    private static final int BARRIER_MS = 1;
    private static final int COMMIT_MS = 500;
    private static final int CLOSE_MS = 30_000;
    private static final int LEAK_LENGTH = 256 * 1024;

    private final Workers workers;
    private final List<Publisher> publishers = new ArrayList<>();
    private final List<AgentRunner> runners = new ArrayList<>();
    private final List<Object> leaked = new ArrayList<>();

    private SoakMemberMain(final String bootstrapServers)
    {
        for (int w = 0; w < WORKER_COUNT; w++)
        {
            publishers.add(Publisher.connect(new PublisherContext()
                .bootstrapServers(bootstrapServers)
                .compression(Compression.ZSTD)
                .requestTimeoutMs(REQUEST_TIMEOUT_MS)
                .connectTimeoutMs(REQUEST_TIMEOUT_MS)
                .listener(new GivenUp())
                .errorHandler(System.out::println)));
        }
        workers = Workers.connect(
            new ConsumerContext()
            .bootstrapServers(bootstrapServers)
            .topic(ChaosPipeline.INPUT)
            .startPosition(StartPosition.earliest())
            .requestTimeoutMs(REQUEST_TIMEOUT_MS)
            .connectTimeoutMs(REQUEST_TIMEOUT_MS)
            .handlerErrorPolicy(HandlerErrorPolicy.THROW)
            .errorHandler(System.out::println)
            .group(new GroupSettings(ChaosPipeline.GROUP).commitPolicy(CommitPolicy.acknowledged(COMMIT_MS))),
            new WorkerSettings(WORKER_COUNT, this::handler));
        start(workers.dispatcher());
        for (int w = 0; w < WORKER_COUNT; w++)
        {
            start(new CompositeAgent(workers.worker(w), publishers.get(w)));
        }
    }

    /**
     * @param args bootstrap servers, and perhaps {@link #LEAK}.
     */
    public static void main(final String[] args) throws InterruptedException, IOException
    {
        final SoakMemberMain member = new SoakMemberMain(args[0]);
        final ProcessMeter meter = new ProcessMeter();
        System.out.println(READY);
        while (!ParentLines.take().equals(CLOSE))
        {
            if (args.length > 1)
            {
                member.leak();
            }
            System.out.println(SAMPLE + Arrays.toString(meter.measure(member.records())));
        }
        member.close();
    }

    private void start(final Agent agent)
    {
        runners.add(new AgentRunner(new SleepingMillisIdleStrategy(1), SoakMemberMain::end, null, agent));
        AgentRunner.startOnThread(runners.get(runners.size() - 1));
    }

    /** A soak of a process that works no more is over. */
    private static void end(final Object reason)
    {
        System.out.println("The process ends: " + reason);
        Runtime.getRuntime().halt(1);
    }

    private ControlledRecordHandler handler(final Worker worker)
    {
        final Publisher publisher = publishers.get(worker.index());
        final TopicPublisher output = publisher.topic(ChaosPipeline.OUTPUT);
        final InputBarrier barrier = publisher.inputBarrier(worker.completion(), BARRIER_MS);
        return (record) ->
        {
            final int partition = output.nextPartition();
            if (partition < 0 || output.offer(partition, record.buffer(), 0, TopicPublisher.NULL_LENGTH,
                record.buffer(), record.valueIndex(), record.valueLength()) < 0)
            {
                return Action.ABORT;
            }
            barrier.processed(0, 1, worker.position());
            return Action.CONTINUE;
        };
    }

    private long records()
    {
        long records = 0;
        for (int w = 0; w < WORKER_COUNT; w++)
        {
            records += workers.counters().get(w, WorkerCounters.RECORDS);
        }
        return records;
    }

    private void leak() throws IOException
    {
        final Thread thread = new Thread(() ->
        {
            while (true)
            {
                LockSupport.park();
            }
        });
        thread.setDaemon(true);
        thread.start();
        leaked.add(thread);
        leaked.add(new byte[LEAK_LENGTH]);
        leaked.add(ByteBuffer.allocateDirect(LEAK_LENGTH));
        leaked.add(DatagramChannel.open());
    }

    /** Closes the dispatcher first, which waits for the workers and commits. */
    private void close()
    {
        runners.forEach((runner) -> runner.close(CLOSE_MS, null));
        System.out.println(COUNTERS + "consumer: " + workers.consumer().counters());
        publishers.forEach((publisher) -> System.out.println(COUNTERS + "publisher: " + publisher.counters()));
    }

    /** A batch that is given up keeps the records before it from being acknowledged. */
    private static final class GivenUp implements PublisherListener
    {
        @Override
        public void onFailed(final FailedBatch batch)
        {
            end(batch);
        }
    }
}
