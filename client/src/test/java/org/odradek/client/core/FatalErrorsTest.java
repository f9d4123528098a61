// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.core;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.odradek.client.ClientListener;

import java.util.ArrayList;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** An assert of ours that fails ends the run, whoever catches it on its way. */
class FatalErrorsTest
{
    /** As our asserts throw it, without a message. */
    private static final AssertionError OF_AN_ASSERT = new AssertionError();

    private static List<Throwable> ofOthers()
    {
        final AssertionError ofTheJdk = new AssertionError();
        ofTheJdk.setStackTrace(
            new StackTraceElement[] {new StackTraceElement("sun.security.ssl.SSLEngineImpl", "unwrap", null, 1)});
        final AssertionError withoutTrace = new AssertionError();
        withoutTrace.setStackTrace(new StackTraceElement[0]);
        return List.of(ofTheJdk, withoutTrace, new AssertionError("of a user"), new StackOverflowError(),
            new Exception());
    }

    @Test
    void shouldRethrowThoseOfTheMemoryAndOfOurAsserts()
    {
        final OutOfMemoryError ofTheMemory = new OutOfMemoryError();

        assertSame(OF_AN_ASSERT, assertThrows(AssertionError.class, () -> FatalErrors.rethrow(OF_AN_ASSERT)));
        assertSame(ofTheMemory, assertThrows(OutOfMemoryError.class, () -> FatalErrors.rethrow(ofTheMemory)));
    }

    @ParameterizedTest
    @MethodSource("ofOthers")
    void shouldLeaveOthersToWhoeverHasCaughtThem(final Throwable thrown)
    {
        assertDoesNotThrow(() -> FatalErrors.rethrow(thrown));
    }

    /** Tests run with -ea, and so must the asserts that they are to find. */
    @Test
    void shouldFindThatAMoreIsReleasedThanWasHeld()
    {
        final MemoryBudget budget = new MemoryBudget(10, (bytes) -> { }, () -> 10, (bytes) -> { });
        budget.hold(1);
        budget.release(1);

        final AssertionError thrown = assertThrows(AssertionError.class, () -> budget.release(1));
        assertSame(thrown, assertThrows(AssertionError.class, () -> FatalErrors.rethrow(thrown)));
    }

    @Test
    void shouldLeaveReleasesAfterEverythingIsFreed()
    {
        final List<String> freed = new ArrayList<>();
        final Releases releases = new Releases();
        releases.push(() -> freed.add("socket"));
        releases.push(() ->
        {
            throw OF_AN_ASSERT;
        });

        assertSame(OF_AN_ASSERT, assertThrows(AssertionError.class, releases::free));
        assertEquals(List.of("socket"), freed);
    }

    /** A listener may call the consumer. */
    @Test
    void shouldBeThrownAtTheEndOfThePollByCallbacks()
    {
        final CounterWriter counters = new CounterWriter();
        final List<Throwable> errors = new ArrayList<>();
        final SafeCallbacks callbacks = new SafeCallbacks(errors::add, counters);
        new SafeListener(new ClientListener()
        {
            @Override
            public void onThrottled(final int nodeId, final int throttleTimeMs)
            {
                throw OF_AN_ASSERT;
            }
        }, callbacks).onThrottled(1, 1);

        assertTrue(callbacks.hasThrown());
        assertSame(OF_AN_ASSERT, assertThrows(AssertionError.class, callbacks::rethrow));
        assertEquals(List.of(), errors);
    }
}
