// SPDX-License-Identifier: Apache-2.0
package org.odradek.tools.status;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import org.junit.jupiter.api.Test;
import org.odradek.client.metrics.ExportedMetric;
import org.odradek.client.metrics.ListedCounter;
import org.odradek.consumer.ConsumerConfiguration;
import picocli.CommandLine;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Checks the dashboard, the alert rules and the page about metrics against the names that are exported, and the
 * examples of deployment as far as a machine without containers can.
 */
class MonitoringFilesTest
{
    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final Path DEPLOYMENT = ROOT.resolve("examples").resolve("deployment");
    private static final Path MONITORING = ROOT.resolve("examples").resolve("monitoring");
    private static final Pattern NAME = Pattern.compile("odradek_\\w+");
    private static final Set<String> EXPORTED =
        ListedCounter.metrics().stream().map(ExportedMetric::prometheusName).collect(Collectors.toSet());
    /** What a dashboard and alerts must show: lag, age, stalls, reconnects, gaps, rebalances, allocation. */
    private static final List<String> WANTED = List.of("odradek_up", "odradek_partition_lag",
        "odradek_last_poll_age_seconds", "odradek_last_heartbeat_age_seconds", "odradek_record_age_seconds",
        "odradek_stalls_total", "odradek_connections_lost_total", "odradek_gaps_total", "odradek_rebalances_total",
        "odradek_thread_allocated_bytes_total");

    private static void assertNames(final List<String> expressions)
    {
        final Set<String> names = new TreeSet<>();
        for (final String expression : expressions)
        {
            final Matcher matcher = NAME.matcher(expression);
            assertTrue(matcher.find(), expression);
            matcher.reset().results().forEach((result) -> names.add(result.group()));
        }
        final Set<String> unknown = new TreeSet<>(names);
        unknown.removeAll(EXPORTED);
        assertEquals(Set.of(), unknown);
        assertTrue(names.containsAll(WANTED), names::toString);
    }

    @Test
    void shouldShowExportedNamesOnTheDashboard() throws IOException
    {
        final JsonNode dashboard =
            new ObjectMapper().readTree(MONITORING.resolve("grafana-dashboard.json").toFile());
        final List<String> expressions = new ArrayList<>();
        final Set<Integer> ids = new HashSet<>();
        for (final JsonNode panel : dashboard.get("panels"))
        {
            assertTrue(ids.add(panel.get("id").intValue()), panel::toString);
            panel.path("targets").forEach((target) -> expressions.add(target.get("expr").textValue()));
        }
        dashboard.get("templating").get("list").forEach((variable) ->
        {
            if ("query".equals(variable.get("type").textValue()))
            {
                expressions.add(variable.get("query").textValue());
            }
        });
        assertNames(expressions);
    }

    @Test
    void shouldAlertOnExportedNames() throws IOException
    {
        final List<String> expressions = new ArrayList<>();
        for (final JsonNode rule : yaml(MONITORING.resolve("alerts.yml")).get("groups").get(0).get("rules"))
        {
            assertTrue(rule.get("alert").textValue().startsWith("Odradek"), rule::toString);
            assertTrue(rule.get("annotations").get("summary").textValue().endsWith("."), rule::toString);
            assertTrue(rule.get("labels").get("severity").textValue().matches("critical|warning|info"), rule::toString);
            expressions.add(rule.get("expr").textValue());
        }
        assertNames(expressions);
    }

    @Test
    void shouldListEveryMetricInTheDocs() throws IOException
    {
        final String page = Files.readString(ROOT.resolve("docs").resolve("operate.md"));
        final List<String> missing = new ArrayList<>();
        final List<ExportedMetric> all = new ArrayList<>(ListedCounter.metrics());
        all.add(ExportedMetric.IGNORED_FILES);
        for (final ExportedMetric metric : all)
        {
            final String row = "| `" + metric + "` | " + metric.help() + " |\n";
            if (!page.contains(row))
            {
                missing.add(row);
            }
        }
        assertEquals(List.of(), missing);
    }

    private static JsonNode yaml(final Path file) throws IOException
    {
        return new YAMLMapper().readTree(file.toFile());
    }

    /** The jar and arguments of a command line of Java; those of our own commands are parsed. */
    private static void assertProgram(final List<String> program)
    {
        final String name = Path.of(program.get(0)).getFileName().toString();
        if (name.equals("odradek.jar"))
        {
            assertEquals("prometheus", program.get(1));
            final CommandLine.ParseResult parsed = new CommandLine(new PrometheusCommand())
                .parseArgs(program.subList(2, program.size()).toArray(String[]::new));
            assertEquals("/run/odradek/*.counters", parsed.matchedPositional(0).originalStringValues().get(0));
            assertEquals("9404", parsed.matchedOption("--port").originalStringValues().get(0));
        }
        else
        {
            assertEquals("ingest.jar", name);
            assertEquals("/run/odradek/ingest.counters", program.get(3));
        }
    }

    /** DeploymentIT of the examples runs both jars with this entry point. */
    @Test
    void shouldHaveAnImageWithARealProgram() throws IOException
    {
        final List<String> lines = Files.readString(DEPLOYMENT.resolve("Dockerfile"))
            .replaceAll("(?m)^#.*\n", "").replaceAll("\\\\\n *", "").lines().filter((line) -> !line.isEmpty()).toList();
        assertTrue(lines.stream().allMatch((line) ->
            line.matches("(FROM|WORKDIR|COPY|RUN|USER|ENTRYPOINT|CMD) .+")), lines::toString);
        final List<String> entry = jsonArray(lines, "ENTRYPOINT ");
        assertEquals("-jar", entry.get(entry.size() - 1));
        assertProgram(jsonArray(lines, "CMD "));
    }

    private static List<String> jsonArray(final List<String> lines, final String instruction) throws IOException
    {
        final List<String> found = lines.stream().filter((line) -> line.startsWith(instruction)).toList();
        assertEquals(1, found.size(), instruction);
        final List<String> values = new ArrayList<>();
        new ObjectMapper().readTree(found.get(0).substring(instruction.length()))
            .forEach((value) -> values.add(value.textValue()));
        return values;
    }

    @Test
    void shouldHaveServicesOfSystemdWithRealPrograms() throws IOException
    {
        for (final String name : List.of("ingest.service", "ingest-metrics.service"))
        {
            final String unit = Files.readString(DEPLOYMENT.resolve(name)).replaceAll("\\\\\n *", "");
            final List<String> program = List.of(unit.lines()
                .filter((line) -> line.startsWith("ExecStart=/usr/bin/java ")).findFirst().orElseThrow().split(" +"));
            assertProgram(program.subList(program.indexOf("-jar") + 1, program.size()));
            for (final String line : unit.split("\n"))
            {
                assertTrue(line.matches("|#.*|\\[(Unit|Service|Install)]|[A-Z]\\w+=\\S.*"), line);
            }
            assertTrue(unit.contains("\nProtectSystem=strict\n"), name);
        }
        final String ingest = Files.readString(DEPLOYMENT.resolve("ingest.service"));
        assertTrue(ingest.contains("\nRuntimeDirectory=odradek\n"));
        assertTrue(ingest.contains(" -D" + ConsumerConfiguration.FILE_PERMISSIONS_PROP_NAME + "=rw-r----- "));
        assertTrue(ingest.contains("\nGroup=ingest\n"));
        assertTrue(Files.readString(DEPLOYMENT.resolve("ingest-metrics.service"))
            .contains("\nSupplementaryGroups=ingest\n"), "only the group may read the counters");
    }

    @Test
    void shouldHaveAPodWhoseContainersShareTheCountersAndAreProbed() throws IOException
    {
        final JsonNode pod = yaml(DEPLOYMENT.resolve("kubernetes.yaml")).get("spec").get("template").get("spec");
        final JsonNode sidecar = pod.get("initContainers").get(0);
        final JsonNode ingest = pod.get("containers").get(0);
        assertEquals("Always", sidecar.get("restartPolicy").textValue());
        final Set<String> volumes = new HashSet<>();
        pod.get("volumes").forEach((volume) -> volumes.add(volume.get("name").textValue()));
        for (final JsonNode container : List.of(sidecar, ingest))
        {
            final List<String> program = new ArrayList<>();
            container.get("args").forEach((argument) -> program.add(argument.textValue()));
            assertProgram(program);
            assertTrue(container.get("securityContext").get("readOnlyRootFilesystem").booleanValue());
            boolean hasCounters = false;
            boolean hasTmp = false;
            for (final JsonNode mount : container.get("volumeMounts"))
            {
                assertTrue(volumes.contains(mount.get("name").textValue()), mount::toString);
                hasCounters |= mount.get("name").textValue().equals("counters") &&
                    mount.get("mountPath").textValue().equals("/run/odradek");
                hasTmp |= mount.get("mountPath").textValue().equals("/tmp");
            }
            assertTrue(hasCounters && hasTmp, container::toString);
        }
        assertFalse(sidecar.has("livenessProbe"), "the kubelet would restart the sidecar in place of the consumer");
        assertEquals(List.of("/healthz", "9404"), probe(ingest.get("livenessProbe")));
        assertEquals(List.of("/healthz", "9404"), probe(ingest.get("startupProbe")));
        assertEquals(List.of("/readyz", "9404"), probe(ingest.get("readinessProbe")));
        assertEquals(9404, sidecar.get("ports").get(0).get("containerPort").intValue());
        assertTrue(sidecar.get("args").toString().contains("--host=0.0.0.0"),
            "the kubelet reaches no loopback address");
        pod.get("volumes").forEach((volume) -> assertTrue(volume.has("secret") ||
            volume.get("emptyDir").get("medium").textValue().equals("Memory"), volume::toString));
    }

    @Test
    void shouldLetOnlyPrometheusConnectToThePod() throws IOException
    {
        final List<JsonNode> documents = documents(Files.readString(DEPLOYMENT.resolve("kubernetes.yaml")));
        final JsonNode deployment = documents.get(0).get("spec").get("template");
        final JsonNode policy = documents.get(1);
        assertEquals("NetworkPolicy", policy.get("kind").textValue());
        assertEquals(deployment.get("metadata").get("labels"),
            policy.get("spec").get("podSelector").get("matchLabels"));
        assertEquals("[\"Ingress\"]", policy.get("spec").get("policyTypes").toString());
        final JsonNode rule = policy.get("spec").get("ingress").get(0);
        assertEquals(1, policy.get("spec").get("ingress").size());
        assertTrue(rule.get("from").get(0).has("namespaceSelector"), rule::toString);
        assertEquals(9404, rule.get("ports").get(0).get("port").intValue());
    }

    @Test
    void shouldPinImagesAndMountNoTokenOfTheCluster() throws IOException
    {
        final List<JsonNode> documents =
            new ArrayList<>(documents(Files.readString(DEPLOYMENT.resolve("kubernetes.yaml"))).subList(0, 1));
        final Matcher blocks = Pattern.compile("```yaml\n(.*?)```", Pattern.DOTALL)
            .matcher(Files.readString(ROOT.resolve("docs").resolve("operate.md")));
        while (blocks.find())
        {
            documents.addAll(documents(blocks.group(1)));
        }
        assertEquals(3, documents.size());
        for (final JsonNode document : documents)
        {
            final JsonNode pod = document.get("spec").get("template").get("spec");
            assertFalse(pod.get("automountServiceAccountToken").booleanValue(), pod::toString);
            for (final String image : pod.findValuesAsText("image"))
            {
                assertTrue(image.endsWith("@sha256:<digest>"), image);
            }
        }
    }

    private static List<JsonNode> documents(final String text) throws IOException
    {
        return new YAMLMapper().readerFor(JsonNode.class).<JsonNode>readValues(text).readAll();
    }

    private static List<String> probe(final JsonNode probe)
    {
        return List.of(probe.get("httpGet").get("path").textValue(), probe.get("httpGet").get("port").asText());
    }
}
