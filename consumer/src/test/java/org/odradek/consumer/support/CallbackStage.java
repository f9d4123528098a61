// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.support;

import org.agrona.concurrent.EpochClock;
import org.odradek.consumer.CommitPolicy;
import org.odradek.consumer.ConsumerContext;
import org.odradek.consumer.GroupSettings;
import org.odradek.consumer.OffsetFile;
import org.odradek.consumer.TopicConsumer;
import org.odradek.consumer.handler.ConsumerListener;
import org.odradek.consumer.handler.FetchFrameHandler;
import org.odradek.protocol.record.Record;

import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/** A consumer all of whose callbacks are known by name, one of which makes calls when it is called first. */
public final class CallbackStage implements AutoCloseable
{
    public static final String NAME = "named.test";

    private static final long TIMEOUT_NS = TimeUnit.SECONDS.toNanos(20);
    private static final long POLL_NS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final int COMMIT_INTERVAL_MS = 5;

    /** A form of reading, whose handler is one of the callbacks. */
    @FunctionalInterface
    public interface Form
    {
        void poll(CallbackStage stage);
    }

    private final class Frames implements FetchFrameHandler
    {
        private ConsumerListener listener;

        @Override
        public void onConnect(final String topic, final EpochClock clock, final ConsumerListener newListener)
        {
            listener = newListener;
        }

        @Override
        public boolean onFrame(final Frame frame)
        {
            on("onFrame");
            // As a capture whose file is full.
            listener.onCaptureFull(Path.of("file"), 1, 1);
            return true;
        }

        @Override
        public void close()
        {
            on("FetchFrameHandler.close");
        }
    }

    private final String callback;
    private final Consumer<PublicCalls> action;
    private final AtomicLong skippedNs = new AtomicLong();
    private final Set<String> called = new TreeSet<>();
    private final List<String> values = new ArrayList<>();
    private final List<Long> offsetsSince = new ArrayList<>();
    private final OffsetFile file;
    private final TopicConsumer consumer;
    private final PublicCalls calls;
    /** By partition, the epoch and the next offset of the last record; the calls acknowledge something else. */
    private final Map<Integer, long[]> delivered = new TreeMap<>();
    private final boolean isMember;
    private Form form = CallbackStage::pollRecords;
    private boolean isArmed;

    /**
     * @param callback which makes the calls.
     * @param action   makes them.
     */
    public CallbackStage(
        final ConsumerContext context,
        final Path directory,
        final String callback,
        final Consumer<PublicCalls> action)
    {
        this.callback = callback;
        this.action = action;
        file = OffsetFile.map(directory.resolve("offsets"), OneTopicBroker.TOPIC, 8);
        context.listener((ConsumerListener)Proxy.newProxyInstance(
            getClass().getClassLoader(), new Class<?>[] {ConsumerListener.class}, (proxy, method, arguments) ->
            {
                on(method.getName());
                return null;
            }));
        context.errorHandler((error) -> on("ErrorHandler"))
            .nameResolver((host) ->
            {
                on("NameResolver");
                return new InetAddress[] {InetAddress.getByName("127.0.0.1")};
            })
            .nanoClock(() -> System.nanoTime() + skippedNs.get())
            .frameHandler(new Frames());
        final GroupSettings group = context.group();
        isMember = group != null;
        if (isMember)
        {
            group.commitPolicy(CommitPolicy.acknowledged(COMMIT_INTERVAL_MS));
            group.revocationHandler((partition, nextOffset, remainingNs) ->
            {
                on("RevocationHandler");
                return true;
            });
        }
        consumer = TopicConsumer.connect(context);
        calls = new PublicCalls(consumer, isMember, file);
    }

    private void on(final String name)
    {
        called.add(name);
        if (isArmed && calls != null && !calls.isDone() && name.equals(callback))
        {
            action.accept(calls);
            delivered.forEach((partition, last) -> acknowledge(partition, last[1]));
        }
    }

    /** Acknowledges records of the epoch of the last one, if the consumer is a member. */
    public void acknowledge(final int partition, final long nextOffset)
    {
        if (isMember)
        {
            consumer.group().acknowledgements()
                .acknowledge(partition, (int)delivered.get(partition)[0], nextOffset);
        }
    }

    /** Has the callback make its calls from now on. */
    public CallbackStage arm()
    {
        isArmed = true;
        return this;
    }

    public void form(final Form newForm)
    {
        form = newForm;
    }

    public void pollRecords()
    {
        consumer.poll(this::onRecord, 10, POLL_NS);
    }

    public void pollControlled()
    {
        consumer.controlledPoll((record) ->
        {
            on("ControlledRecordHandler");
            return null;
        }, 10, POLL_NS);
    }

    public void pollBatches()
    {
        consumer.pollBatches((batch) ->
        {
            on("BatchHandler");
            return null;
        }, 10, POLL_NS);
    }

    public void await()
    {
        consumer.await(() ->
        {
            on("BooleanSupplier");
            return false;
        }, POLL_NS);
    }

    private void onRecord(final Record record)
    {
        if (calls.isDone() && record.partition() == PublicCalls.NUMBER)
        {
            offsetsSince.add(record.offset());
        }
        delivered.put(record.partition(), new long[] {record.ownershipEpoch(), record.offset() + 1});
        acknowledge(record.partition(), record.offset() + 1);
        values.add(record.buffer().getStringWithoutLengthUtf8(record.valueIndex(), record.valueLength()));
        on("RecordHandler");
    }

    /** Has the clock of the consumer skip a time. */
    public void skipMs(final long ms)
    {
        skippedNs.addAndGet(TimeUnit.MILLISECONDS.toNanos(ms));
    }

    public TopicConsumer consumer()
    {
        return consumer;
    }

    public PublicCalls calls()
    {
        return calls;
    }

    /** Returns the callbacks that were called. */
    public Set<String> called()
    {
        return called;
    }

    /** Returns the offsets of the partition of the calls that were delivered after them. */
    public List<Long> offsetsSince()
    {
        return offsetsSince;
    }

    public int count(final String value)
    {
        return (int)values.stream().filter(value::equals).count();
    }

    public void untilCalled()
    {
        until(callback, form, calls::isDone);
    }

    /** Reads records until a condition is true. */
    public void until(final String what, final BooleanSupplier condition)
    {
        until(what, CallbackStage::pollRecords, condition);
    }

    private void until(final String what, final Form how, final BooleanSupplier condition)
    {
        final long deadlineNs = System.nanoTime() + TIMEOUT_NS;
        while (!condition.getAsBoolean())
        {
            how.poll(this);
            if (deadlineNs - System.nanoTime() < 0)
            {
                throw new AssertionError("timed out: " + what + "; called " + called + "; values " + values +
                    "\n" + consumer.describe());
            }
        }
    }

    @Override
    public void close()
    {
        try (file)
        {
            consumer.close();
        }
    }
}
