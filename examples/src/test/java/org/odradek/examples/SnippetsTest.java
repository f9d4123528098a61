// SPDX-License-Identifier: Apache-2.0
package org.odradek.examples;

import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.IOException;
import java.io.StringWriter;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Compiles each piece of Java on a page. Pieces may use the names that {@link #SURROUNDINGS} declares. Whole programs
 * are compared with their sources elsewhere, and the declaration of a module is part of {@link ModulePathIT}.
 */
class SnippetsTest
{
    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final Pattern SNIPPET = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);
    private static final Pattern IMPORT = Pattern.compile("(?m)^import .*;\n");
    /** Something is left out here. */
    private static final Pattern ELLIPSIS = Pattern.compile("(?m)^ *\\.\\.\\..*\n");
    private static final String IMPORTS = """
        package org.odradek.examples;

        import io.micrometer.core.instrument.*;
        import java.io.*;
        import java.net.*;
        import java.nio.*;
        import java.nio.file.*;
        import java.util.*;
        import java.util.concurrent.*;
        import java.util.function.Function;
        import org.agrona.concurrent.UnsafeBuffer;
        import org.apache.flink.api.common.eventtime.WatermarkStrategy;
        import org.apache.flink.api.common.serialization.SimpleStringSchema;
        import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
        import org.apache.flink.types.LongValue;
        import org.apache.flink.util.Collector;
        import org.odradek.client.*;
        import org.odradek.client.security.*;
        import org.odradek.consumer.*;
        import org.odradek.consumer.handler.*;
        import org.odradek.consumer.handler.ControlledRecordHandler.Action;
        import org.odradek.flink.*;
        import org.odradek.micrometer.*;
        import org.odradek.oauth.*;
        import org.odradek.protocol.record.CompressionType;
        import org.odradek.protocol.record.Record;
        import org.odradek.publisher.*;
        import org.odradek.replay.*;
        import org.odradek.testkit.*;
        import org.odradek.workers.*;
        import static org.junit.jupiter.api.Assertions.*;
        import static org.odradek.client.security.OAuthBearerMechanism.*;
        import static org.odradek.client.security.PlainMechanism.*;
        import static org.odradek.client.security.ScramMechanism.*;
        import static org.odradek.client.security.TlsSettings.*;
        """;
    private static final String SURROUNDINGS = """
        abstract class Snippet
        {
            interface Sink
            {
                void write(int partition, int epoch, long offset, Record record, Acknowledgements acknowledgements);

                long acknowledged(int partition);
            }

            interface Log
            {
                void warn(String text);
            }

            ConsumerContext context;
            TopicConsumer consumer;
            Publisher publisher;
            RecordHandler handler;
            Map<String, String> properties;
            Log log;
            Sink sink;
            long[] delivered;
            MeterRegistry registry;
            StreamExecutionEnvironment environment;
            LongValue element;
            String user;
            String apiKey;
            String clientId;
            char[] password;
            char[] apiSecret;
            char[] connectionString;
            char[] secret;
            char[] caPassword;
            char[] userPassword;
            char[] key;
            String certificate;
            volatile boolean running;

            abstract void join(Thread thread);
        """;

    private final JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();

    @TempDir
    private Path folder;

    static Stream<Path> pages() throws IOException
    {
        final List<Path> pages = new ArrayList<>(List.of(
            ROOT.resolve("flink/README.md"), ROOT.resolve("examples/profile-handler/README.md")));
        try (Stream<Path> files = Files.walk(ROOT.resolve("docs")))
        {
            files.filter((file) -> file.toString().endsWith(".md")).forEach(pages::add);
        }
        return pages.stream().filter((page) -> !snippets(page).isEmpty()).map(ROOT::relativize);
    }

    private static List<String> snippets(final Path page)
    {
        try
        {
            return SNIPPET.matcher(Files.readString(page)).results().map((result) -> result.group(1))
                .filter((snippet) -> !snippet.startsWith("package ") && !snippet.startsWith("module ")).toList();
        }
        catch (final IOException ex)
        {
            throw new IllegalStateException(page + " could not be read", ex);
        }
    }

    @ParameterizedTest
    @MethodSource("pages")
    void shouldCompileEachPieceOfThePage(final Path page)
    {
        for (final String snippet : snippets(ROOT.resolve(page)))
        {
            final String imports =
                IMPORT.matcher(snippet).results().map((result) -> result.group()).collect(Collectors.joining());
            final String code = ELLIPSIS.matcher(IMPORT.matcher(snippet).replaceAll("")).replaceAll("");
            final List<String> errors = new ArrayList<>();
            final Iterator<String> forms = List.of(inMethod(code), values(code), code).iterator();
            while (!errors.contains("") && forms.hasNext())
            {
                errors.add(errors(imports, forms.next()));
            }
            assertTrue(errors.contains(""),
                () -> page + " has Java that cannot be compiled:\n" + snippet + "\n" + String.join("\n", errors));
        }
    }

    private static String inMethod(final String code)
    {
        return "void run() throws Exception\n{\n" + code + "}\n";
    }

    /** Takes each line that is not indented further, and what follows it, for an expression. */
    private static String values(final String code)
    {
        final StringBuilder methods = new StringBuilder();
        for (final String expression : code.replaceAll("(?m)^//.*\\n", "").split("\\n(?=\\S)"))
        {
            methods.append("Object value").append(methods.length()).append("()\n{\nreturn ")
                .append(expression.strip().replaceAll(";$", "")).append(";\n}\n");
        }
        return methods.toString();
    }

    private String errors(final String imports, final String members)
    {
        final StringWriter errors = new StringWriter();
        final JavaFileObject source =
            new SimpleJavaFileObject(URI.create("string:///Snippet.java"), JavaFileObject.Kind.SOURCE)
            {
                @Override
                public CharSequence getCharContent(final boolean ignoreEncodingErrors)
                {
                    return IMPORTS + imports + SURROUNDINGS + members + "}\n";
                }
            };
        final String classPath =
            System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
        final boolean isCompiled = compiler.getTask(errors, null, null,
            List.of("-proc:none", "-d", folder.toString(), "-cp", classPath), null, List.of(source)).call();
        return isCompiled ? "" : "\n" + errors;
    }
}
