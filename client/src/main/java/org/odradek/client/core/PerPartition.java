// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.core;

import java.util.Arrays;
import java.util.function.Supplier;

/**
 * One object for each partition from 0 on, which holds what one class knows of it. The objects are created when room is
 * made for them, and stay.
 *
 * @param <T> type of the objects.
 */
public final class PerPartition<T>
{
    private final Supplier<T> supplier;
    private int size;
    private Object[] objects = {};

    /** @param supplier of a new object. */
    public PerPartition(final Supplier<T> supplier)
    {
        this.supplier = supplier;
    }

    /** Makes room for partitions 0 to size - 1. Partitions may be added one by one, in any order. */
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

    /** Returns true for 0 to size - 1; the partition may be any number. */
    public boolean has(final int partition)
    {
        return partition >= 0 && partition < size;
    }

    /** @param partition below the size. */
    @SuppressWarnings("unchecked")
    public T get(final int partition)
    {
        return (T)objects[partition];
    }
}
