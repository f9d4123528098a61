// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.chain;

import org.agrona.CloseHelper;
import org.agrona.LangUtil;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Phaser;
import java.util.function.Supplier;

/**
 * All chains of one step: made before the step, closed after it, in the JVM of their arm. Their services run in threads
 * that do the same thing again and again; what one throws is the step's failure.
 */
abstract class Chains implements AutoCloseable
{
    /** Services of a chain; each increases the int of a message by one. */
    static final int SERVICES = 5;
    /** One before each service, and one behind the last. */
    static final int TOPICS = SERVICES + 1;
    /** An eighth of the time between two messages. */
    static final Duration ARTICLE_TIMEOUT = Duration.ofNanos(Messages.PERIOD_NS / 8);
    static final Duration STOCK_TIMEOUT = Duration.ofMillis(10);
    /** What the names of all threads of services begin with. */
    static final String THREAD_NAME = "chain";

    final Messages messages;
    private final List<CompletableFuture<Void>> threads = new ArrayList<>();
    private final List<AutoCloseable> parts = Collections.synchronizedList(new ArrayList<>());
    private final Phaser opening = new Phaser(1);
    private final CompletableFuture<Void> failure = new CompletableFuture<>();
    private volatile boolean isStopped;

    Chains(final Messages messages)
    {
        this.messages = messages;
    }

    /** Writes a message that went through so many services into a topic. Each topic has one thread that does it. */
    abstract void write(int chain, int step, int hops, long dueNs);

    /** Called again and again by the thread that writes into the first topics. */
    void work()
    {
    }

    /** What a service does with a message of its topic: it goes into the next one, or has come to the end. */
    final void pass(final int chain, final int step, final int hops, final long dueNs)
    {
        if (step == SERVICES)
        {
            messages.onEnd(chain, hops, dueNs);
        }
        else
        {
            write(chain, step + 1, hops + 1, dueNs);
        }
    }

    /** @param part that is closed after all threads have ended, in the order of these calls; or null. */
    final <T extends AutoCloseable> T closing(final T part)
    {
        parts.add(part);
        return part;
    }

    /**
     * @param name    of the thread, after {@link #THREAD_NAME}.
     * @param service opened on the thread until messages can come; gives its duty cycle, which returns soon.
     */
    final void start(final String name, final Supplier<Runnable> service)
    {
        opening.register();
        threads.add(CompletableFuture.runAsync(() ->
        {
            final Runnable dutyCycle = service.get();
            opening.arriveAndDeregister();
            while (!isStopped)
            {
                dutyCycle.run();
            }
        }, (loop) -> new Thread(loop, THREAD_NAME + name).start()).exceptionally((cause) ->
        {
            fail(cause.getCause());
            return null;
        }));
    }

    /** From any thread; the first one counts. */
    final void fail(final Throwable cause)
    {
        failure.completeExceptionally(cause);
        opening.forceTermination();
    }

    /** Throws if the step has failed. */
    final void throwFailure()
    {
        if (failure.isDone())
        {
            LangUtil.rethrowUnchecked(failure.handle((none, cause) -> cause).join());
        }
    }

    /** Returns when all services are open; throws as {@link #throwFailure()} if one cannot be opened. */
    final void awaitOpen()
    {
        opening.arriveAndAwaitAdvance();
        throwFailure();
    }

    /** Ends all services; what is still on its way is lost. */
    @Override
    public final void close()
    {
        isStopped = true;
        threads.forEach(CompletableFuture::join);
        CloseHelper.closeAll(parts);
    }
}
