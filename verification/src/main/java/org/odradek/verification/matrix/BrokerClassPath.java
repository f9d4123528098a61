// SPDX-License-Identifier: Apache-2.0
package org.odradek.verification.matrix;

import org.odradek.testkit.internal.JavaProcess;

import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/**
 * The class path of a version of Kafka. Maven resolves it from a generated pom; it is kept for later runs.
 */
final class BrokerClassPath
{
    private static final String DEPENDENCY_PLUGIN = "org.apache.maven.plugins:maven-dependency-plugin:3.11.0";
    private static final String LOG4J_1 = "org.slf4j:slf4j-reload4j:1.7.36";
    private static final String SIMPLE = "org.slf4j:slf4j-simple:2.0.20";

    private BrokerClassPath()
    {
    }

    /**
     * @param folder in which poms and class paths are kept.
     * @return the class path, with the locations of {@link JavaProcess} and {@link SmokeWriter} at its end.
     */
    static String resolve(final KafkaVersion version, final Path folder) throws IOException, InterruptedException
    {
        final Path own = Files.createDirectories(folder.resolve(version.text()));
        final Path pom = own.resolve("pom.xml");
        final Path file = own.resolve("class-path");
        final String text = pom(version);
        if (!isResolved(pom, text, file))
        {
            Files.deleteIfExists(file);
            Files.writeString(pom, text);
            runMaven(version, pom, file);
        }
        return Files.readString(file).strip() + File.pathSeparator + location(JavaProcess.class) + File.pathSeparator +
            location(SmokeWriter.class);
    }

    private static boolean isResolved(final Path pom, final String text, final Path file) throws IOException
    {
        return Files.exists(file) && Files.exists(pom) && Files.readString(pom).equals(text) &&
            Stream.of(Files.readString(file).strip().split(File.pathSeparator)).map(Path::of).allMatch(Files::exists);
    }

    private static void runMaven(final KafkaVersion version, final Path pom, final Path file)
        throws IOException, InterruptedException
    {
        final Path output = pom.resolveSibling("maven.log");
        final Process maven = new ProcessBuilder("mvn", "-B", "-ntp", "-f", pom.toString(),
            DEPENDENCY_PLUGIN + ":build-classpath", "-Dmdep.outputFile=" + file)
            .redirectErrorStream(true).redirectOutput(output.toFile()).start();
        if (maven.waitFor() != 0)
        {
            throw new IllegalStateException("Maven cannot resolve the class path of Kafka " + version + "; see " +
                output);
        }
    }

    private static String location(final Class<?> type)
    {
        try
        {
            return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI()).toString();
        }
        catch (final URISyntaxException ex)
        {
            throw new IllegalStateException(ex);
        }
    }

    private static String pom(final KafkaVersion version)
    {
        return """
            <project xmlns="http://maven.apache.org/POM/4.0.0">
              <modelVersion>4.0.0</modelVersion>
              <groupId>org.odradek.matrix</groupId>
              <artifactId>broker</artifactId>
              <version>1</version>
              <dependencyManagement>
                <dependencies>
                  %s
                </dependencies>
              </dependencyManagement>
              <dependencies>
                %s
                %s
                %s
              </dependencies>
            </project>
            """.formatted(
                version.needsNewerZooKeeper() ? dependency("org.apache.zookeeper:zookeeper:3.5.10") : "",
                dependency(version.logsWithLog4j1() ? LOG4J_1 : SIMPLE),
                version.needsJaxb() ? dependency("javax.xml.bind:jaxb-api:2.3.1") : "",
                dependency("org.apache.kafka:kafka_" + version.scala() + ":" + version.text(),
                    "org.slf4j:slf4j-log4j12", "log4j:log4j", "org.apache.kafka:kafka-tools-api"));
    }

    private static String dependency(final String coordinates, final String... exclusions)
    {
        final StringBuilder text = new StringBuilder("<dependency>").append(names(coordinates))
            .append("<version>").append(coordinates.split(":")[2]).append("</version><exclusions>");
        for (final String exclusion : exclusions)
        {
            text.append("<exclusion>").append(names(exclusion)).append("</exclusion>");
        }
        return text.append("</exclusions></dependency>").toString();
    }

    private static String names(final String coordinates)
    {
        final String[] parts = coordinates.split(":");
        return "<groupId>" + parts[0] + "</groupId><artifactId>" + parts[1] + "</artifactId>";
    }
}
