// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.rig;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Predicate;

/**
 * What scenarios are told: wrong is said at once, in one sentence that names the option, the value and what would be
 * right. A file or address that was not given is right.
 *
 * @param spec of the command that was called.
 */
public record OptionCheck(CommandSpec spec)
{
    private static final String HOST_PORT = "[^:,]+:[0-9]{1,5}|\\[[0-9a-fA-F:]+]:[0-9]{1,5}";

    /** What the number of an option may be, or each of its numbers. */
    @Retention(RetentionPolicy.RUNTIME)
    public @interface Range
    {
        int least() default 1;

        int most() default Integer.MAX_VALUE;
    }

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
    public <T> OptionCheck every(final List<? extends T> values, final Predicate<T> isRight, final String rule)
    {
        return values == null ? this : values.stream().filter(isRight.negate()).findFirst()
            .map((wrong) -> that(false, rule + ", not " + wrong + ".")).orElse(this);
    }

    /** @throws ParameterException if a number of an option with a {@link Range} is not in it. */
    public OptionCheck ranges()
    {
        for (final OptionSpec option : spec.options())
        {
            final Object value = option.getValue();
            if (value != null && option.userObject() instanceof Field field && field.isAnnotationPresent(Range.class))
            {
                final Range range = field.getAnnotation(Range.class);
                every(value instanceof List<?> values ? values : List.of(value),
                    (number) -> (int)number >= range.least() && (int)number <= range.most(),
                    option.longestName() + " must be " + (range.most() == Integer.MAX_VALUE ?
                    "at least " + range.least() : "between " + range.least() + " and " + range.most()));
            }
        }
        return this;
    }

    /**
     * @param pattern of --cases.
     * @param isAny   whether a case matches it.
     * @param example the name of a case.
     */
    public OptionCheck cases(final String pattern, final boolean isAny, final String example)
    {
        return that(isAny,
            "--cases must match the name of a case, for instance " + example + ", not " + pattern + ".");
    }

    /** @param bootstrap HOST:PORT, or null if there is none. */
    public OptionCheck bootstrap(final String bootstrap)
    {
        return that(bootstrap == null || bootstrap.matches(HOST_PORT),
            "--bootstrap must be HOST:PORT, not " + bootstrap + ".");
    }

    public OptionCheck readable(final List<Path> files)
    {
        files.forEach((file) -> that(Files.isReadable(file) && !Files.isDirectory(file),
            "there is no file " + file + " to read."));
        return this;
    }

    public OptionCheck writable(final String option, final Path file)
    {
        return that(file == null || !Files.isDirectory(file),
            option + " must be a file, not the folder " + file + ".")
            .that(file == null || Files.isWritable(file.toAbsolutePath().getParent()),
            option + " must be in a folder that can be written to, not at " + file + ".");
    }
}
