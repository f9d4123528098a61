// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.rig;

/** One client in a scenario: a name in rows, a program, and the settings that the others do not have. */
public record Arm(String name, Program program, Settings settings)
{
    /** How the process of an arm is started. */
    public interface Program
    {
        /** Returns the process, starting, or throws {@link MissingException}. */
        Child start(String name, Settings settings, Child.Jvm jvm);
    }

    /** A program that this machine does not have. The message is for people and names nothing of this machine. */
    public static final class MissingException extends RuntimeException
    {
        private static final long serialVersionUID = 1;

        public MissingException(final String message)
        {
            super(message);
        }
    }

    /** An arm whose JVM makes a client of this class. */
    public static Arm of(final String name, final Class<? extends Client> client, final Object... namesAndValues)
    {
        return new Arm(name, (arm, settings, jvm) -> Child.start(arm, ClientTask.class,
            settings.with("client", client.getName()), jvm), Settings.of(namesAndValues));
    }

    /** @return the same program under another name with more settings. */
    public Arm as(final String newName, final Object... namesAndValues)
    {
        return new Arm(newName, program, settings.with(namesAndValues));
    }

    /** @param shared settings of all arms; those of the arm win. */
    public Child start(final Settings shared, final Child.Jvm jvm)
    {
        return program.start(name, shared.with(settings), jvm);
    }
}
