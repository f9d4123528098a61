// SPDX-License-Identifier: Apache-2.0
package org.odradek.verification.chaos;

import org.junit.jupiter.api.Test;
import org.odradek.publisher.PublisherListener;
import org.odradek.verification.chaos.ChaosLedger.Slice;
import org.odradek.verification.chaos.PipelineJudge.Rule;
import org.odradek.verification.chaos.PipelineLedger.Publication;

import java.util.ArrayList;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * One partition with the inputs 0 to 3, and one of the output. Pipeline a publishes 0 and 1, and then b goes on.
 */
class PipelineJudgeTest
{
    private static final int END = 4;

    private final PipelineLedger a = new PipelineLedger("a");
    private final PipelineLedger b = new PipelineLedger("b");
    private int keyCount = 1;
    private int abruptEnds = 1;
    private long ns;

    @Test
    void shouldBeCleanAfterARevocation()
    {
        acknowledged(a, 1, 0, 0, 1);
        a.onRevoked(0, 2, ++ns);
        acknowledged(b, 1, 2, 2, 3);

        final Verdict<Rule> verdict = verdict(0, 1, 2, 3);

        assertTrue(verdict.isClean(), verdict.toText());
    }

    @Test
    void shouldAllowARepeatOfWhatWasNotCommitted()
    {
        acknowledged(a, 1, 0, 0, 1);
        a.onRevoked(0, 1, ++ns);
        acknowledged(b, 1, 2, 1, 2, 3);

        final Verdict<Rule> verdict = verdict(0, 1, 1, 2, 3);

        assertTrue(verdict.isClean(), verdict.toText());
        assertTrue(verdict.toText().contains("4 inputs, 3 of them published once"), verdict.toText());
        assertTrue(verdict.toText().contains("5 outputs, 1 of them duplicates"), verdict.toText());
    }

    @Test
    void shouldAllowABatchThatIsPerhapsWritten()
    {
        for (final long[] log : new long[][] {{0, 1, 0, 1, 2, 3}, {0, 1, 2, 3}})
        {
            final PipelineLedger given = new PipelineLedger("given up");
            given.onRevoked(0, -1, ++ns);
            published(given, 1, 0, 1);
            given.onFailed(0, 0, 1, 2, true);
            final PipelineLedger next = new PipelineLedger("next");
            acknowledged(next, 1, log.length - END, 0, 1, 2, 3);

            final Verdict<Rule> verdict = new PipelineJudge(
                List.of(slice(0, 1, 2, 3)), List.of(slice(log)), List.of(given, next), 1, 0, 1).verdict();

            assertEquals(List.of(), verdict.findings(Rule.ACKNOWLEDGED_ONCE));
            assertEquals(List.of(), verdict.findings(Rule.NOTHING_LOST));
        }
    }

    @Test
    void shouldFindALostInput()
    {
        acknowledged(a, 1, 0, 0);
        a.onRevoked(0, 1, ++ns);
        acknowledged(b, 1, 1, 2, 3);

        assertViolated(List.of(Rule.NOTHING_LOST, Rule.IN_ORDER), 0, 2, 3);
    }

    @Test
    void shouldFindOtherBytes()
    {
        acknowledged(a, 1, 0, 0, 1);
        a.onRevoked(0, 2, ++ns);
        acknowledged(b, 1, 2, 2, 3);

        assertViolated(List.of(Rule.NOTHING_LOST, Rule.ACKNOWLEDGED_ONCE), 0, 1, 2, ChaosRecord.BROKEN);
    }

    @Test
    void shouldFindABatchThatWasWrittenTwice()
    {
        acknowledged(a, 1, 0, 0, 1);
        a.onRevoked(0, 2, ++ns);
        acknowledged(b, 1, 2, 2, 3);

        assertViolated(List.of(Rule.ACKNOWLEDGED_ONCE), 0, 1, 2, 3, 2, 3);
    }

    @Test
    void shouldFindABatchThatWasWrittenAndReportedAsNotWritten()
    {
        published(a, 1, 0, 1);
        a.onFailed(0, 0, 1, 2, false);
        a.onRevoked(0, -1, ++ns);
        acknowledged(b, 1, 2, 0, 1, 2, 3);

        assertViolated(List.of(Rule.ACKNOWLEDGED_ONCE), 0, 1, 0, 1, 2, 3);
    }

    @Test
    void shouldFindInputsInAnotherOrder()
    {
        published(a, 1, 0, 1);
        a.onAcknowledged(0, 0, 1, 2, PublisherListener.NULL_OFFSET);
        a.onRevoked(0, 2, ++ns);
        acknowledged(b, 1, 2, 2, 3);

        assertViolated(List.of(Rule.IN_ORDER), 1, 0, 2, 3);
    }

    @Test
    void shouldFindCopiesInAnotherOrder()
    {
        acknowledged(a, 1, 0, 0, 1);
        a.onRevoked(0, 0, ++ns);
        published(b, 1, 0, 1, 2, 3);
        b.onAcknowledged(0, 0, 1, 1, 3);
        b.onAcknowledged(0, 0, 2, 1, 2);
        b.onAcknowledged(0, 0, 3, 2, 4);

        assertViolated(List.of(Rule.IN_ORDER), 0, 1, 1, 0, 2, 3);
    }

    /** Each key has a publisher. */
    @Test
    void shouldAllowAnotherOrderOfKeys()
    {
        keyCount = 2;
        publishKeys(1, 3, 0, 2);

        final Verdict<Rule> verdict = verdict(1, 3, 0, 2);

        assertTrue(verdict.isClean(), verdict.toText());
    }

    @Test
    void shouldFindAKeyInAnotherOrder()
    {
        keyCount = 2;
        publishKeys(3, 1, 0, 2);

        assertViolated(List.of(Rule.IN_ORDER, Rule.REPEATS_EXPLAINED), 3, 1, 0, 2);
    }

    @Test
    void shouldFindAGapInAKey()
    {
        keyCount = 2;
        publishKeys(1, 3, 0);

        assertViolated(List.of(Rule.NOTHING_LOST), 1, 3, 0);
    }

    private void publishKeys(final long... sequences)
    {
        final int[] positions = new int[keyCount];
        for (int i = 0; i < sequences.length; i++)
        {
            final int publisher = PipelineJudge.key(0, sequences[i], keyCount);
            a.onPublished(publisher, new Publication(0, sequences[i], 1, 0, ++ns), ++positions[publisher]);
            a.onAcknowledged(publisher, 0, positions[publisher], 1, i);
        }
        a.onRevoked(0, 4, ++ns);
    }

    @Test
    void shouldFindARepeatOfWhatWasCommitted()
    {
        acknowledged(a, 1, 0, 0, 1);
        a.onRevoked(0, 2, ++ns);
        acknowledged(b, 1, 2, 1, 2, 3);

        assertViolated(List.of(Rule.REPEATS_EXPLAINED), 0, 1, 1, 2, 3);
    }

    @Test
    void shouldFindARepeatWithinAnOwnership()
    {
        acknowledged(a, 1, 0, 0, 1);
        published(a, 1, 1);
        a.onAcknowledged(0, 0, 3, 1, 2);
        a.onRevoked(0, 2, ++ns);
        acknowledged(b, 1, 3, 2, 3);

        assertViolated(List.of(Rule.REPEATS_EXPLAINED), 0, 1, 1, 2, 3);
    }

    @Test
    void shouldFindABatchWithoutReport()
    {
        published(a, 1, 0, 1);
        a.onRevoked(0, -1, ++ns);
        acknowledged(b, 1, 0, 0, 1, 2, 3);

        assertViolated(List.of(Rule.REPORTED), 0, 1, 2, 3);
    }

    @Test
    void shouldFindABatchWithTwoReports()
    {
        acknowledged(a, 1, 0, 0, 1);
        a.onAcknowledged(0, 0, 1, 1, 0);
        a.onRevoked(0, 2, ++ns);
        acknowledged(b, 1, 2, 2, 3);

        assertViolated(List.of(Rule.REPORTED), 0, 1, 2, 3);
    }

    @Test
    void shouldFindARunWithoutAnAbruptEnd()
    {
        abruptEnds = 0;
        acknowledged(a, 1, 0, 0, 1);
        a.onRevoked(0, 2, ++ns);
        acknowledged(b, 1, 2, 2, 3);

        assertViolated(List.of(Rule.STRUCK), 0, 1, 2, 3);
    }

    @Test
    void shouldFindARunWithoutARevocation()
    {
        acknowledged(a, 1, 0, 0, 1);
        acknowledged(b, 1, 2, 2, 3);

        assertViolated(List.of(Rule.STRUCK), 0, 1, 2, 3);
    }

    @Test
    void shouldNumberInputsByPartitionAndSequence()
    {
        assertEquals(PipelineJudge.input(5, 1_000_000), PipelineJudge.input(ChaosRecord.value(5, 1_000_000)));
        assertEquals(ChaosRecord.BROKEN, PipelineJudge.input(new byte[ChaosRecord.LENGTH]));
        assertEquals(ChaosRecord.BROKEN, PipelineJudge.input(null));
    }

    private void published(final PipelineLedger ledger, final int epoch, final long... sequences)
    {
        for (final long sequence : sequences)
        {
            ledger.onPublished(
                0, new Publication(0, sequence, epoch, 0, ++ns), ledger.publications().size() + 1);
        }
    }

    private void acknowledged(
        final PipelineLedger ledger, final int epoch, final long offset, final long... sequences)
    {
        published(ledger, epoch, sequences);
        ledger.onAcknowledged(0, 0, 1, sequences.length, offset);
    }

    private Verdict<Rule> verdict(final long... log)
    {
        return new PipelineJudge(
            List.of(slice(0, 1, 2, 3)), List.of(slice(log)), List.of(a, b), keyCount, abruptEnds, 0).verdict();
    }

    private static Slice slice(final long... sequences)
    {
        return new Slice(0, 0, sequences.length, sequences);
    }

    private void assertViolated(final List<Rule> rules, final long... log)
    {
        final Verdict<Rule> verdict = verdict(log);
        final List<Rule> found = new ArrayList<>();
        for (final Rule rule : Rule.values())
        {
            if (!verdict.findings(rule).isEmpty())
            {
                found.add(rule);
            }
        }
        assertFalse(verdict.isClean());
        assertEquals(rules, found, verdict.toText());
    }
}
