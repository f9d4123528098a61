// SPDX-License-Identifier: Apache-2.0
package org.odradek.testkit;

/**
 * Every thread that is started here is a daemon: none keeps a JVM from exiting.
 */
final class Threads
{
    private Threads()
    {
    }

    static Thread daemon(final String name, final Runnable task)
    {
        final Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }
}
