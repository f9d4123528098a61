// SPDX-License-Identifier: Apache-2.0
package org.odradek.tools.doctor;

/**
 * One thing looked at: what is, and unless that is well, what would be better; and why it matters.
 */
record Finding(String name, Level level, String found, String better, String why)
{
    enum Level
    {
        /** As it should be. */
        GOOD,
        /** Works, and could be quieter. */
        FAIR,
        /** In the way. */
        POOR,
        /** The system does not say. */
        UNKNOWN
    }

    static Finding good(final String name, final String found, final String why)
    {
        return new Finding(name, Level.GOOD, found, "", why);
    }

    static Finding fair(final String name, final String found, final String better, final String why)
    {
        return new Finding(name, Level.FAIR, found, better, why);
    }

    static Finding poor(final String name, final String found, final String better, final String why)
    {
        return new Finding(name, Level.POOR, found, better, why);
    }

    /** Good if the condition holds, else fair. */
    static Finding goodIf(
        final boolean isGood, final String name, final String found, final String better, final String why)
    {
        return isGood ? good(name, found, why) : fair(name, found, better, why);
    }

    static Finding unknown(final String name, final String why)
    {
        return new Finding(name, Level.UNKNOWN, "not told by this system", "", why);
    }

    @Override
    public String toString()
    {
        final String text = String.format("%-8s%-26s%s%n", level.name().toLowerCase(), name, found);
        return (better.isEmpty() ? text : text + String.format("%8sbetter: %s%n", "", better)) +
            String.format("%8swhy: %s%n", "", why);
    }
}
