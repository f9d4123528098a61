// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.security;

import org.odradek.client.files.RegularFile;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * Supplies the bearer tokens of OAUTHBEARER. The polling thread calls the source before each authentication, so a call
 * must return at once: a source that fetches tokens over a network must fetch them on another thread and return the
 * last token. Clients on several threads may share a source, so an implementation must be thread-safe.
 */
@FunctionalInterface
public interface TokenSource
{
    /** The maximum length of a token in characters. */
    int MAX_LENGTH = 1 << 16;

    /**
     * Returns the current token, or null if there is none yet. The token consists of visible ASCII characters. The
     * caller copies the array and does not change it.
     *
     * @throws IOException if the source cannot supply a token; the message must not contain a secret. The client
     *                     reports the message and uses the last valid token; if there is none, connections wait.
     */
    char[] token() throws IOException;

    /**
     * Returns a source that reads the token from a file in each call. White space around the token is removed. A call
     * throws an IOException if the file has more than {@link #MAX_LENGTH} bytes or is not ASCII.
     */
    static TokenSource file(final Path path)
    {
        return () ->
            StandardCharsets.US_ASCII.newDecoder().decode(ByteBuffer.wrap(RegularFile.read(path, MAX_LENGTH)))
                .toString().strip().toCharArray();
    }
}
