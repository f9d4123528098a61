// SPDX-License-Identifier: Apache-2.0
package org.odradek.testkit.tls;

import java.util.ArrayList;
import java.util.List;

/**
 * Throws at one of the steps that code under test takes. What the steps are says {@link #steps()} after a run without a
 * fault.
 */
public final class Fault
{
    private final List<String> steps = new ArrayList<>();
    private int index = -1;
    private String name;
    private int times;
    private Throwable throwable;
    private int thrown;

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
