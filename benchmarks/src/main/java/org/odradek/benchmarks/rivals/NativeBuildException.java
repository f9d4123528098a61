// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.rivals;

/**
 * A step of a build did not work. The message is for people and names nothing of this machine, because it goes into
 * results that are published.
 */
final class NativeBuildException extends RuntimeException
{
    private static final long serialVersionUID = 1;

    NativeBuildException(final String message)
    {
        super(message);
    }
}
