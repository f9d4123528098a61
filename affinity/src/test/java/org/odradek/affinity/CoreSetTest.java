// SPDX-License-Identifier: Apache-2.0
package org.odradek.affinity;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class CoreSetTest
{
    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "0|0|1", "0-3|0-3|4", "0,1,2,8|0-2,8|4", "3,1|1,3|2", "0-1,4-5,63-64,8191|0-1,4-5,63-64,8191|7"})
    void shouldReadAndWriteLists(final String list, final String written, final int count)
    {
        final CoreSet cores = CoreSet.parse(list + "\n");

        assertEquals(written, cores.toString());
        assertEquals(count, cores.count());
        assertEquals(cores, CoreSet.ofMask(cores.toMask()));
        assertEquals(cores.hashCode(), CoreSet.parse(written).hashCode());
    }

    @Test
    void shouldReadAnEmptyList()
    {
        assertTrue(CoreSet.parse("\n").isEmpty());
        assertEquals("", CoreSet.parse("").toString());
    }

    @Test
    void shouldContainItsCores()
    {
        final CoreSet cores = CoreSet.parse("1,64-65");

        assertTrue(cores.contains(64));
        assertFalse(cores.contains(2));
        assertEquals(64, cores.nextCore(2));
        assertEquals(-1, cores.nextCore(66));
        assertArrayEquals(new long[] {2, 3}, new long[] {cores.toMask()[0], cores.toMask()[1]});
    }

    @ParameterizedTest
    @ValueSource(strings = {"a", "1-", "-1", "3-1", "0-8192", "1;2", "99999999999"})
    void shouldRefuseTextThatIsNotAList(final String list)
    {
        assertTrue(assertThrows(IllegalArgumentException.class, () -> CoreSet.parse(list)).getMessage().contains(list));
    }
}
