// SPDX-License-Identifier: Apache-2.0
package org.odradek.micrometer;

import org.junit.jupiter.api.Test;
import org.odradek.harness.PublicSignatures;

import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;

/**
 * Checks that the public signatures of the module refer only to its own types, the consumer's API and Micrometer.
 */
class PublicSignaturesTest
{
    private static boolean isApi(final String name)
    {
        return name.startsWith("org.odradek.micrometer.") || name.startsWith("io.micrometer.core.instrument.") ||
            name.matches("org\\.odradek\\.(consumer|publisher)\\.[A-Z].*");
    }

    @Test
    void shouldNameNoInternalTypeInAPublicSignature()
    {
        assertEquals(List.of(), PublicSignatures.leaks(
            PublicSignaturesTest::isApi, PublicSignatures.publicClasses(OdradekMetrics.class)));
    }
}
