// SPDX-License-Identifier: Apache-2.0
package org.odradek.verification.chaos;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * The kinds of faults, each with the method that strikes.
 */
enum FaultKind
{
    /** Kills a leader (SIGKILL), waits for another one and restarts the killed broker. */
    LEADER_KILL(ClusterFaults::killLeader),
    /** Stops and restarts each broker in turn, as an upgrade does. */
    ROLLING_RESTART(ClusterFaults::restartAll),
    /** Moves the leaders of about half of the partitions. */
    LEADER_MOVE(ClusterFaults::moveLeaders),
    /** Adds a partition, or moves leaders if the topic has its maximum of partitions. */
    PARTITION_GROWTH(ClusterFaults::addPartition),
    /** Deletes records (DeleteRecords) that a paused partition has not delivered. */
    RECORD_DELETION(ClusterFaults::deleteRecords),
    /** Lets records expire that a paused partition has not delivered. */
    RETENTION(ClusterFaults::expireRecords),
    /** Elects a leader that lacks the last records of a side topic. */
    UNCLEAN_ELECTION(SideTopic::electUncleanLeader),
    /** Deletes a side topic and creates it again with other records. */
    TOPIC_RECREATION(SideTopic::recreate),
    /** Ends, resets or refuses connections, some of them in the middle of a frame. */
    NETWORK_CUT((topic, random) ->
        ReaderFaults.cutConnections(topic.cluster(), topic::awaitWritten, random)),
    /** Holds back all bytes to or from a broker while its connections stay open. */
    NETWORK_STALL((topic, random) ->
        ReaderFaults.stallBroker(topic.cluster(), topic::awaitWritten, random)),
    /** Makes all links slow. */
    NETWORK_DELAY(ReaderFaults::delayLinks),
    /** Makes the handler sleep for each of many records, or for a long time once. */
    SLOW_HANDLER(ReaderFaults::slowHandler),
    /** Pauses some partitions and resumes them, several times. */
    PAUSE_AND_RESUME(ReaderFaults::pauseAndResume),
    /** Makes the handler refuse records (ABORT); the next poll must deliver them again. */
    REFUSED_RECORDS(ReaderFaults::refuseRecords),
    /** Makes the handler seek back by up to 5,000 records, which makes records in flight stale. */
    SEEKS_BACK(ReaderFaults::seekBack),
    /** Replaces the authority and the certificate of every broker, and then the trust of our consumer. */
    CERTIFICATE_ROTATION(SecurityFaults::rotateCertificates),
    /** Lets all brokers show an expired certificate for a while. */
    EXPIRED_CERTIFICATE(SecurityFaults::showExpiredCertificate),
    /** Changes the user's password for a while. */
    WRONG_PASSWORD(SecurityFaults::changePassword),
    /** Ends connections in the middle of a handshake or of a TLS record. */
    HANDSHAKE_CUT(SecurityFaults::cutHandshakes);

    final Fault<ChaosTopic> fault;

    FaultKind(final Fault<ChaosTopic> fault)
    {
        this.fault = fault;
    }

    /** All kinds, or all that strike without TLS and SASL. */
    static List<FaultKind> all(final boolean isSecure)
    {
        return Arrays.stream(values())
            .filter((kind) -> isSecure || kind.ordinal() < CERTIFICATE_ROTATION.ordinal()).toList();
    }

    @Override
    public String toString()
    {
        return name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }
}
