// SPDX-License-Identifier: Apache-2.0
package org.odradek.examples;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;

class ApiChangesTest
{
    private static final List<String> RELEASED = List.of(
        "public interface org.odradek.Handler",
        "    public abstract void onRecord(java.nio.ByteBuffer)",
        "public final class org.odradek.Settings<T>",
        "    public int size() throws java.io.IOException",
        "    public org.odradek.Settings(int)",
        "    public static final int LIMIT",
        "public static final enum org.odradek.Settings$Kind",
        "    public static final org.odradek.Settings$Kind FIRST");

    private final List<String> current = new ArrayList<>(RELEASED);

    private List<String> unnamed(final String changelog)
    {
        return ApiChanges.unnamed(RELEASED, current, changelog);
    }

    @Test
    void shouldNeedNoLineWithoutAChange()
    {
        assertEquals(List.of(), unnamed(""));
    }

    @Test
    void shouldNeedNoLineForWhatIsAdded()
    {
        current.add(3, "    public int length()");
        current.add(2, "    public void onEnd()");
        current.add("public interface org.odradek.Listener");
        current.add("    public abstract void onEvent()");

        assertEquals(List.of(), unnamed(""));
    }

    @Test
    void shouldNeedALineForAMemberThatIsMissing()
    {
        current.remove(3);
        current.remove("    public static final org.odradek.Settings$Kind FIRST");

        assertEquals(List.of("Settings.size was: public int size() throws java.io.IOException",
            "Settings.Kind.FIRST was: public static final org.odradek.Settings$Kind FIRST"), unnamed(""));
        assertEquals(List.of("Settings.Kind.FIRST was: public static final org.odradek.Settings$Kind FIRST"),
            unnamed("- `Settings.size` is removed: use `length`."));
        assertEquals(List.of(), unnamed("- `Settings.size` and `Settings.Kind.FIRST` are removed."));
    }

    @Test
    void shouldNotTakeALongerNameForTheMember()
    {
        current.remove(3);

        assertEquals(List.of("Settings.size was: public int size() throws java.io.IOException"),
            unnamed("- Settings.size, `Settings.sizes`, `OtherSettings.size` and `size` are removed."));
    }

    @Test
    void shouldNeedALineForAMemberThatHasChanged()
    {
        current.set(3, "    public long size() throws java.io.IOException");
        current.set(4, "    public org.odradek.Settings(long)");

        assertEquals(List.of("Settings.size was: public int size() throws java.io.IOException",
            "Settings was: public org.odradek.Settings(int)"), unnamed(""));
        assertEquals(List.of(), unnamed("- `Settings.size` is long, as the parameter of `Settings` is."));
    }

    @Test
    void shouldNeedALineForATypeThatIsMissingOrHasChanged()
    {
        current.set(2, "public abstract class org.odradek.Settings<T>");
        current.subList(6, 8).clear();

        assertEquals(List.of("Settings was: public final class org.odradek.Settings<T>", "Settings.Kind is missing"),
            unnamed(""));
        assertEquals(List.of(), unnamed("- `Settings` is abstract and has no `Settings.Kind`."));
    }

    @Test
    void shouldNeedALineForAnAbstractMethodOfAType()
    {
        current.add(2, "    public abstract void onEnd()");

        assertEquals(List.of("Handler.onEnd is new: public abstract void onEnd()"), unnamed(""));
        assertEquals(List.of(), unnamed("- Implement `Handler.onEnd`."));
    }
}
