// SPDX-License-Identifier: Apache-2.0
package org.odradek.testkit;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.reflect.InvocationTargetException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * The first main class of a child JVM: runs the one named by its first argument, and ends the JVM when standard input
 * ends. The parent holds the other end of that pipe, so its children go with it even when it is killed. What comes
 * through it meanwhile is kept for {@link ParentLines}.
 */
public final class Leash
{
    /** System property that names a folder needed only until this class runs, which it removes. */
    static final String LAUNCH_FOLDER_PROPERTY = "odradek.testkit.launch.folder";

    private static final int EXIT_CODE_PARENT_GONE = 143;

    private static final long LAST_WORDS_MS = 10_000;

    private Leash()
    {
    }

    /**
     * @param args the main class to run, then its arguments.
     * @throws Throwable whatever that class throws.
     */
    public static void main(final String[] args) throws Throwable
    {
        // Before the leash: the parent may be gone already, and then nobody else removes it.
        TempFolder.at(Path.of(System.getProperty(LAUNCH_FOLDER_PROPERTY))).delete();
        Threads.daemon("testkit-leash", Leash::exitWithParent);
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
        // Shutdown hooks get their chance, but a hanging one must not keep an orphan alive.
        Threads.daemon("testkit-last-words", Leash::haltAfterLastWords);
        System.exit(EXIT_CODE_PARENT_GONE);
    }

    private static void haltAfterLastWords()
    {
        try
        {
            Thread.sleep(LAST_WORDS_MS);
        }
        catch (final InterruptedException ex)
        {
            Thread.currentThread().interrupt();
        }
        Runtime.getRuntime().halt(EXIT_CODE_PARENT_GONE);
    }
}
