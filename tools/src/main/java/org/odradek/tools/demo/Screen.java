// SPDX-License-Identifier: Apache-2.0
package org.odradek.tools.demo;

import java.io.PrintWriter;

/**
 * Output with a progress line. A terminal overwrites that line; elsewhere every tenth state of it is printed.
 */
final class Screen
{
    private static final int STATES_PER_LINE = 10;

    private final PrintWriter out;
    private final boolean isTerminal;
    private int shownLength;
    private int states;

    Screen(final PrintWriter out, final boolean isTerminal)
    {
        this.out = out;
        this.isTerminal = isTerminal;
    }

    synchronized void line(final String text)
    {
        endProgress();
        out.println(text);
        out.flush();
    }

    synchronized void progress(final String text)
    {
        if (isTerminal)
        {
            out.print("\r" + text + " ".repeat(Math.max(0, shownLength - text.length())));
            shownLength = text.length();
        }
        else if (states++ % STATES_PER_LINE == STATES_PER_LINE - 1)
        {
            out.println(text);
        }
        out.flush();
    }

    synchronized void endProgress()
    {
        if (shownLength > 0)
        {
            out.println();
            shownLength = 0;
        }
        states = 0;
    }
}
