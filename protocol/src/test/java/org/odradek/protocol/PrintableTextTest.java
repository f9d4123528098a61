// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol;

import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Set;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

class PrintableTextTest
{
    private static final Set<Integer> HIDDEN_TYPES = Set.of((int)Character.CONTROL, (int)Character.FORMAT,
        (int)Character.LINE_SEPARATOR, (int)Character.PARAGRAPH_SEPARATOR, (int)Character.SURROGATE,
        (int)Character.PRIVATE_USE, (int)Character.UNASSIGNED);
    /** Unicode calls them ignorable by default, except the Braille pattern without dots. */
    private static final Set<Integer> INVISIBLE = Set.of(0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x180B, 0x180C, 0x180D,
        0x180F, 0x2800, 0x3164, 0xFFA0);
    private static final String PAIR = Character.toString(0x1F600);

    private static boolean isHidden(final int codePoint)
    {
        return HIDDEN_TYPES.contains(Character.getType(codePoint)) || INVISIBLE.contains(codePoint) ||
            isVariationSelector(codePoint);
    }

    private static boolean isVariationSelector(final int codePoint)
    {
        final Character.UnicodeBlock block = Character.UnicodeBlock.of(codePoint);
        return block == Character.UnicodeBlock.VARIATION_SELECTORS ||
            block == Character.UnicodeBlock.VARIATION_SELECTORS_SUPPLEMENT;
    }

    private static void assertClean(final String text, final int maxLength)
    {
        assertTrue(text.length() <= maxLength, text);
        text.codePoints().forEach((codePoint) ->
            assertFalse(HIDDEN_TYPES.contains(Character.getType(codePoint)), Integer.toHexString(codePoint)));
        assertTrue(PrintableText.isPrintable(text), text);
    }

    private static String ofBytes(final byte[] bytes)
    {
        return PrintableText.of(new UnsafeBuffer(bytes), 0, bytes.length);
    }

    private static String ofBytes(final String text)
    {
        return ofBytes(text.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void shouldShowEachCodePointOfUnicodeOrAQuestionMark()
    {
        int shown = 0;
        for (int codePoint = 0; codePoint <= Character.MAX_CODE_POINT; codePoint++)
        {
            final String text = "<" + Character.toString(codePoint) + ">";
            final boolean isHidden = isHidden(codePoint);
            final String result = PrintableText.of(text);

            assertEquals(isHidden ? "<?>" : text, result, () -> text);
            assertEquals(!isHidden, PrintableText.isPrintable(codePoint));
            assertSame(result, PrintableText.of(result));
            // The encoder writes a question mark for half a pair.
            assertEquals(result, ofBytes(text));
            shown += isHidden ? 0 : 1;
        }
        assertTrue(shown > 140_000, shown + " code points are shown");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, '\n', '\r', '\t', 0x1B, 0x7F, 0x85, 0x9B, 0xAD, 0x61C, 0x200B, 0x200F, 0x2028, 0x2029,
        0x202A, 0x202E, 0x2066, 0x2069, 0xD800, 0xDFFF, 0xE000, 0xFEFF, 0xFFF9, 0xFFFF, 0xE0001, 0xE0041, 0x10FFFF,
        0x034F, 0x115F, 0x1160, 0x17B4, 0x180B, 0x2800, 0x3164, 0xFE00, 0xFE0F, 0xFFA0, 0xE0100, 0xE01EF})
    void shouldNotShowWhatDrivesATerminalOrHides(final int codePoint)
    {
        assertFalse(PrintableText.isPrintable(codePoint));
        assertEquals("a?b", PrintableText.of("a" + Character.toString(codePoint) + "b"));
    }

    @Test
    void shouldKeepTextThatIsPrintable()
    {
        for (final String text : new String[] {"", "broker-1.example:9092", "Zürich, Ελλάδα " + PAIR, "\\n ? 100 %"})
        {
            assertSame(text, PrintableText.of(text));
            assertEquals(text, ofBytes(text));
        }
        assertNull(PrintableText.of(null));
        assertEquals("", PrintableText.of(new UnsafeBuffer(new byte[0]), 0, -1));
    }

    @Test
    void shouldReplaceHalvesOfPairs()
    {
        final String high = PAIR.substring(0, 1);
        final String low = PAIR.substring(1);

        assertEquals("?" + PAIR + "?", PrintableText.of(low + PAIR + high));
    }

    @Test
    void shouldCutLongTextAndSayHowLongItIs()
    {
        final String id = "line\n".repeat(1_225).substring(0, 6_124);
        final String shown = PrintableText.of(id);

        assertEquals(PrintableText.MAX_LENGTH, shown.length());
        assertTrue(shown.startsWith("line?line?") && shown.endsWith("... (6124 characters)"), shown);
        assertSame(shown, PrintableText.of(shown));
        assertEquals(6_124, PrintableText.of(id, 10_000).length());
        assertEquals(4_000, PrintableText.of("x".repeat(4_001), PrintableText.MAX_SENTENCE_LENGTH).length());
        assertEquals("x".repeat(600), PrintableText.of("x".repeat(600)));
        assertTrue(ofBytes(id).endsWith("... (6124 bytes)"), ofBytes(id));
        assertEquals(PrintableText.MAX_VALUE_LENGTH, ofBytes(id).length());
    }

    @Test
    void shouldNotCutThroughAPair()
    {
        for (int length = 0; length < 700; length++)
        {
            for (int shift = 0; shift < 3; shift++)
            {
                final String text = "x".repeat(shift) + PAIR.repeat(length);
                final String shown = PrintableText.of(text);

                assertClean(shown, PrintableText.MAX_LENGTH);
                assertFalse(shown.contains("?"), shown);
                assertClean(ofBytes(text), PrintableText.MAX_VALUE_LENGTH);
                assertFalse(ofBytes(text).contains("?"), ofBytes(text));
            }
        }
    }

    @Test
    void shouldShowAnyBytes()
    {
        for (int value = Byte.MIN_VALUE; value <= Byte.MAX_VALUE; value++)
        {
            for (final int length : new int[] {1, 2, 3, 4, 5, 300, 1_200, 1_201, 5_000})
            {
                final byte[] bytes = new byte[length];
                Arrays.fill(bytes, (byte)value);
                assertClean(ofBytes(bytes), PrintableText.MAX_VALUE_LENGTH);
            }
        }
    }
}
