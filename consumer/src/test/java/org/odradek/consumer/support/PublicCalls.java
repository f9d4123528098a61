// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer.support;

import org.odradek.client.Acknowledgements;
import org.odradek.consumer.GroupMembership;
import org.odradek.consumer.GroupOffsets;
import org.odradek.consumer.OffsetFile;
import org.odradek.consumer.StartPosition;
import org.odradek.consumer.TopicConsumer;
import org.odradek.consumer.handler.BatchHandler;
import org.odradek.consumer.handler.CommittedOffsets;
import org.odradek.consumer.handler.ConsumerCounters;
import org.odradek.consumer.handler.ConsumerHistograms;
import org.odradek.consumer.handler.ControlledRecordHandler;
import org.odradek.consumer.handler.OffsetQuery;
import org.odradek.consumer.handler.RecordHandler;
import org.odradek.consumer.handler.RevocationHandler;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Calls every public method of a consumer and of all that it gives away, found by reflection, with partition 1 and
 * offset 1. A call may only take effect, or be refused with one sentence.
 */
public final class PublicCalls
{
    /** The number that each int and each long is: a partition, a limit, an offset, nanoseconds. */
    public static final int NUMBER = 1;

    /** They would run a poll inside a poll, come too late, or free what it uses. */
    private static final Set<String> REFUSED = Set.of(
        "poll", "controlledPoll", "pollBatches", "awaitReady", "await", "awaitStable", "commitSync", "assign",
        "revocationHandler", "close");
    /** After them, most others are refused. */
    private static final List<String> LAST = List.of("unassign", "leave");

    private static final String[] MUST_NOT_CONTAIN = {"\n", "another thread than", "Index "};

    private record Call(Object target, Method method)
    {
        String name()
        {
            return method.getName();
        }
    }

    private final Map<Class<?>, Object> arguments = new HashMap<>();
    private final List<Call> calls = new ArrayList<>();
    private final Set<String> effective = new TreeSet<>();
    private boolean isDone;

    /**
     * @param isMember of a group with the policy of acknowledgements.
     * @param file     of offsets, of the consumer's topic.
     */
    public PublicCalls(final TopicConsumer consumer, final boolean isMember, final OffsetFile file)
    {
        final GroupOffsets offsets = consumer.groupOffsets("others");
        final Map<Class<?>, Object> targets = new LinkedHashMap<>();
        targets.put(TopicConsumer.class, consumer);
        targets.put(ConsumerCounters.class, consumer.counters());
        targets.put(ConsumerHistograms.class, consumer.histograms());
        targets.put(OffsetQuery.class, consumer.queryEndOffset(0));
        targets.put(GroupOffsets.class, offsets);
        targets.put(CommittedOffsets.class, offsets.fetch());
        if (isMember)
        {
            targets.put(GroupMembership.class, consumer.group());
            targets.put(Acknowledgements.class, consumer.group().acknowledgements());
        }
        arguments.put(int.class, NUMBER);
        arguments.put(long.class, (long)NUMBER);
        arguments.put(int[].class, new int[NUMBER]);
        arguments.put(String.class, "others");
        arguments.put(OffsetFile.class, file);
        arguments.put(StartPosition.class, StartPosition.earliest());
        arguments.put(BooleanSupplier.class, (BooleanSupplier)() -> true);
        arguments.put(RecordHandler.class, (RecordHandler)(record) -> { });
        arguments.put(ControlledRecordHandler.class, (ControlledRecordHandler)(record) -> null);
        arguments.put(RevocationHandler.class, RevocationHandler.AT_ONCE);
        arguments.put(BatchHandler.class, (BatchHandler)(batch) -> null);
        targets.forEach((type, target) -> Stream.of(type.getDeclaredMethods())
            .filter((method) -> Modifier.isPublic(method.getModifiers()) && !Modifier.isStatic(method.getModifiers()))
            .sorted(Comparator.comparing(Method::toString))
            .forEach((method) -> calls.add(new Call(target, method))));
        calls.sort(Comparator.comparing((call) -> LAST.indexOf(call.name())));
        calls.forEach((call) -> checkKnown(call.method(), targets.keySet()));
    }

    /** A new type must be added here, or its methods would not be called. */
    private void checkKnown(final Method method, final Set<Class<?>> types)
    {
        final Class<?> result = method.getReturnType();
        assertTrue(!result.getName().startsWith("org.odradek.") || result.isEnum() || types.contains(result) ||
            result == GroupMembership.class, () -> "a new type: " + method);
        for (final Class<?> type : method.getParameterTypes())
        {
            assertTrue(arguments.containsKey(type), () -> "no argument for " + method);
        }
    }

    /** Makes, once, all calls but those with certain names. */
    public void makeAllBut(final Set<String> names)
    {
        make((call) -> !names.contains(call.name()));
    }

    /** Makes, once, the calls with certain names. */
    public void makeOnly(final Set<String> names)
    {
        make((call) -> names.contains(call.name()));
    }

    private void make(final Predicate<Call> isMade)
    {
        if (!isDone)
        {
            isDone = true;
            calls.stream().filter(isMade).forEach(this::make);
        }
    }

    private void make(final Call call)
    {
        try
        {
            call.method().invoke(call.target(),
                Stream.of(call.method().getParameterTypes()).map(arguments::get).toArray());
            assertFalse(REFUSED.contains(call.name()), () -> "must be refused: " + call.method());
            effective.add(call.name());
        }
        catch (final InvocationTargetException ex)
        {
            checkRefusal(call, ex.getCause());
        }
        catch (final IllegalAccessException ex)
        {
            throw new AssertionError(call.method().toString(), ex);
        }
    }

    private void checkRefusal(final Call call, final Throwable thrown)
    {
        final String message = thrown.getMessage();
        boolean isSentence = (thrown instanceof IllegalStateException || thrown instanceof IllegalArgumentException) &&
            message != null && message.length() > 20;
        for (final String part : MUST_NOT_CONTAIN)
        {
            isSentence &= message != null && !message.contains(part);
        }
        if (!isSentence)
        {
            throw new AssertionError(call.method() + " threw " + thrown, thrown);
        }
    }

    public boolean isDone()
    {
        return isDone;
    }

    /** Whether a call with this name was made and not refused. */
    public boolean isEffective(final String name)
    {
        return effective.contains(name);
    }
}
