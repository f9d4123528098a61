// SPDX-License-Identifier: Apache-2.0
package org.odradek.tools.site;

import org.odradek.tools.CommandOptions;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;

/**
 * The command {@code odradek site}, which writes the Markdown pages as HTML.
 */
@Command(name = "site", description = "Write the Markdown pages and the javadoc as a site of static files.")
public final class SiteCommand implements Callable<Integer>
{
    @Mixin
    private CommandOptions options;

    @Option(names = "--home", paramLabel = "DIR", defaultValue = "${odradek.home:-.}",
        description = "The folder of README.md (default: the repository).")
    private Path home;

    @Option(names = "--out", paramLabel = "DIR",
        description = "The folder to write to; files of the same names are replaced (default: target/site).")
    private Path out;

    @Override
    public Integer call() throws IOException
    {
        final Path target = out == null ? home.resolve("target/site") : out;
        final int pages = new Site(home, target).write();
        options.out().println("Wrote " + pages + " pages: " + target.resolve("index.html").normalize());
        return 0;
    }
}
