// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.rivals;

import java.nio.file.Path;

/**
 * A program of this machine, or the reason why there is none.
 *
 * @param file   that can be run, null if there is none.
 * @param whyNot a part of a sentence for people, null if there is a file.
 */
public record NativeProgram(Path file, String whyNot)
{
    static NativeProgram at(final Path file)
    {
        return new NativeProgram(file, null);
    }

    static NativeProgram missing(final String whyNot)
    {
        return new NativeProgram(null, whyNot);
    }

    public boolean isThere()
    {
        return file != null;
    }
}
