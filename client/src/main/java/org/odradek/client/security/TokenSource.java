// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.security;

import org.odradek.client.files.RegularFile;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * Supplies the bearer tokens of OAUTHBEARER. It is called on the polling thread before each authentication, so it must
 * return at once: a source that fetches tokens over a network uses another thread, and supplies the last one. Consumers
 * on several threads may share it.
 */
@FunctionalInterface
public interface TokenSource
{
    /** The most characters that a token may have. */
    int MAX_LENGTH = 1 << 16;

    /**
     * Returns the token to use now, or null if there is none yet. The array is copied.
     *
     * @throws IOException if there is none because of a failure; its message must not contain a secret. The last good
     *                     token is used then, or connections wait if there is none, and the reason is reported.
     */
    char[] token() throws IOException;

    /** Reads the token from a file each time, as Kubernetes and other agents write and replace it. */
    static TokenSource file(final Path path)
    {
        return () ->
            StandardCharsets.US_ASCII.newDecoder().decode(ByteBuffer.wrap(RegularFile.read(path, MAX_LENGTH)))
                .toString().strip().toCharArray();
    }
}
