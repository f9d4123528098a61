// SPDX-License-Identifier: Apache-2.0
package org.odradek.consumer;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.odradek.client.context.ClientContext;
import org.odradek.client.security.SecuritySettings;
import org.odradek.consumer.handler.RecordHandler;
import org.odradek.consumer.support.ApiSource;
import org.odradek.harness.PublicSignatures;
import org.odradek.protocol.record.CompressionType;
import org.odradek.protocol.record.Record;
import org.odradek.protocol.record.RecordHeadersFlyweight;
import org.odradek.protocol.record.StoredBatch;

import java.io.IOException;
import java.lang.reflect.AccessibleObject;
import java.lang.reflect.Executable;
import java.lang.reflect.Field;
import java.lang.reflect.Member;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;

/**
 * Compares the public types and their members with the lists that are kept, public-types.txt and public-members.txt. A
 * change of the API changes a list, so that a removal is seen.
 */
class PublicApiTest
{
    private static final Path TYPES = Path.of("src/test/resources/org/odradek/consumer/public-types.txt");
    private static final Path RIGHT_TYPES = Path.of("target/public-types.txt");
    private static final Path MEMBERS = Path.of("src/test/resources/org/odradek/consumer/public-members.txt");
    private static final Path RIGHT_MEMBERS = Path.of("target/public-members.txt");
    private static final Path CLIENT = Path.of("../client/src/main/java/org/odradek/client");
    private static final Path CONSUMER = Path.of("src/main/java/org/odradek/consumer");
    private static final Path VIEWS = Path.of("../protocol/src/main/java/org/odradek/protocol/record");
    private static final Path TESTKIT = Path.of("../testkit/src/main/java/org/odradek/testkit");
    private static final Path PUBLISHER = Path.of("../publisher/src/main/java/org/odradek/publisher");
    private static final Path WORKERS = Path.of("../workers/src/main/java/org/odradek/workers");
    private static final List<Class<?>> RECORD_VIEWS =
        List.of(CompressionType.class, Record.class, RecordHeadersFlyweight.class, StoredBatch.class);

    private static Stream<ApiSource> views()
    {
        return ApiSource.in(VIEWS).stream()
            .filter((source) -> RECORD_VIEWS.stream().anyMatch((type) -> type.getSimpleName().equals(source.name())));
    }

    private static Stream<ApiSource> ofConsumer()
    {
        return Stream.of(CLIENT, CLIENT.resolve("context"), CLIENT.resolve("security"), CONSUMER,
            CONSUMER.resolve("handler")).map(ApiSource::in).flatMap(List::stream);
    }

    @Test
    void shouldHaveTheTypesOfTheList(final TestReporter reporter) throws IOException
    {
        reporter.publishEntry("public types of the consumer and its client: " + ofConsumer().count());
        final StringBuilder text = new StringBuilder();
        Stream.of(ofConsumer(), views(), ApiSource.in(PUBLISHER).stream(), ApiSource.in(WORKERS).stream(),
            ApiSource.in(TESTKIT).stream()).flatMap((types) -> types)
            .map((type) -> type.name() + ": " + type.firstSentence() + "\n")
            .forEach(text::append);
        assertIs(TYPES, RIGHT_TYPES, text.toString());
    }

    private static void assertIs(final Path kept, final Path right, final String text) throws IOException
    {
        Files.writeString(right, text);
        assertEquals(Files.exists(kept) ? Files.readString(kept) : "", text,
            () -> "the public API has changed; if it is meant to, copy consumer/" + right + " to consumer/" + kept);
    }

    @Test
    void shouldHaveTheMembersOfTheList() throws IOException
    {
        final List<Class<?>> types = new ArrayList<>(RECORD_VIEWS);
        types.addAll(PublicSignatures.publicClasses(TopicConsumer.class));
        types.addAll(PublicSignatures.publicClasses(RecordHandler.class));
        types.addAll(PublicSignatures.publicClasses(ClientContext.class));
        types.addAll(PublicSignatures.publicClasses(SecuritySettings.class));
        final StringBuilder text = new StringBuilder();
        types.forEach((type) -> members(type).map((line) -> line + "\n").forEach(text::append));
        assertIs(MEMBERS, RIGHT_MEMBERS, text.toString());
    }

    /** The type, then its public and protected members. Which of the JDK's methods it overrides is no part of it. */
    private static Stream<String> members(final Class<?> type)
    {
        final Stream<? extends AccessibleObject> members = Stream.of(
            type.getDeclaredFields(), type.getDeclaredConstructors(), type.getDeclaredMethods()).flatMap(Stream::of);
        return Stream.concat(Stream.of(type.toGenericString()), members
            .filter((member) -> (((Member)member).getModifiers() & (Modifier.PUBLIC | Modifier.PROTECTED)) != 0)
            .filter((member) -> !((Member)member).isSynthetic())
            .map(PublicApiTest::signature).sorted());
    }

    private static String signature(final AccessibleObject member)
    {
        final String text = member instanceof Field field ? field.toGenericString() :
            ((Executable)member).toGenericString();
        return "    " + text.replaceAll("java\\.(lang|util)\\.(?=[A-Z])", "");
    }

    @Test
    void shouldHaveJavadocForEachPublicMethod()
    {
        assertEquals(List.of(), Stream.of(ofConsumer(), views(), ApiSource.in(PUBLISHER).stream(),
            ApiSource.in(WORKERS).stream()).flatMap((types) -> types)
            .flatMap((type) -> type.undocumented().stream()).toList());
    }

    @Test
    void shouldNoticeAMethodWithoutJavadoc()
    {
        final ApiSource type = ApiSource.of("T", """
            /**
             * Is a {@link Type}. More.
             */
            public final class T
            {
                public T()
                {
                }

                /** Text. */
                @Deprecated
                public int documented()
                {
                    return call(1);
                }

                @Override
                public String toString()
                {
                    return "";
                }

                int internal()
                {
                }

                public interface Nested
                {
                    int nested();

                    /** Text. */
                    int documented();
                }

                private static final class Hidden
                {
                    public int hidden()
                    {
                    }
                }

                public static <X extends Y> List<X> generic(final int a)
                {
                }
            }
            """);

        assertEquals(List.of("T: public T()", "T: int nested();",
            "T: public static <X extends Y> List<X> generic(final int a)"), type.undocumented());
        assertEquals("Is a `Type`.", type.firstSentence());
    }
}
