// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.support;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * Reads from the operating system how many bytes of a disk a file occupies; a sparse file occupies fewer than its size.
 */
public final class AllocatedBlocks
{
    private AllocatedBlocks()
    {
    }

    public static long bytes(final Path path) throws IOException
    {
        final Process stat = new ProcessBuilder("stat", "-c", "%b %B", path.toString()).start();
        try (InputStream output = stat.getInputStream())
        {
            final String[] numbers = new String(output.readAllBytes(), StandardCharsets.US_ASCII).trim().split(" ");
            return Long.parseLong(numbers[0]) * Long.parseLong(numbers[1]);
        }
    }
}
