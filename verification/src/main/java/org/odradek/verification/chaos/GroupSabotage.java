// SPDX-License-Identifier: Apache-2.0
package org.odradek.verification.chaos;

import org.odradek.verification.chaos.GroupJudge.Rule;

import java.io.File;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * A defect of our members that the verdict must find. A source file of the library is changed and compiled, and its
 * class is ahead of the library on the class path of the members.
 */
enum GroupSabotage
{
    /** No defect. */
    NONE(null, null, null),
    /** Partitions are given up without a commit. */
    NO_COMMIT(GroupFault.JOIN, Rule.REPEATS_EXPLAINED, "group/GroupReconciliation",
        "if (settings.hasCommitInterval() && (state.isAgreed || acknowledged != null))", "if (settings == null)"),
    /** Partitions are acknowledged as given up before their offsets are committed. */
    EARLY_RELEASE(GroupFault.NEVER_DONE, Rule.ONE_OWNER, "group/GroupReconciliation",
        "        state.phase = Phase.DRAINING;\n        table.unassign(partition);",
        "        state.phase = Phase.DRAINING;\n        table.unassign(partition);\n        member.disown(partition);",
        "        state.phase = Phase.FREE;\n        member.disown(partition);",
        "        state.phase = Phase.FREE;"),
    /** After a lost response, the next heartbeat says nothing of what is owned. */
    SHORT_HEARTBEAT(GroupFault.RESPONSES_LOST, Rule.SETTLES, "group/GroupMember",
        "    {\n        isInDoubt = true;\n        dueNs = environment.clock().nowNs();",
        "    {\n        isInDoubt = epoch == 0;\n        confirmedChanges = ownedChanges;\n" +
        "        dueNs = environment.clock().nowNs();"),
    /** A member that was removed goes on delivering. */
    DELIVERY_AFTER_REMOVAL(GroupFault.LONG_STOP, Rule.ONE_OWNER, "group/GroupReconciliation",
        "                table.unassign(p);\n            }\n            if (phase.isOwned())",
        "            }\n            if (phase.isOwned())"),
    /** The offset of a partition that was given up is committed again. */
    COMMIT_AFTER_RELEASE(GroupFault.JOIN, Rule.COMMITS_RIGHT, "group/GroupReconciliation",
        "            if (phase == Phase.OWNED || ",
        "            if (phase == Phase.FREE && partitions.get(p).nextOffset > 0)\n            {\n" +
        "                coordinator.commits().discard(p);\n" +
        "                coordinator.commits().commit(p, partitions.get(p).nextOffset, -1);\n            }\n" +
        "            if (phase == Phase.OWNED || "),
    /** The guard is switched off: a member that is cut off from the coordinator goes on delivering. */
    NO_GUARD(GroupFault.LONG_CUT, Rule.ONE_OWNER, "core/ConsumerSettings",
        "fenceAfterMs = FENCE_AFTER_INTERVALS;", "fenceAfterMs = 0;"),
    /** A heartbeat that is due is sent before a commit that waits. */
    HEARTBEATS_FIRST(GroupFault.SLOW_POLLS, Rule.SLOW_POLLS_COMMIT, "group/GroupCoordinator",
        "isDue && (member.isInDoubt() || !protocol.mayFollow()) && send(protocol",
        "isDue && send(protocol"),
    /** A member whose thread is interrupted closes without leaving the group. */
    INTERRUPTED_CLOSE(GroupFault.INTERRUPT, Rule.INTERRUPT_RELEASES, "engine/DutyCycle",
        "        while (!isFinished() && ", "        while (!isInterrupted && !isFinished() && ",
        "isInterrupted |= finishLate();", "isInterrupted = isInterrupted || finishLate();");

    private static final String SOURCES = "consumer/src/main/java/org/odradek/consumer/";

    private final GroupFault fault;
    private final Rule rule;
    private final String className;
    private final String[] edits;

    /**
     * @param fault that shows it, after a member has joined.
     * @param rule  that should find it.
     * @param edits texts that the source file has exactly once, each followed by the text to put there.
     */
    GroupSabotage(final GroupFault fault, final Rule rule, final String className, final String... edits)
    {
        this.fault = fault;
        this.rule = rule;
        this.className = className;
        this.edits = edits;
    }

    GroupFault fault()
    {
        return fault;
    }

    Rule rule()
    {
        return rule;
    }

    static List<GroupSabotage> defects()
    {
        return List.of(values()).subList(1, values().length);
    }

    @Override
    public String toString()
    {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /**
     * Compiles the class with the defect against the class path of this JVM.
     *
     * @param folder that receives it.
     */
    void compile(final Path folder)
    {
        if (this == NONE)
        {
            return;
        }
        final JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null))
        {
            final File source = defectiveSource(folder);
            final StringWriter errors = new StringWriter();
            final List<String> options = List.of("-nowarn", "-proc:none", "-d", folder.toString(),
                "-classpath", System.getProperty("java.class.path"));
            if (!compiler.getTask(
                errors, files, null, options, null, files.getJavaFileObjects(source)).call())
            {
                throw new IllegalStateException("The class with the defect " + this + " does not compile:\n" + errors);
            }
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }

    private File defectiveSource(final Path folder) throws IOException
    {
        final Path file = Path.of(System.getProperty("odradek.home", ".."), SOURCES + className + ".java");
        String source = Files.readString(file);
        for (int i = 0; i < edits.length; i += 2)
        {
            final int index = source.indexOf(edits[i]);
            if (index < 0 || source.indexOf(edits[i], index + 1) >= 0)
            {
                throw new IllegalStateException(file + " must have exactly once the text\n" + edits[i]);
            }
            source = source.substring(0, index) + edits[i + 1] + source.substring(index + edits[i].length());
        }
        return Files.writeString(folder.resolve(file.getFileName()), source).toFile();
    }
}
