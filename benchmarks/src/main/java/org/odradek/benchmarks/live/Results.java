// SPDX-License-Identifier: Apache-2.0
package org.odradek.benchmarks.live;

import org.odradek.benchmarks.report.Attachment;
import org.odradek.benchmarks.report.NotRun;
import org.odradek.benchmarks.report.Report;
import org.odradek.benchmarks.report.Row;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * What a scenario has found so far.
 */
public final class Results
{
    private final List<Row> rows = new ArrayList<>();
    private final List<NotRun> notRun = new ArrayList<>();
    private final List<Attachment> attachments = new ArrayList<>();

    public List<Row> rows()
    {
        return rows;
    }

    public List<NotRun> notRun()
    {
        return notRun;
    }

    public List<Attachment> attachments()
    {
        return attachments;
    }

    /**
     * @param environment as {@link org.odradek.benchmarks.report.Environment} describes it.
     */
    public Report toReport(final Map<String, Object> environment)
    {
        return new Report(environment, rows, notRun, attachments);
    }
}
