// SPDX-License-Identifier: Apache-2.0
package org.odradek.workers;

import org.junit.jupiter.api.Test;
import org.odradek.harness.PublicSignatures;

import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** Checks that the public signatures of the module refer only to its own types, the APIs of clients and Agrona. */
class PublicSignaturesTest
{
    private static boolean isApi(final String name)
    {
        return name.startsWith("org.odradek.workers.") || name.startsWith("org.agrona.") ||
            name.matches("org\\.odradek\\.(client|consumer|consumer\\.handler|protocol\\.record)\\.[A-Z].*");
    }

    @Test
    void shouldNameNoInternalTypeInAPublicSignature()
    {
        assertEquals(List.of(),
            PublicSignatures.leaks(PublicSignaturesTest::isApi, PublicSignatures.publicClasses(Workers.class)));
    }

    @Test
    void shouldHaveFivePublicTypes()
    {
        assertEquals(5, PublicSignatures.publicClasses(Workers.class).size());
    }
}
