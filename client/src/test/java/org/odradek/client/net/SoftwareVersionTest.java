// SPDX-License-Identifier: Apache-2.0
package org.odradek.client.net;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

class SoftwareVersionTest
{
    @Test
    void shouldReportTheVersionOfThePomToBrokers() throws IOException
    {
        final Matcher version = Pattern.compile("(?m)^  <version>(.*?)(?:-SNAPSHOT)?</version>$")
            .matcher(Files.readString(Path.of("../pom.xml")));

        assertTrue(version.find());
        assertEquals(version.group(1), VersionNegotiation.SOFTWARE_VERSION);
    }
}
