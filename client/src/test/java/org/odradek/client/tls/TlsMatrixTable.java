// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.tls;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The recorded outcomes of the matrix of TLS, a row for each case. A case whose outcome depends on the version of the
 * JDK has a row for each version.
 */
final class TlsMatrixTable
{
    /** The versions of the JDK whose outcomes are recorded. */
    static final List<Integer> JDKS = List.of(17, 25);
    private static final Path FILE = Path.of("../docs/results/tls-matrix.md");
    private static final int JDK = Runtime.version().feature();
    private static final String[] BEGINNING = {
        "# Connections that TLS must accept or refuse",
        "",
        "Both providers connected to `openssl s_server` 3.0 on JDK 17 and 25, to the host broker.example unless the",
        "case names another. Whatever was refused, the server did not receive a byte of the application. The",
        "sentences are shown without their advice. AUTO is the second connection, which the JDK makes if BoringSSL has",
        "failed for a reason that may be the kind of key in the certificate. OpenSSL 3.0 has no RC4 and no 3DES; the",
        "test checks that neither is offered. `TlsMatrixTest` compares this page with what happens; to write it again,",
        "run the test with `-Dodradek.tls.matrix.write=true` on each of the two JDKs.",
    };

    private final Map<String, String> rows = new HashMap<>();

    /** The rows of the page by their names. */
    static TlsMatrixTable read() throws IOException
    {
        final TlsMatrixTable table = new TlsMatrixTable();
        for (final String line : Files.exists(FILE) ? Files.readAllLines(FILE) : List.<String>of())
        {
            if (line.startsWith("| ") && !line.startsWith("| case |"))
            {
                table.rows.put(line.substring(2, line.indexOf(" |")), line);
            }
        }
        return table;
    }

    private static String name(final TlsCase found, final int jdk)
    {
        return found.name.replace("*", "\\*") + (found.isDifferentByJdk ? " (JDK " + jdk + ")" : "");
    }

    /** Sets the outcomes on this JDK. */
    void put(final TlsCase found, final String... outcomes)
    {
        final String name = name(found, JDK);
        rows.put(name, "| " + name + " | " + String.join(" | ", outcomes) + " |");
    }

    /** The outcomes on this JDK, or null. */
    String get(final TlsCase found)
    {
        return rows.get(name(found, JDK));
    }

    /** The page with the rows of these cases, on both JDKs. */
    private List<String> page(final List<TlsCase> cases)
    {
        final List<String> lines = new ArrayList<>(List.of(BEGINNING));
        String section = "";
        for (final TlsCase found : cases)
        {
            if (!found.section.equals(section))
            {
                section = found.section;
                lines.addAll(List.of("", "## " + section, ""));
                lines.addAll(List.of("| case | BoringSSL | AUTO | JDK |", "|---|---|---|---|"));
            }
            for (final int jdk : found.isDifferentByJdk ? JDKS : JDKS.subList(0, 1))
            {
                if (rows.containsKey(name(found, jdk)))
                {
                    lines.add(rows.get(name(found, jdk)));
                }
            }
        }
        return lines;
    }

    /** Whether the page consists of the rows of these cases, in their order. */
    static boolean isPageOf(final List<TlsCase> cases) throws IOException
    {
        return read().page(cases).equals(Files.readAllLines(FILE));
    }

    void write(final List<TlsCase> cases) throws IOException
    {
        Files.write(FILE, page(cases));
    }
}
