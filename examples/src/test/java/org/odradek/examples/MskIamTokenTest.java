// SPDX-License-Identifier: Apache-2.0
package org.odradek.examples;

import org.junit.jupiter.api.Test;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Base64;
import java.util.Map;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

class MskIamTokenTest
{
    private static final String KEY_ID = "AKIAIOSFODNN7EXAMPLE";
    private static final String SECRET_KEY = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY";
    private static final Instant NOW = Instant.parse("2013-05-24T00:00:00Z");

    /** The example of Amazon's documentation of presigned URLs. */
    @Test
    void shouldSignAsAmazonsDocumentationDoes()
    {
        final String url = new MskIamToken(KEY_ID, SECRET_KEY, "us-east-1").signed(
            "s3", "examplebucket.s3.amazonaws.com", "/test.txt", Map.of(), 86_400, "UNSIGNED-PAYLOAD", NOW);

        assertEquals("https://examplebucket.s3.amazonaws.com/test.txt?X-Amz-Algorithm=AWS4-HMAC-SHA256&" +
            "X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request&" +
            "X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host&" +
            "X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404", url);
    }

    @Test
    void shouldMakeATokenOfASignedUrl()
    {
        final String token = new MskIamToken(KEY_ID, SECRET_KEY, "eu-west-1").token("session/token==", NOW);
        final String url = new String(Base64.getUrlDecoder().decode(token), StandardCharsets.US_ASCII);

        assertTrue(url.startsWith("https://kafka.eu-west-1.amazonaws.com/?Action=kafka-cluster%3AConnect&"), url);
        assertTrue(url.contains("&X-Amz-Security-Token=session%2Ftoken%3D%3D&"), url);
        assertTrue(url.contains("&X-Amz-Expires=900&"), url);
        assertTrue(url.matches(".*&X-Amz-Signature=[0-9a-f]{64}&User-Agent=odradek"), url);
        assertFalse(url.contains(SECRET_KEY), url);
    }
}
