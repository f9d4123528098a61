// SPDX-License-Identifier: Apache-2.0
package org.odradek.verification.chaos;

import org.agrona.CloseHelper;
import org.agrona.concurrent.AgentRunner;
import org.agrona.concurrent.SleepingMillisIdleStrategy;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.odradek.consumer.CommitPolicy;
import org.odradek.consumer.ConsumerContext;
import org.odradek.consumer.GroupSettings;
import org.odradek.consumer.StartPosition;
import org.odradek.consumer.TopicConsumer;
import org.odradek.consumer.handler.ConsumerListener;
import org.odradek.consumer.handler.GroupProtocol;
import org.odradek.consumer.handler.GroupState;
import org.odradek.consumer.handler.RecordHandler;
import org.odradek.consumer.handler.RevocationHandler;
import org.odradek.protocol.ErrorCode;
import org.odradek.protocol.record.Record;
import org.odradek.testkit.internal.ParentLines;
import org.odradek.verification.chaos.MemberLedger.Kind;
import org.odradek.workers.WorkerSettings;
import org.odradek.workers.Workers;

import java.io.File;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * The main class of a member of a group. It joins when its parent sends a line, appends all that happens to its ledger,
 * and obeys the lines that follow.
 */
public final class GroupMemberMain implements RecordHandler, ConsumerListener, RevocationHandler
{
    static final String READY = "ready";
    static final String JOIN = "join";
    static final String CLOSE = "close";
    /** Makes the handler block once, without keeping the member alive; milliseconds follow. */
    static final String BLOCK = "block ";
    /** Makes the handler take long once and keep the member alive; milliseconds follow. */
    static final String KEEP_ALIVE = "keep-alive ";
    /** Makes each poll from now on take so many milliseconds, which follow, if it delivers anything; 0 ends that. */
    static final String PACE = "pace ";
    /** Shuts down the executor of the thread that polls so many times; the number follows. */
    static final String SHUT_DOWN_NOW = "shut-down-now ";
    /** Makes the revocation handler never be done from now on. */
    static final String NEVER_DONE = "never-done";
    /** Makes the revocation handler be done as at the start. */
    static final String DONE = "done";
    static final String OURS = "odradek";
    /** A member of ours with two workers. */
    static final String WORKERS = "odradek-workers";
    static final String LIBRDKAFKA = "librdkafka";
    /** A revocation handler that is never done has half of it, which is more than a short session. */
    static final int REVOCATION_MS = 10_000;

    private static final int HEARTBEATS_PER_SESSION = 15;
    private static final int RECORD_LIMIT = 200;
    private static final int WAIT_MS = 20;
    private static final int COMMIT_INTERVAL_MS = 500;
    private static final int REQUEST_TIMEOUT_MS = 2_000;
    private static final int WORKER_COUNT = 2;
    /** Longer than any fault keeps the coordinator from a member, on a slow machine too. */
    private static final long CLOSE_NS = TimeUnit.SECONDS.toNanos(40);
    /** How long the work on the last records of a partition goes on before it is given up. */
    private static final long DRAIN_NS = TimeUnit.MILLISECONDS.toNanos(300);
    private static final long KEEP_ALIVE_NS = TimeUnit.MILLISECONDS.toNanos(50);
    /** Between two interrupts, so that some meet a member that closes. */
    private static final long INTERRUPTS_MS = 20;

    /**
     * What a member is.
     *
     * @param topic      also the group.
     * @param client     {@link #OURS}, {@link #WORKERS}, {@link #LIBRDKAFKA}, or the group.protocol of a
     *                   consumer of kafka-clients.
     * @param protocol   of ours, or of a consumer of librdkafka.
     * @param sessionMs  of a classic member.
     * @param instanceId or null.
     */
    record Arguments(
        String bootstrapServers, String topic, String client, String protocol, int sessionMs, String instanceId)
    {
        static Arguments of(final String[] args)
        {
            return new Arguments(
                args[1], args[2], args[3], args[4], Integer.parseInt(args[5]), args.length > 6 ? args[6] : null);
        }

        String[] toArray(final File ledger)
        {
            final List<String> args = new ArrayList<>(
                List.of(ledger.toString(), bootstrapServers, topic, client, protocol, String.valueOf(sessionMs)));
            if (instanceId != null)
            {
                args.add(instanceId);
            }
            return args.toArray(new String[0]);
        }

        boolean isClassic()
        {
            return protocol.equals(GroupRun.CLASSIC);
        }

        /** How often a classic member sends heartbeats. */
        int heartbeatMs()
        {
            return GroupMemberMain.heartbeatMs(sessionMs);
        }
    }

    private final MemberLedger ledger;
    private final Map<Integer, Long> drainedNs = new HashMap<>();
    /** Runs the thread that polls. */
    private final ExecutorService polling = Executors.newSingleThreadExecutor();
    private TopicConsumer consumer;
    private boolean isPaced;
    /** Set by the thread that reads lines. */
    private volatile boolean isClosing;
    /** Set by the thread that reads lines. */
    private volatile boolean isShutDown;
    /** Set by the thread that reads lines. */
    private volatile boolean isNeverDone;
    /** Set by the thread that reads lines. */
    private volatile long paceMs;
    /** Set by the thread that reads lines, cleared by the one that polls. */
    private volatile long blockNs;
    /** Set by the thread that reads lines, cleared by the one that polls. */
    private volatile long keepAliveNs;

    private GroupMemberMain(final MemberLedger ledger)
    {
        this.ledger = ledger;
    }

    /**
     * @param args file of the ledger, and {@link Arguments}.
     */
    public static void main(final String[] args) throws InterruptedException, ExecutionException
    {
        try (MemberLedger ledger = MemberLedger.create(new File(args[0])))
        {
            final GroupMemberMain member = new GroupMemberMain(ledger);
            System.out.println(READY);
            ParentLines.take();
            member.run(Arguments.of(args));
        }
    }

    private void run(final Arguments arguments) throws InterruptedException, ExecutionException
    {
        try
        {
            final Future<?> reading = polling.submit(() ->
            {
                switch (arguments.client)
                {
                    case OURS, WORKERS -> read(arguments);
                    case LIBRDKAFKA -> readWithLibrdkafka(arguments);
                    default -> readWithStock(arguments);
                }
            });
            final Thread obeying = new Thread(this::obey);
            obeying.setDaemon(true);
            obeying.start();
            reading.get();
        }
        finally
        {
            polling.shutdown();
        }
    }

    /** How often a classic member sends heartbeats. */
    static int heartbeatMs(final int sessionMs)
    {
        return sessionMs / HEARTBEATS_PER_SESSION;
    }

    private void obey()
    {
        try
        {
            while (!isClosing)
            {
                final String line = ParentLines.take();
                if (line.startsWith(BLOCK))
                {
                    blockNs = TimeUnit.MILLISECONDS.toNanos(Long.parseLong(line.substring(BLOCK.length())));
                }
                else if (line.startsWith(KEEP_ALIVE))
                {
                    keepAliveNs = TimeUnit.MILLISECONDS.toNanos(Long.parseLong(line.substring(KEEP_ALIVE.length())));
                }
                else if (line.startsWith(PACE))
                {
                    paceMs = Long.parseLong(line.substring(PACE.length()));
                }
                else if (line.startsWith(SHUT_DOWN_NOW))
                {
                    shutDownNow(Integer.parseInt(line.substring(SHUT_DOWN_NOW.length())));
                }
                isNeverDone = line.equals(NEVER_DONE) || isNeverDone && !line.equals(DONE);
                isClosing = line.equals(CLOSE);
            }
        }
        catch (final InterruptedException ex)
        {
            Thread.currentThread().interrupt();
        }
    }

    private void shutDownNow(final int times) throws InterruptedException
    {
        isShutDown = true;
        for (int i = 0; i < times; i++)
        {
            polling.shutdownNow();
            TimeUnit.MILLISECONDS.sleep(INTERRUPTS_MS);
        }
    }

    private void read(final Arguments arguments)
    {
        final GroupSettings group = new GroupSettings(arguments.topic)
            .instanceId(arguments.instanceId)
            .revocationTimeoutMs(REVOCATION_MS)
            .commitPolicy(arguments.client.equals(WORKERS) ?
                CommitPolicy.acknowledged(COMMIT_INTERVAL_MS) : CommitPolicy.delivered(COMMIT_INTERVAL_MS))
            .revocationHandler(this);
        if (arguments.isClassic())
        {
            group.protocol(GroupProtocol.CLASSIC)
                .sessionTimeoutMs(arguments.sessionMs).heartbeatIntervalMs(arguments.heartbeatMs());
        }
        final ConsumerContext context = new ConsumerContext()
            .bootstrapServers(arguments.bootstrapServers)
            .topic(arguments.topic)
            .startPosition(StartPosition.earliest())
            .fetchMaxBytes(64 * 1024)
            .fetchMaxWaitMs(250)
            .requestTimeoutMs(REQUEST_TIMEOUT_MS)
            .connectTimeoutMs(REQUEST_TIMEOUT_MS)
            .metadataMaxAgeMs(1_000)
            .listener(this)
            .errorHandler((error) -> System.out.println(error.getMessage()))
            .group(group);
        if (arguments.client.equals(WORKERS))
        {
            dispatch(context);
        }
        else
        {
            poll(context);
        }
        if (isShutDown && !Thread.currentThread().isInterrupted())
        {
            throw new IllegalStateException("The close has not set the interrupt flag again.");
        }
    }

    private void poll(final ConsumerContext context)
    {
        consumer = TopicConsumer.connect(context);
        try (TopicConsumer closed = consumer)
        {
            while (!isClosing && !Thread.currentThread().isInterrupted())
            {
                ledger.beginPoll();
                isPaced = paceMs > 0;
                closed.poll(this, RECORD_LIMIT, TimeUnit.MILLISECONDS.toNanos(WAIT_MS));
            }
            closed.close(CLOSE_NS);
        }
    }

    /** Polls, and has workers on threads of their own take the records, those of a partition in order. */
    private void dispatch(final ConsumerContext context)
    {
        final Workers workers = Workers.connect(context, new WorkerSettings(WORKER_COUNT, (worker) -> (record) ->
        {
            onRecord(record);
            return null;
        }).router((record, count) -> record.partition() % count));
        final List<AgentRunner> runners = new ArrayList<>();
        for (int w = 0; w < WORKER_COUNT; w++)
        {
            runners.add(new AgentRunner(
                new SleepingMillisIdleStrategy(1), Throwable::printStackTrace, null, workers.worker(w)));
            AgentRunner.startOnThread(runners.get(w));
        }
        consumer = workers.consumer();
        while (!isClosing && !Thread.currentThread().isInterrupted())
        {
            ledger.beginPoll();
            consumer.controlledPoll(workers.handler(), RECORD_LIMIT, TimeUnit.MILLISECONDS.toNanos(WAIT_MS));
            workers.doWork();
        }
        consumer.close(CLOSE_NS);
        workers.close();
        CloseHelper.closeAll(runners);
    }

    @Override
    public void onRecord(final Record record)
    {
        ledger.append(Kind.DELIVERED, record.partition(), record.offset(), ChaosRecord.sequence(
            record.partition(), record.buffer(), record.valueIndex(), record.valueLength()));
        if (isPaced)
        {
            isPaced = false;
            ledger.append(Kind.SLOW, record.partition(), paceMs, 0);
            sleep(TimeUnit.MILLISECONDS.toNanos(paceMs));
        }
        if (blockNs > 0)
        {
            ledger.append(Kind.BLOCKED, record.partition(), 0, 0);
            sleep(blockNs);
            blockNs = 0;
        }
        final long endNs = System.nanoTime() + keepAliveNs;
        for (; keepAliveNs > 0; keepAliveNs = System.nanoTime() - endNs < 0 ? keepAliveNs : 0)
        {
            consumer.keepAlive();
            LockSupport.parkNanos(KEEP_ALIVE_NS);
        }
    }

    /** An interrupt ends it, and stays set. */
    private static void sleep(final long ns)
    {
        final long endNs = System.nanoTime() + ns;
        while (System.nanoTime() - endNs < 0 && !Thread.currentThread().isInterrupted())
        {
            LockSupport.parkNanos(endNs - System.nanoTime());
        }
    }

    @Override
    public boolean onRevoking(final int partition, final long nextOffset, final long remainingNs)
    {
        final long nowNs = System.nanoTime();
        return !isNeverDone && nowNs - drainedNs.computeIfAbsent(partition, (id) -> nowNs + DRAIN_NS) >= 0;
    }

    @Override
    public void onPartitionAssigned(final int partition, final long nextOffset)
    {
        drainedNs.remove(partition);
        ledger.append(Kind.ASSIGNED, partition, nextOffset, 0);
    }

    @Override
    public void onPartitionRevoked(final int partition, final long nextOffset, final long committedOffset)
    {
        ledger.append(Kind.REVOKED, partition, committedOffset, 0);
    }

    @Override
    public void onPartitionLost(final int partition, final long nextOffset, final long committedOffset)
    {
        ledger.append(Kind.LOST, partition, nextOffset, 0);
    }

    @Override
    public void onGroupState(final GroupState state, final int memberEpoch, final String reason)
    {
        System.out.println(state + " in epoch " + memberEpoch + ": " + reason);
        ledger.epoch(memberEpoch);
        final boolean isError = state == GroupState.FENCED || state == GroupState.FAILED;
        ledger.append(Kind.STATE, 0, state.ordinal(), isError ? errorIn(reason) : ErrorCode.NONE);
    }

    /** The code of the error that a sentence names. */
    private static short errorIn(final String reason)
    {
        for (short code = 1; code < Byte.MAX_VALUE; code++)
        {
            if (reason.contains(" " + ErrorCode.name(code)))
            {
                return code;
            }
        }
        return ErrorCode.UNKNOWN_SERVER_ERROR;
    }

    private void readWithLibrdkafka(final Arguments arguments)
    {
        try (LibrdkafkaMember member = new LibrdkafkaMember(ledger, arguments))
        {
            while (!isClosing && member.isAlive())
            {
                sleep(TimeUnit.MILLISECONDS.toNanos(WAIT_MS));
            }
        }
    }

    private void readWithStock(final Arguments arguments)
    {
        final Map<String, Object> properties = new HashMap<>(Map.of(
            ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, arguments.bootstrapServers,
            ConsumerConfig.GROUP_ID_CONFIG, arguments.topic,
            ConsumerConfig.GROUP_PROTOCOL_CONFIG, arguments.client,
            ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest",
            ConsumerConfig.AUTO_COMMIT_INTERVAL_MS_CONFIG, COMMIT_INTERVAL_MS,
            ConsumerConfig.MAX_POLL_RECORDS_CONFIG, RECORD_LIMIT,
            ConsumerConfig.METADATA_MAX_AGE_CONFIG, 1_000));
        if (arguments.client.equals(GroupRun.CLASSIC))
        {
            properties.put(ConsumerConfig.SESSION_TIMEOUT_MS_CONFIG, arguments.sessionMs);
            properties.put(ConsumerConfig.HEARTBEAT_INTERVAL_MS_CONFIG, arguments.heartbeatMs());
        }
        try (KafkaConsumer<byte[], byte[]> stock =
            new KafkaConsumer<>(properties, new ByteArrayDeserializer(), new ByteArrayDeserializer()))
        {
            stock.subscribe(List.of(arguments.topic), new StockListener());
            while (!isClosing)
            {
                ledger.beginPoll();
                for (final ConsumerRecord<byte[], byte[]> record : stock.poll(Duration.ofMillis(WAIT_MS)))
                {
                    ledger.append(Kind.DELIVERED, record.partition(), record.offset(),
                        ChaosRecord.sequence(record.partition(), record.value()));
                }
            }
        }
    }

    /** Appends the events of a consumer of kafka-clients. */
    private final class StockListener implements ConsumerRebalanceListener
    {
        @Override
        public void onPartitionsAssigned(final Collection<TopicPartition> partitions)
        {
            partitions.forEach((partition) -> ledger.append(Kind.ASSIGNED, partition.partition(), 0, 0));
        }

        @Override
        public void onPartitionsRevoked(final Collection<TopicPartition> partitions)
        {
            partitions.forEach((partition) -> ledger.append(Kind.REVOKED, partition.partition(), 0, 0));
        }

        @Override
        public void onPartitionsLost(final Collection<TopicPartition> partitions)
        {
            partitions.forEach((partition) -> ledger.append(Kind.LOST, partition.partition(), 0, 0));
        }
    }
}
