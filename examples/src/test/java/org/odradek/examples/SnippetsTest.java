// SPDX-License-Identifier: Apache-2.0
package org.odradek.examples;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.IOException;
import java.io.StringWriter;
import java.net.URI;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

import static org.junit.jupiter.api.Assertions.assertEquals;

/**
 * Compiles each piece of Java on a page. Pieces may use the names that {@link #SURROUNDINGS} declares. Whole programs
 * are compared with their sources elsewhere, and the declaration of a module is part of {@link ModulePathIT}.
 * <p>
 * One of these pieces or a program of this module must use each type of the API. For a type of the old SimpleConsumer,
 * a test of the facade suffices.
 */
class SnippetsTest
{
    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final Pattern SNIPPET = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);
    private static final Pattern IMPORT = Pattern.compile("(?m)^import .*;\n");
    /** Something is left out here. */
    private static final Pattern ELLIPSIS = Pattern.compile("(?m)^ *\\.\\.\\..*\n");
    private static final Pattern OURS = Pattern.compile("org/odradek/[\\w/$]+");
    /**
     * Types of the API that no piece and no program uses: of connections, which only clients call; of interfaces whose
     * implementation would be long; the answer of a getter; the contents of two responses of the old SimpleConsumer.
     */
    private static final Set<String> UNUSED = new TreeSet<>(Set.of(
        "org.odradek.client.PolledSocket", "org.odradek.client.PollerUser",
        "org.odradek.client.security.SaslMechanism$Session", "org.odradek.consumer.handler.FetchFrameHandler$Frame",
        "org.odradek.consumer.handler.OffsetResetPolicy$Kind",
        "org.odradek.kafka.api.FetchResponsePartitionData",
        "org.odradek.kafka.javaapi.OffsetResponse$PartitionOffsets"));
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
        import org.apache.flink.api.common.typeinfo.TypeInformation;
        import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
        import org.apache.flink.types.LongValue;
        import org.apache.flink.util.Collector;
        import org.odradek.affinity.*;
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
            Publisher[] publishers;
            Workers workers;
            RecordHandler handler;
            Map<String, String> properties;
            Log log;
            Sink sink;
            long[] delivered;
            MeterRegistry registry;
            StreamExecutionEnvironment environment;
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
        """;

    private static final JavaCompiler COMPILER = ToolProvider.getSystemJavaCompiler();
    /** What is wrong with each page; empty for nothing. */
    private static final Map<Path, String> FLAWS = new HashMap<>();
    /** The code of the pages, in which constants are still named. */
    private static final StringBuilder CODE = new StringBuilder();
    /** Types of ours in class files of the pages. */
    private static final Set<String> USED = new HashSet<>();

    @TempDir
    private static Path folder;

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

    @BeforeAll
    static void compile() throws IOException
    {
        for (final Path page : pages().toList())
        {
            FLAWS.put(page, flaw(page));
        }
    }

    @ParameterizedTest
    @MethodSource("pages")
    void shouldCompileEachPieceOfThePage(final Path page)
    {
        assertEquals("", FLAWS.get(page));
    }

    private static String flaw(final Path page) throws IOException
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
            if (!errors.contains(""))
            {
                return page + " has Java that cannot be compiled:\n" + snippet + "\n" + String.join("\n", errors);
            }
            CODE.append(snippet);
            USED.addAll(typesIn(folder));
        }
        return "";
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

    private static String errors(final String imports, final String members)
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
        final boolean isCompiled = COMPILER.getTask(errors, null, null,
            List.of("-proc:none", "-d", folder.toString(), "-cp", classPath), null, List.of(source)).call();
        return isCompiled ? "" : "\n" + errors;
    }

    /** Returns the types of ours that class files name. They do not name the types of constants. */
    private static Set<String> typesIn(final Path classes) throws IOException
    {
        final Set<String> names = new HashSet<>();
        for (final String file : filesIn(classes, ".class", StandardCharsets.ISO_8859_1))
        {
            OURS.matcher(file).results().forEach((name) -> names.add(name.group().replace('/', '.')));
        }
        return names;
    }

    private static List<String> filesIn(final Path folder, final String end, final Charset charset) throws IOException
    {
        final List<String> texts = new ArrayList<>();
        try (Stream<Path> files = Files.walk(folder))
        {
            for (final Path file : (Iterable<Path>)files.filter((file) -> file.toString().endsWith(end))::iterator)
            {
                texts.add(Files.readString(file, charset));
            }
        }
        return texts;
    }

    private static String sourcesIn(final Path folder) throws IOException
    {
        return String.join("", filesIn(folder, ".java", StandardCharsets.UTF_8));
    }

    @Test
    void shouldUseEachTypeOfTheApi() throws IOException
    {
        final String code = CODE + sourcesIn(Path.of("src/main/java"));
        final String oldPrograms = code + sourcesIn(Path.of("../simple-consumer/src/test/java"));
        final Set<String> used = new HashSet<>(USED);
        used.addAll(typesIn(Path.of("target/classes")));
        final List<Class<?>> types = PublicApi.types();
        final Set<Class<?>> unused = new LinkedHashSet<>(types);
        unused.removeIf((type) -> used.contains(type.getName()) ||
            Pattern.compile("\\b" + type.getSimpleName() + "\\b")
                .matcher(type.getName().startsWith(PublicApi.FACADE) ? oldPrograms : code).find());
        // A type is used by the use of a type that extends it.
        types.stream().filter((type) -> !unused.contains(type)).toList()
            .forEach((type) -> unused.removeIf((parent) -> parent.isAssignableFrom(type)));

        assertEquals(UNUSED, unused.stream().map(Class::getName).collect(Collectors.toCollection(TreeSet::new)));
    }
}
