// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.support;

import org.odradek.harness.tls.Fault;

import java.nio.ByteBuffer;

/**
 * What an input does: its first bytes say what is thrown and at which step, and the others what is called meanwhile.
 * Once a call has thrown, the next ones throw, too, and take no step.
 */
public abstract class FaultRun
{
    private static final int MAX_STEPS_OF_A_CALL = 1_000;

    protected final Fault fault = new Fault();
    protected final Throwable throwable;
    protected boolean isFailed;
    /** How often a call has thrown after one that had not. */
    protected int failures;
    private final ByteBuffer program;

    /** A call of what may fail. */
    protected interface Call
    {
        void run() throws Exception;
    }

    /** @param program at the byte that says what is thrown; missing bytes count as 0. */
    protected FaultRun(final ByteBuffer program)
    {
        this.program = program;
        throwable = Fault.throwable(next() % Fault.KINDS);
    }

    /** Reads at which step it is thrown, and begins to count the steps. */
    protected final void arm(final int maxStep)
    {
        fault.arm(next() % maxStep, throwable);
    }

    /** Whether a call may throw this. */
    protected abstract boolean isExpected(Throwable ex, boolean hasFailed);

    protected static void check(final boolean isRight, final String what)
    {
        if (!isRight)
        {
            throw new AssertionError(what);
        }
    }

    protected final boolean hasNext()
    {
        return program.hasRemaining();
    }

    protected final int next()
    {
        return program.hasRemaining() ? program.get() & 0xFF : 0;
    }

    protected final void call(final Call call)
    {
        final boolean hasFailed = isFailed;
        final int steps = fault.steps().size();
        boolean isThrown = false;
        try
        {
            call.run();
        }
        catch (final Throwable ex)
        {
            isThrown = true;
            failures += hasFailed ? 0 : 1;
            isFailed = true;
            check(isExpected(ex, hasFailed), "thrown " + ex);
        }
        final int taken = fault.steps().size() - steps;
        check(taken < MAX_STEPS_OF_A_CALL, taken + " steps");
        check(!hasFailed || isThrown && taken == 0, "a call after a failure");
    }
}
