// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol.fuzz;

import org.odradek.protocol.record.RecordMemory;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The text of everything that was read from one frame. Indexes are relative to the first byte of the frame, so that two
 * readings of the same bytes must have the same text.
 */
public final class Readout
{
    private static final int KEPT_LENGTH = 1 << 16;
    private static final int DIGEST_LENGTH = 16;
    /** More elements than any frame of a corpus can hold: a walk that gets here has no end. */
    private static final int MAX_STEPS = 1 << 22;

    private static final Map<Class<?>, Method[]> ACCESSORS = new ConcurrentHashMap<>();

    private final MessageDigest digest = sha256();
    private final StringBuilder text = new StringBuilder();
    private RecordMemory memory;
    private int start;
    private int limit;
    private int steps;

    /**
     * Makes indexes count in another memory from now on.
     *
     * @param newStart first index of what is read, which is also what indexes are given relative to.
     * @param newLimit first index after it: nothing that an accessor points to may lie beyond.
     */
    public void within(final RecordMemory newMemory, final int newStart, final int newLimit)
    {
        memory = newMemory;
        start = newStart;
        limit = newLimit;
    }

    public Readout value(final String name, final Object value)
    {
        if (text.length() > KEPT_LENGTH)
        {
            fold();
        }
        text.append(name).append('=').append(value).append(' ');
        return this;
    }

    /** Records an error without the text in brackets, which is from a library and may differ between its versions. */
    public Readout refusal(final String message)
    {
        return value("refused", withoutLibrarysWords(message));
    }

    public static String withoutLibrarysWords(final String message)
    {
        return message.replaceAll(" \\(.*\\)", "");
    }

    /** Records every number and boolean of a flyweight, and the bytes that it refers to by index and length. */
    public void values(final Object flyweight)
    {
        if (++steps > MAX_STEPS)
        {
            throw new AssertionError("a walk without end");
        }
        for (final Method accessor : ACCESSORS.computeIfAbsent(flyweight.getClass(), Readout::accessors))
        {
            final String name = accessor.getName();
            final Object value = call(flyweight, accessor);
            if (name.endsWith("Index"))
            {
                bytesAt(flyweight, name.substring(0, name.length() - "Index".length()), (int) value);
            }
            else
            {
                value(name, "index".equals(name) || "limit".equals(name) ? (Object) ((int) value - start) : value);
            }
        }
        text.append('\n');
    }

    /** Records bytes, which must be within the frame. */
    public void bytes(final String name, final int index, final int length)
    {
        if (length < 0)
        {
            value(name, "null");
            return;
        }
        if (index < start || length > limit - index)
        {
            throw new AssertionError(name + " of length " + length + " at " + (index - start) +
                " lies outside of the " + (limit - start) + " bytes that were read");
        }
        final byte[] bytes = new byte[length];
        memory.byteBuffer().get(index, bytes);
        value(name, HexFormat.of().formatHex(bytes));
    }

    /** Records the bytes between position and limit as {@link #bytes} does. */
    public void bytes(final String name, final ByteBuffer view)
    {
        bytes(name, null == view ? start : view.position(), null == view ? -1 : view.remaining());
    }

    /** Returns a digest of the whole text. */
    public String digest()
    {
        fold();
        return HexFormat.of().formatHex(digest.digest()).substring(0, DIGEST_LENGTH);
    }

    /** Returns the end of the text, for error messages. */
    @Override
    public String toString()
    {
        return text.toString();
    }

    private void bytesAt(final Object flyweight, final String name, final int index)
    {
        for (final Method accessor : ACCESSORS.get(flyweight.getClass()))
        {
            if (accessor.getName().equals(name + "Length"))
            {
                final int length = (int) call(flyweight, accessor);
                bytes(name, length > 0 ? index : start, length);
                return;
            }
        }
        // Before the first element, an index that must not be used yet is 0.
        value(name, index < start ? "none" : index - start);
    }

    private void fold()
    {
        digest.update(text.toString().getBytes(StandardCharsets.UTF_8));
        text.setLength(0);
    }

    private static Object call(final Object flyweight, final Method accessor)
    {
        try
        {
            return accessor.invoke(flyweight);
        }
        catch (final InvocationTargetException ex)
        {
            if (ex.getCause() instanceof RuntimeException cause)
            {
                throw cause;
            }
            throw new AssertionError(accessor + " failed", ex.getCause());
        }
        catch (final IllegalAccessException ex)
        {
            throw new AssertionError(accessor + " is no public accessor", ex);
        }
    }

    private static Method[] accessors(final Class<?> type)
    {
        return Arrays.stream(type.getMethods())
            .filter((method) -> method.getDeclaringClass() != Object.class && method.getParameterCount() == 0 &&
                method.getReturnType().isPrimitive() && method.getReturnType() != void.class &&
                !method.getName().startsWith("next"))
            .sorted(Comparator.comparing(Method::getName))
            .toArray(Method[]::new);
    }

    private static MessageDigest sha256()
    {
        try
        {
            return MessageDigest.getInstance("SHA-256");
        }
        catch (final NoSuchAlgorithmException ex)
        {
            throw new AssertionError(ex);
        }
    }
}
