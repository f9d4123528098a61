// SPDX-License-Identifier: Apache-2.0
package org.odradek.testkit.internal;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.reflect.InvocationTargetException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * Runs the main class of a child JVM, and ends the JVM when standard input ends. The parent holds the other end of
 * standard input, so a child ends when its parent ends, even if the parent is killed.
 */
public final class Leash
{
    /**
     * The system property with the name of a folder that only the start of this JVM needs, and that this class removes.
     */
    static final String LAUNCH_FOLDER_PROPERTY = "odradek.testkit.launch.folder";

    private static final int EXIT_CODE_PARENT_GONE = 143;

    private static final long HALT_DELAY_MS = 10_000;

    private Leash()
    {
    }

    /** @param args name of the main class to run, then the arguments of that class. */
    public static void main(final String[] args) throws Throwable
    {
        // This is done first: if the parent has already ended, no other process removes the folder.
        TempFolder.at(Path.of(System.getProperty(LAUNCH_FOLDER_PROPERTY))).delete();
        JvmExit.daemon("testkit-leash", Leash::exitWithParent);
        final String[] rest = new String[args.length - 1];
        System.arraycopy(args, 1, rest, 0, rest.length);
        try
        {
            Class.forName(args[0]).getMethod("main", String[].class).invoke(null, (Object) rest);
        }
        catch (final InvocationTargetException ex)
        {
            throw ex.getCause();
        }
    }

    private static void exitWithParent()
    {
        try
        {
            final BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
            for (String line = lines.readLine(); line != null; line = lines.readLine())
            {
                ParentLines.add(line);
            }
        }
        catch (final IOException ex)
        {
            System.err.println("testkit: standard input lost: " + ex);
        }
        // Shutdown hooks may run, but a hook that hangs must not keep this JVM alive.
        JvmExit.daemon("testkit-halt", Leash::haltAfterDelay);
        System.exit(EXIT_CODE_PARENT_GONE);
    }

    private static void haltAfterDelay()
    {
        try
        {
            Thread.sleep(HALT_DELAY_MS);
        }
        catch (final InterruptedException ex)
        {
            Thread.currentThread().interrupt();
        }
        Runtime.getRuntime().halt(EXIT_CODE_PARENT_GONE);
    }
}
