// SPDX-License-Identifier: Apache-2.0
package org.odradek.tools.demo;

import org.junit.jupiter.api.Test;

import java.io.PrintWriter;
import java.io.StringWriter;

import static org.junit.jupiter.api.Assertions.assertEquals;

class ScreenTest
{
    private final StringWriter shown = new StringWriter();
    private final PrintWriter out = new PrintWriter(shown);

    @Test
    void shouldOverwriteOneLineOnATerminal()
    {
        final Screen screen = new Screen(out, true);

        screen.progress("12345");
        screen.progress("123");
        screen.line("done");

        assertEquals("\r12345\r123  " + System.lineSeparator() + "done" + System.lineSeparator(), shown.toString());
    }

    @Test
    void shouldShowEveryTenthStateElsewhere()
    {
        final Screen screen = new Screen(out, false);

        for (int i = 1; i <= 25; i++)
        {
            screen.progress("state " + i);
        }

        assertEquals("state 10" + System.lineSeparator() + "state 20" + System.lineSeparator(), shown.toString());
    }
}
