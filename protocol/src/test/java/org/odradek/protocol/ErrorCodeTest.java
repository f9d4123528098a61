// SPDX-License-Identifier: Apache-2.0
package org.odradek.protocol;

import org.apache.kafka.common.errors.InvalidMetadataException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

class ErrorCodeTest
{
    @ParameterizedTest
    @EnumSource
    void shouldKnowEveryErrorOfKafka(final Errors error)
    {
        final short code = error.code();

        assertEquals(error.name(), ErrorCode.name(code));
        assertEquals(error.exception() instanceof RetriableException, ErrorCode.isRetriable(code));
        assertEquals(error.exception() instanceof InvalidMetadataException, ErrorCode.invalidatesMetadata(code));
    }

    @Test
    void shouldGiveEveryConstantTheValueOfItsName() throws IllegalAccessException
    {
        int constants = 0;
        for (final Field field : ErrorCode.class.getDeclaredFields())
        {
            if (Modifier.isPublic(field.getModifiers()))
            {
                assertEquals(Errors.valueOf(field.getName()).code(), field.getShort(null), field.getName());
                constants++;
            }
        }

        assertTrue(constants > 40, "only " + constants);
    }

    @Test
    void shouldNotFailOnUnknownCodes()
    {
        for (final short code : new short[]{Short.MIN_VALUE, -2, 137, Short.MAX_VALUE})
        {
            assertEquals("UNKNOWN_CODE_" + code, ErrorCode.name(code));
            assertFalse(ErrorCode.isRetriable(code));
            assertFalse(ErrorCode.invalidatesMetadata(code));
        }
    }
}
