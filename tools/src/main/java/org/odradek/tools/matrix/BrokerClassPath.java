/*
 * Licensed under the Apache License, Version 2.0; see the file LICENSE.
 */
package org.odradek.tools.matrix;

import org.odradek.testkit.JavaProcess;

import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The jars of a version of Kafka, resolved by Maven from a pom that is written for it, and kept for the next time.
 */
final class BrokerClassPath
{
    private static final String DEPENDENCY_PLUGIN = "org.apache.maven.plugins:maven-dependency-plugin:3.11.0";
    private static final String ZOOKEEPER_VERSION = "3.5.10";
    private static final String LOG4J_1 = "slf4j-reload4j:1.7.36";
    private static final String SIMPLE = "slf4j-simple:2.0.20";

    private BrokerClassPath()
    {
    }

    /**
     * @param folder where poms and class paths are kept.
     * @return the class path, with what {@link JavaProcess} and {@link SmokeWriter} need at its end.
     */
    static String resolve(final KafkaVersion version, final Path folder) throws IOException, InterruptedException
    {
        final Path own = Files.createDirectories(folder.resolve(version.text()));
        final Path file = own.resolve("class-path");
        if (!Files.exists(file))
        {
            final Path pom = Files.writeString(own.resolve("pom.xml"), pom(version));
            final Path output = own.resolve("maven.log");
            final Process maven = new ProcessBuilder("mvn", "-B", "-ntp", "-f", pom.toString(),
                DEPENDENCY_PLUGIN + ":build-classpath", "-Dmdep.outputFile=" + file + ".new")
                .redirectErrorStream(true).redirectOutput(output.toFile()).start();
            if (maven.waitFor() != 0)
            {
                throw new IllegalStateException("Maven found no class path for Kafka " + version + "; see " + output);
            }
            Files.move(Path.of(file + ".new"), file);
        }
        return Files.readString(file).strip() + File.pathSeparator + location(JavaProcess.class) + File.pathSeparator +
            location(SmokeWriter.class);
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
        final String[] logging = (version.logsWithLog4j1() ? LOG4J_1 : SIMPLE).split(":");
        final String zooKeeper = !version.needsNewerZooKeeper() ? "" : """
              <dependencyManagement>
                <dependencies>
                  <dependency>
                    <groupId>org.apache.zookeeper</groupId>
                    <artifactId>zookeeper</artifactId>
                    <version>%s</version>
                  </dependency>
                </dependencies>
              </dependencyManagement>
            """.formatted(ZOOKEEPER_VERSION);
        return """
            <project xmlns="http://maven.apache.org/POM/4.0.0">
              <modelVersion>4.0.0</modelVersion>
              <groupId>org.odradek.matrix</groupId>
              <artifactId>broker</artifactId>
              <version>1</version>
            %s  <dependencies>
                <dependency>
                  <groupId>org.slf4j</groupId>
                  <artifactId>%s</artifactId>
                  <version>%s</version>
                </dependency>
                <dependency>
                  <groupId>org.apache.kafka</groupId>
                  <artifactId>kafka_%s</artifactId>
                  <version>%s</version>
                  <exclusions>
                    <exclusion>
                      <groupId>org.slf4j</groupId>
                      <artifactId>slf4j-log4j12</artifactId>
                    </exclusion>
                    <exclusion>
                      <groupId>log4j</groupId>
                      <artifactId>log4j</artifactId>
                    </exclusion>
                    <exclusion>
                      <groupId>org.apache.kafka</groupId>
                      <artifactId>kafka-tools-api</artifactId>
                    </exclusion>
                  </exclusions>
                </dependency>
              </dependencies>
            </project>
            """.formatted(zooKeeper, logging[0], logging[1], version.scala(), version.text());
    }
}
