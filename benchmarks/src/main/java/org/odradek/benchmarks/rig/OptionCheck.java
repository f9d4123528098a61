// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.rig;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/**
 * What scenarios are told: wrong is said at once, in one sentence that names the option, the value and what would be
 * right. A file or address that was not given is right.
 *
 * @param spec of the command that was called.
 */
public record OptionCheck(CommandSpec spec)
{
    private static final String HOST_PORT = "[^:,]+:[0-9]{1,5}|\\[[0-9a-fA-F:]+]:[0-9]{1,5}";

    /** @throws ParameterException with this sentence if it is not right. */
    public OptionCheck that(final boolean isRight, final String sentence)
    {
        if (!isRight)
        {
            throw new ParameterException(spec.commandLine(), sentence);
        }
        return this;
    }

    /** Throws if one of these values, null if none was given, is not right; says the rule and that value. */
    public <T> OptionCheck every(final List<T> values, final Predicate<T> isRight, final String rule)
    {
        return values == null ? this : values.stream().filter(isRight.negate()).findFirst()
            .map(wrong -> that(false, rule + ", not " + wrong + ".")).orElse(this);
    }

    /** Checks that each of these values, null if none was given, is from least to most. */
    public OptionCheck between(final String option, final int least, final int most, final int... values)
    {
        return every(values == null ? null : IntStream.of(values).boxed().toList(),
            value -> value >= least && value <= most, option + " must be between " + least + " and " + most);
    }

    /** @throws ParameterException if there is a value and it is less than 1. */
    public OptionCheck positive(final String option, final Integer value)
    {
        return that(value == null || value >= 1, option + " must be at least 1, not " + value + ".");
    }

    /** @param bootstrap HOST:PORT, or null if there is none. */
    public OptionCheck bootstrap(final String bootstrap)
    {
        return that(bootstrap == null || bootstrap.matches(HOST_PORT),
            "--bootstrap must be HOST:PORT, not " + bootstrap + ".");
    }

    public OptionCheck writable(final String option, final Path file)
    {
        return that(file == null || !Files.isDirectory(file),
            option + " must be a file, not the folder " + file + ".")
            .that(file == null || Files.isWritable(file.toAbsolutePath().getParent()),
            option + " must be in a folder that can be written to, not at " + file + ".");
    }
}
