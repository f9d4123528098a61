// SPDX-License-Identifier: Apache-2.0
package org.odradek.publisher;

import org.junit.jupiter.api.Test;
import org.odradek.protocol.ErrorCode;
import org.odradek.publisher.ProduceErrors.Action;

import java.util.HashMap;
import java.util.Map;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.odradek.publisher.ProduceErrors.Action.ACKNOWLEDGE;
import static org.odradek.publisher.ProduceErrors.Action.BUMP_EPOCH;
import static org.odradek.publisher.ProduceErrors.Action.FAIL;
import static org.odradek.publisher.ProduceErrors.Action.FAIL_WRITTEN;
import static org.odradek.publisher.ProduceErrors.Action.FIND_LEADER;
import static org.odradek.publisher.ProduceErrors.Action.RESEND;
import static org.odradek.publisher.ProduceErrors.Action.RESEND_WRITTEN;

/** The table of what is done for each error code. Codes that it does not list are not answers to Produce. */
class ProduceErrorsTest
{
    private static final Map<String, Action> TABLE = Map.ofEntries(
        Map.entry("NONE", ACKNOWLEDGE),
        Map.entry("DUPLICATE_SEQUENCE_NUMBER", ACKNOWLEDGE),
        Map.entry("REQUEST_TIMED_OUT", RESEND_WRITTEN),
        Map.entry("NOT_ENOUGH_REPLICAS_AFTER_APPEND", RESEND_WRITTEN),
        Map.entry("UNKNOWN_SERVER_ERROR", RESEND_WRITTEN),
        Map.entry("NOT_ENOUGH_REPLICAS", RESEND),
        Map.entry("CORRUPT_MESSAGE", RESEND),
        Map.entry("THROTTLING_QUOTA_EXCEEDED", RESEND),
        Map.entry("UNKNOWN_TOPIC_OR_PARTITION", FIND_LEADER),
        Map.entry("LEADER_NOT_AVAILABLE", FIND_LEADER),
        Map.entry("NOT_LEADER_OR_FOLLOWER", FIND_LEADER),
        Map.entry("REPLICA_NOT_AVAILABLE", FIND_LEADER),
        Map.entry("NETWORK_EXCEPTION", FIND_LEADER),
        Map.entry("KAFKA_STORAGE_ERROR", FIND_LEADER),
        Map.entry("LISTENER_NOT_FOUND", FIND_LEADER),
        Map.entry("FENCED_LEADER_EPOCH", FIND_LEADER),
        Map.entry("UNKNOWN_LEADER_EPOCH", FIND_LEADER),
        Map.entry("UNKNOWN_TOPIC_ID", FIND_LEADER),
        Map.entry("INCONSISTENT_TOPIC_ID", FIND_LEADER),
        Map.entry("OUT_OF_ORDER_SEQUENCE_NUMBER", BUMP_EPOCH),
        Map.entry("UNKNOWN_PRODUCER_ID", BUMP_EPOCH),
        Map.entry("MESSAGE_TOO_LARGE", FAIL),
        Map.entry("RECORD_LIST_TOO_LARGE", FAIL),
        Map.entry("INVALID_RECORD", FAIL),
        Map.entry("INVALID_TIMESTAMP", FAIL),
        Map.entry("INVALID_TOPIC_EXCEPTION", FAIL),
        Map.entry("INVALID_REQUIRED_ACKS", FAIL),
        Map.entry("INVALID_REQUEST", FAIL),
        Map.entry("INVALID_PRODUCER_EPOCH", FAIL),
        Map.entry("PRODUCER_FENCED", FAIL),
        Map.entry("POLICY_VIOLATION", FAIL),
        Map.entry("TOPIC_AUTHORIZATION_FAILED", FAIL),
        Map.entry("CLUSTER_AUTHORIZATION_FAILED", FAIL),
        Map.entry("UNSUPPORTED_FOR_MESSAGE_FORMAT", FAIL),
        Map.entry("UNSUPPORTED_COMPRESSION_TYPE", FAIL),
        Map.entry("UNSUPPORTED_VERSION", FAIL),
        Map.entry("UNKNOWN_CODE_999", FAIL_WRITTEN));

    // Behaviour Q218.
    @Test
    void shouldHaveAnActionForEachCode()
    {
        final Map<String, Action> found = new HashMap<>();
        for (short code = -1; code < 1_000; code++)
        {
            if (TABLE.containsKey(ErrorCode.name(code)))
            {
                found.put(ErrorCode.name(code), ProduceErrors.action(code, true));
            }
        }
        assertEquals(TABLE, found);
    }

    // Behaviour Q217.
    @Test
    void shouldNotAcknowledgeOrBumpForAnyOtherCode()
    {
        for (int code = Short.MIN_VALUE; code <= Short.MAX_VALUE; code++)
        {
            final Action expected = TABLE.getOrDefault(ErrorCode.name((short)code),
                !ErrorCode.isKnown((short)code) ? FAIL_WRITTEN :
                    ErrorCode.isRetriable((short)code) ? RESEND : FAIL);
            assertEquals(expected, ProduceErrors.action((short)code, true));
        }
    }

    @Test
    void shouldHaveNoNumbersThatAreWrongWithoutIdempotence()
    {
        assertEquals(FAIL, ProduceErrors.action(ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER, false));
        assertEquals(FAIL, ProduceErrors.action(ErrorCode.UNKNOWN_PRODUCER_ID, false));
        assertEquals(ACKNOWLEDGE, ProduceErrors.action(ErrorCode.NONE, false));
    }
}
