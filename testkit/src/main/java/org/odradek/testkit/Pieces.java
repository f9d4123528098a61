// SPDX-License-Identifier: Apache-2.0
package org.odradek.testkit;

import java.io.IOException;
import java.io.OutputStream;
import java.util.concurrent.locks.LockSupport;

/**
 * Writes bytes in pieces that the other side has a chance to see one by one.
 */
final class Pieces
{
    /** Stands for: all bytes at once. */
    static final int WHOLE = 0;

    private static final long PAUSE_NS = 20_000;
    /** A long message in pieces of one byte would take minutes: after these, pieces follow each other at once. */
    private static final int PAUSES = 500;

    private Pieces()
    {
    }

    static void write(
        final OutputStream output, final byte[] bytes, final int index, final int length, final int pieceLength)
        throws IOException
    {
        final int step = pieceLength == WHOLE ? Math.max(1, length) : pieceLength;
        int pauses = PAUSES;
        for (int done = 0; done < length; done += step)
        {
            output.write(bytes, index + done, Math.min(step, length - done));
            if (done + step < length && pauses-- > 0)
            {
                LockSupport.parkNanos(PAUSE_NS);
            }
        }
    }
}
