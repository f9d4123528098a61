// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.core;

import org.agrona.LangUtil;
import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.message.MetadataResponseData;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.odradek.client.core.CounterWriter;
import org.odradek.client.core.SafeCallbacks;
import org.odradek.consumer.ConsumerContext;
import org.odradek.consumer.TopicConsumer;
import org.odradek.consumer.handler.ConsumerCounters;
import org.odradek.consumer.handler.ConsumerListener;
import org.odradek.consumer.handler.FetchFrameHandler;
import org.odradek.consumer.handler.HandlerErrorPolicy;
import org.odradek.consumer.handler.StallPhase;
import org.odradek.consumer.support.OneTopicBroker;
import org.odradek.consumer.support.Reading;
import org.odradek.harness.model.ModelPeer;
import org.odradek.protocol.PrintableText;
import org.odradek.testkit.AllocationMeter;

import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.Parameter;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Tests listeners, error handlers and frame handlers that throw: no record is lost or repeated, and every error is
 * reported.
 */
class SafeCallbacksTest
{
    private final CounterWriter counters = new CounterWriter();
    private final List<Throwable> errors = new ArrayList<>();

    /** Returns an argument that no other parameter of the method has. */
    private static Object argument(final Parameter parameter)
    {
        final Class<?> type = parameter.getType();
        final int index = List.of(parameter.getDeclaringExecutable().getParameters()).indexOf(parameter);
        return type == int.class ? (Object)(10 + index) : type == long.class ? (Object)(20L + index) :
            type == short.class ? (Object)(short)(30 + index) : type == String.class ? "text " + index :
            type.isEnum() ? type.getEnumConstants()[0] : type == Path.class ? Path.of("file") : null;
    }

    @Test
    void shouldPassOnEveryEventWithItsArguments() throws Exception
    {
        final List<String> received = new ArrayList<>();
        final ConsumerListener listener = listener((method, arguments) ->
            received.add(method.getName() + Arrays.toString(arguments)));
        final SafeCallbacks callbacks = new SafeCallbacks(errors::add, counters);
        final ConsumerListener safe = new SafeConsumerListener(listener, callbacks);
        final List<String> sent = new ArrayList<>();
        for (final Method method : ConsumerListener.class.getMethods())
        {
            final Object[] arguments =
                Arrays.stream(method.getParameters()).map(SafeCallbacksTest::argument).toArray();
            sent.add(method.getName() + Arrays.toString(arguments));
            method.invoke(safe, arguments);
        }

        assertTrue(sent.size() > 10);
        assertEquals(sent, received);
        assertEquals(List.of(), errors);
    }

    /** A machine that throttles or stands still now and then must not end the promise of 0 bytes. */
    @Test
    void shouldPassOnStallsAndThrottlesWithoutAllocating()
    {
        final ConsumerListener safe =
            new SafeConsumerListener(ConsumerListener.NONE, new SafeCallbacks(errors::add, counters));

        assertEquals(0, new AllocationMeter().leastBytes(20, () ->
        {
            for (int i = 0; i < 1_000; i++)
            {
                safe.onStall(StallPhase.WAITING, i);
                safe.onThrottled(1, i);
            }
        }));
    }

    /** Kotlin, Scala and Lombok throw checked exceptions where Java cannot. */
    @Test
    void shouldCatchCheckedExceptions()
    {
        final IOException ofTheListener = new IOException("listener");
        final IOException ofTheErrorHandler = new IOException("error handler");
        final ConsumerListener listener = new ConsumerListener()
        {
            @Override
            public void onCaughtUp(final int partition, final long nextOffset)
            {
                LangUtil.rethrowUnchecked(ofTheListener);
            }

            @Override
            public void onPartitionAdded(final int partition)
            {
                LangUtil.rethrowUnchecked(ofTheListener);
            }
        };
        final SafeCallbacks callbacks = new SafeCallbacks((error) ->
        {
            errors.add(error);
            LangUtil.rethrowUnchecked(ofTheErrorHandler);
        }, counters);
        final ConsumerListener safe = new SafeConsumerListener(listener, callbacks);

        safe.onCaughtUp(0, 1);
        safe.onPartitionAdded(0);

        assertEquals(2, counters.get(ConsumerCounters.LISTENER_ERRORS));
        assertSame(ofTheListener, errors.get(1).getCause());
        assertSame(ofTheErrorHandler, assertThrows(IOException.class, callbacks::rethrow));
    }

    /** A new event whose words may be those of a broker has to pass them through PrintableText, too. */
    @Test
    void shouldCleanTheWordsOfEveryEvent() throws Exception
    {
        final List<Object> received = new ArrayList<>();
        final ConsumerListener listener = listener((method, arguments) -> received.addAll(Arrays.asList(arguments)));
        final SafeCallbacks callbacks = new SafeCallbacks(errors::add, counters);
        final ConsumerListener safe = new SafeConsumerListener(listener, callbacks);
        for (final Method method : ConsumerListener.class.getMethods())
        {
            final Object[] arguments = Arrays.stream(method.getParameters()).map((parameter) ->
                parameter.getType() == String.class ? "forged\n\u001b[2J\u009b\u202e" + "x".repeat(9_000) :
                argument(parameter)).toArray();
            method.invoke(safe, arguments);
        }

        final List<String> words = received.stream().filter((argument) -> argument instanceof String)
            .map(String::valueOf).toList();
        assertTrue(words.size() >= 12, words::toString);
        for (final String word : words)
        {
            assertTrue(word.startsWith("forged??[2J??xx") && word.length() <= PrintableText.MAX_SENTENCE_LENGTH, word);
        }
    }

    @Test
    void shouldReportEveryEventInWhichTheListenerFailsToTheErrorHandler() throws Exception
    {
        final RuntimeException failure = new IllegalStateException("listener");
        final ConsumerListener listener = listener((method, arguments) ->
        {
            throw failure;
        });
        final SafeCallbacks callbacks = new SafeCallbacks(errors::add, counters);
        final ConsumerListener safe = new SafeConsumerListener(listener, callbacks);
        final Method[] methods = ConsumerListener.class.getMethods();
        for (final Method method : methods)
        {
            method.invoke(safe,
                Arrays.stream(method.getParameters()).map(SafeCallbacksTest::argument).toArray());
            final Throwable error = errors.get(errors.size() - 1);
            assertTrue(error.getMessage().contains("in " + method.getName() + ";"), error::getMessage);
            assertSame(failure, error.getCause());
        }
        assertEquals(methods.length, errors.size());
        assertEquals(methods.length, counters.get(ConsumerCounters.LISTENER_ERRORS));
        assertFalse(callbacks.hasThrown());
    }

    @Test
    void shouldReportAFrameHandlerThatThrowsAndCountItsFrameAsNotKept()
    {
        final RuntimeException failure = new IllegalStateException("handler");
        final FetchFrameHandler handler = (FetchFrameHandler)Proxy.newProxyInstance(
            FetchFrameHandler.class.getClassLoader(), new Class<?>[] {FetchFrameHandler.class},
            (proxy, method, arguments) ->
            {
                if (method.getName().equals("onFrame"))
                {
                    throw failure;
                }
                return method.getName().equals("toString") ? "H" : null;
            });
        try (OneTopicBroker broker = OneTopicBroker.start(1).append(0, "a");
            TopicConsumer consumer = TopicConsumer.connect(
                Reading.context(broker).frameHandler(handler).errorHandler(errors::add)))
        {
            assertEquals(1, consumer.poll((record) -> { }, 10, TimeUnit.SECONDS.toNanos(30)));

            assertEquals("The fetch frame handler H threw an exception for a response of broker 7; " +
                "the frame counts as not captured.", errors.get(0).getMessage());
            assertSame(failure, errors.get(0).getCause());
            assertEquals(errors.size(), consumer.counters().get(ConsumerCounters.ERRORS));
            assertEquals(errors.size(), consumer.counters().get(ConsumerCounters.FRAMES_NOT_CAPTURED));
            assertEquals(0, consumer.counters().get(ConsumerCounters.FRAMES_CAPTURED));
        }
    }

    private interface Hearing
    {
        void hear(Method method, Object[] arguments);
    }

    private static ConsumerListener listener(final Hearing hearing)
    {
        return (ConsumerListener)Proxy.newProxyInstance(
            ConsumerListener.class.getClassLoader(), new Class<?>[] {ConsumerListener.class},
            (proxy, method, arguments) ->
            {
                hearing.hear(method, arguments);
                return null;
            });
    }

    /** So that none leaves half of a change behind. */
    // Behaviour P236, tried 2026-11-29: An Error of a listener, an error handler or a revocation handler is thrown at
    // the end of the poll, after all changes are complete: each partition is reported as lost or revoked, and
    // heartbeats continue.
    @Test
    void shouldKeepEachErrorOfACallbackAndThrowItOnce() throws Exception
    {
        final List<Error> thrown = new ArrayList<>();
        final ConsumerListener listener = listener((method, arguments) ->
        {
            thrown.add(new AssertionError(method.getName()));
            throw thrown.get(thrown.size() - 1);
        });
        final Error ofTheErrorHandler = new AssertionError("error handler");
        final SafeCallbacks callbacks = new SafeCallbacks((error) ->
        {
            errors.add(error);
            throw ofTheErrorHandler;
        }, counters);
        final ConsumerListener safe = new SafeConsumerListener(listener, callbacks);
        for (final Method method : ConsumerListener.class.getMethods())
        {
            method.invoke(safe,
                Arrays.stream(method.getParameters()).map(SafeCallbacksTest::argument).toArray());
        }
        callbacks.onError(new Exception("one"));

        assertTrue(callbacks.hasThrown());
        final Error first = assertThrows(AssertionError.class, callbacks::rethrow);
        assertSame(thrown.get(0), first);
        thrown.add(ofTheErrorHandler);
        assertEquals(thrown.subList(1, thrown.size()), List.of(first.getSuppressed()));
        assertEquals(thrown.size() - 1, counters.get(ConsumerCounters.LISTENER_ERRORS));
        assertEquals(1, errors.size());
        assertDoesNotThrow(callbacks::rethrow);
    }

    @Test
    void shouldKeepTheExceptionOfTheErrorHandlerAndThrowItOnce()
    {
        final RuntimeException first = new IllegalStateException("first");
        final RuntimeException second = new IllegalStateException("second");
        final List<RuntimeException> toThrow = new ArrayList<>(List.of(first, second, first));
        final SafeCallbacks callbacks = new SafeCallbacks((error) ->
        {
            throw toThrow.remove(0);
        }, counters);
        callbacks.rethrow();
        for (int i = 0; i < 3; i++)
        {
            callbacks.onError(new Exception());
        }

        assertTrue(callbacks.hasThrown());
        assertSame(first, assertThrows(RuntimeException.class, callbacks::rethrow));
        assertEquals(List.of(second), List.of(first.getSuppressed()));
        assertFalse(callbacks.hasThrown());
        assertDoesNotThrow(callbacks::rethrow);
    }

    // Behaviour J129.
    @ParameterizedTest
    @ValueSource(longs = {0, Long.MAX_VALUE / 4})
    void shouldReadEverythingOnceWhenCallbacksThrow(final long timeoutNs)
    {
        try (OneTopicBroker broker = OneTopicBroker.start(2).append(0, "a", "b").append(1, "x", "y"))
        {
            // given events, and errors of the topic, of a partition and of the handler
            final AtomicInteger calls = new AtomicInteger();
            broker.script(ApiMessageType.METADATA, (call) -> calls.getAndIncrement() > 0 ? null :
                call.answer(unknownTopic(call, broker)));
            broker.script(1, (requested) -> broker.fetchCount(1) > 1 ? null : OneTopicBroker.error(1, 29));
            final ConsumerListener failing = listener((method, arguments) ->
            {
                throw new IllegalStateException("listener");
            });
            final ConsumerContext context = Reading.context(broker).handlerErrorPolicy(HandlerErrorPolicy.SKIP);
            context.listener(failing).errorHandler((error) ->
            {
                errors.add(error);
                throw new IllegalArgumentException("error handler", error);
            });
            final List<String> values = new ArrayList<>();
            int thrown = 0;
            final long events;

            // when polled until all is read; a poll that waits ends when the error handler throws
            final long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
            try (TopicConsumer consumer = TopicConsumer.connect(context))
            {
                while (values.size() < 4 && System.nanoTime() - deadlineNs < 0)
                {
                    try
                    {
                        consumer.poll((record) ->
                        {
                            values.add(record.buffer().getStringWithoutLengthUtf8(
                                record.valueIndex(), record.valueLength()));
                            throw new IllegalStateException("handler");
                        }, 10, timeoutNs);
                    }
                    catch (final IllegalArgumentException ex)
                    {
                        assertEquals("error handler", ex.getMessage());
                        thrown++;
                    }
                }
                assertEquals(4, consumer.counters().get(ConsumerCounters.RECORDS));
                assertEquals(4, consumer.counters().get(ConsumerCounters.HANDLER_ERRORS));
                events = consumer.counters().get(ConsumerCounters.LISTENER_ERRORS);
            }

            // then each record was delivered once, and each error was reported
            values.sort(null);
            assertEquals(List.of("a", "b", "x", "y"), values);
            assertTrue(thrown > 0 && thrown <= errors.size(), thrown + " thrown, " + errors);
            assertTrue(events >= 2, "two partitions were added");
            assertEquals(4 + 2 + events, errors.size(), errors::toString);
        }
    }

    private static MetadataResponseData unknownTopic(final ModelPeer.Call call, final OneTopicBroker broker)
    {
        final MetadataResponseData response = broker.metadata(call);
        response.topics().find(OneTopicBroker.TOPIC).setErrorCode((short)3).partitions().clear();
        return response;
    }

    // Behaviour J125.
    @ParameterizedTest
    @ValueSource(ints = {0, -1, Integer.MIN_VALUE})
    void shouldRefuseALimitOfNoRecords(final int recordLimit)
    {
        try (OneTopicBroker broker = OneTopicBroker.start(1).append(0, "a");
            Reading reading = Reading.start(Reading.context(broker)))
        {
            final String message = "the limit of a poll is " + recordLimit + ": it must be 1 or more";
            assertEquals(message, assertThrows(IllegalArgumentException.class,
                () -> reading.consumer().poll(reading, recordLimit)).getMessage());
            assertEquals(message, assertThrows(IllegalArgumentException.class,
                () -> reading.consumer().poll(reading, recordLimit, 1_000)).getMessage());
            assertEquals(message, assertThrows(IllegalArgumentException.class,
                () -> reading.consumer().controlledPoll((record) -> null, recordLimit)).getMessage());

            reading.untilCount(0, 1);
        }
    }
}
