// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.net;

import java.lang.reflect.Method;

final class VirtualThreads
{
    /** The method {@code Thread.isVirtual()}, or null if the JVM has none. */
    private static final Method IS_VIRTUAL = isVirtualMethod();
    /** A call without this array would allocate one. */
    private static final Object[] NO_ARGUMENTS = {};

    private VirtualThreads()
    {
    }

    private static Method isVirtualMethod()
    {
        try
        {
            return Thread.class.getMethod("isVirtual");
        }
        catch (final NoSuchMethodException ex)
        {
            return null;
        }
    }

    static boolean exist()
    {
        return IS_VIRTUAL != null;
    }

    static boolean contain(final Thread thread)
    {
        try
        {
            return exist() && Boolean.TRUE.equals(IS_VIRTUAL.invoke(thread, NO_ARGUMENTS));
        }
        catch (final ReflectiveOperationException ex)
        {
            throw new IllegalStateException("The JVM does not report whether " + thread + " is virtual.", ex);
        }
    }
}
