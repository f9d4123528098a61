// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.core;

import java.util.Arrays;
import java.util.function.Supplier;

/** Keeps one object for each partition. The objects are never replaced. */
public final class PerPartition<T>
{
    private final Supplier<T> supplier;
    private int size;
    private Object[] objects = {};

    public PerPartition(final Supplier<T> supplier)
    {
        this.supplier = supplier;
    }

    public void ensureSize(final int newSize)
    {
        if (newSize > objects.length)
        {
            objects = Arrays.copyOf(objects, Math.max(newSize, size + (size >> 1)));
        }
        while (size < newSize)
        {
            objects[size++] = supplier.get();
        }
    }

    public int size()
    {
        return size;
    }

    public boolean has(final int partition)
    {
        return partition >= 0 && partition < size;
    }

    @SuppressWarnings("unchecked")
    public T get(final int partition)
    {
        return (T)objects[partition];
    }
}
