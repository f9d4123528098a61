// SPDX-License-Identifier: Apache-2.0
package org.odradek.tools.doctor;

import org.odradek.protocol.PrintableText;

import java.util.Locale;

/**
 * The result of one check: what was found, what would be better unless it is good, and why it matters.
 */
record Finding(String name, Level level, String found, String better, String why)
{
    /** Other processes choose some of what is found, such as their command lines. */
    Finding
    {
        found = PrintableText.of(found);
        better = PrintableText.of(better);
    }

    enum Level
    {
        /** Nothing to improve. */
        GOOD,
        /** Works, but could disturb a polling thread less. */
        FAIR,
        /** Prevents correct or undisturbed work. */
        POOR,
        /** The system does not report it. */
        UNKNOWN
    }

    static Finding good(final String name, final String found, final String why)
    {
        return new Finding(name, Level.GOOD, found, "", why);
    }

    static Finding poor(final String name, final String found, final String better, final String why)
    {
        return new Finding(name, Level.POOR, found, better, why);
    }

    /** Good if the condition holds, otherwise fair. */
    static Finding goodIf(
        final boolean isGood, final String name, final String found, final String better, final String why)
    {
        return isGood ? good(name, found, why) : new Finding(name, Level.FAIR, found, better, why);
    }

    /** Unknown if the source is empty, otherwise good if the condition holds, otherwise fair. */
    static Finding of(final String source, final boolean isGood, final Finding good, final String better)
    {
        return source.isEmpty() ? unknown(good.name, good.why) :
            goodIf(isGood, good.name, good.found, better, good.why);
    }

    static Finding unknown(final String name, final String why)
    {
        return new Finding(name, Level.UNKNOWN, "not reported by this system", "", why);
    }

    @Override
    public String toString()
    {
        final String text = String.format("%-8s%-26s%s%n", level.name().toLowerCase(Locale.ROOT), name, found);
        return (better.isEmpty() ? text : text + String.format("%8sbetter: %s%n", "", better)) +
            String.format("%8swhy: %s%n", "", why);
    }
}
