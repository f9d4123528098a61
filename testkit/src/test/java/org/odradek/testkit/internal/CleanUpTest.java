// SPDX-License-Identifier: Apache-2.0
package org.odradek.testkit.internal;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

class CleanUpTest
{
    private final List<String> steps = new ArrayList<>();
    private final RuntimeException first = new IllegalStateException("first");
    private final RuntimeException second = new IllegalStateException("second");

    private void fail(final RuntimeException failure)
    {
        steps.add(failure.getMessage());
        throw failure;
    }

    @Test
    void shouldRunAllStepsAndThrowTheFirstFailure()
    {
        final Exception failure = assertThrows(IllegalStateException.class,
            () -> CleanUp.run(() -> fail(first), () -> steps.add("between"), () -> fail(second),
                () -> steps.add("last")));

        assertSame(first, failure);
        assertArrayEquals(new Throwable[] {second}, failure.getSuppressed());
        assertEquals(List.of("first", "between", "second", "last"), steps);
    }

    @Test
    void shouldRunTheStepsAfterAnError()
    {
        final Error error = new AssertionError("error");

        assertSame(error, assertThrows(AssertionError.class, () -> CleanUp.run(() ->
        {
            throw error;
        }, () -> steps.add("last"))));

        assertEquals(List.of("last"), steps);
    }

    @Test
    void shouldThrowNothingWithoutAFailure()
    {
        CleanUp.run(() -> steps.add("only"));

        assertEquals(List.of("only"), steps);
    }
}
