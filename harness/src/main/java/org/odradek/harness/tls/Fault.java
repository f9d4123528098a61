// SPDX-License-Identifier: Apache-2.0
package org.odradek.harness.tls;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.SSLException;

/**
 * Throws at one of the steps that code under test takes. What the steps are says {@link #steps()} after a run without a
 * fault.
 */
public final class Fault
{
    /** The number of kinds of {@link #throwable}. */
    public static final int KINDS = 8;

    private final List<String> steps = new ArrayList<>();
    private int index = -1;
    private String name;
    private int times;
    private Throwable throwable;
    private int thrown;

    /** Returns a Throwable of each kind that code may have to tell apart; the last one is an OutOfMemoryError. */
    public static Throwable throwable(final int kind)
    {
        return switch (kind)
        {
            case 0 -> new SSLException("canary");
            case 1 -> new IOException("canary");
            case 2 -> new IllegalStateException("canary");
            case 3 -> new StackOverflowError();
            case 4 -> new AssertionError("canary");
            case 5 -> new NoClassDefFoundError("canary");
            case 6 -> new Exception("canary");
            default -> new OutOfMemoryError("canary");
        };
    }

    /** Forgets the steps, and throws at the step with this index, counted from 0. */
    public void arm(final int stepIndex, final Throwable toThrow)
    {
        reset();
        index = stepIndex;
        throwable = toThrow;
    }

    /** Forgets the steps, and throws at each step with this name, but not more often than a number of times. */
    public void arm(final String stepName, final int maxTimes, final Throwable toThrow)
    {
        reset();
        name = stepName;
        times = maxTimes;
        throwable = toThrow;
    }

    /** Forgets the steps, and throws no more. */
    public void reset()
    {
        steps.clear();
        index = -1;
        name = null;
        throwable = null;
        thrown = 0;
    }

    /** The names of the steps that were taken. */
    public List<String> steps()
    {
        return steps;
    }

    /** How often it has thrown. */
    public int thrown()
    {
        return thrown;
    }

    /** Takes a step. */
    public void step(final String stepName)
    {
        steps.add(stepName);
        if (index == steps.size() - 1 || stepName.equals(name) && thrown < times)
        {
            thrown++;
            throw Fault.<RuntimeException>unchecked(throwable);
        }
    }

    /** Lets any Throwable leave a method that declares none. */
    @SuppressWarnings("unchecked")
    private static <T extends Throwable> T unchecked(final Throwable toThrow) throws T
    {
        throw (T)toThrow;
    }
}
