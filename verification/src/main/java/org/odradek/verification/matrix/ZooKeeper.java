// SPDX-License-Identifier: Apache-2.0
package org.odradek.verification.matrix;

import org.odradek.testkit.internal.JavaProcess;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * A ZooKeeper in its own process, with the class path of a version of Kafka that needs one.
 */
final class ZooKeeper implements AutoCloseable
{
    private final int port = VersionedBroker.freePort();
    private final JavaProcess process;

    /**
     * @param folder of its data, which is created.
     */
    ZooKeeper(final String classPath, final Path folder, final String[] flags) throws IOException
    {
        Files.createDirectories(folder);
        final Path file = Files.write(folder.resolve("zookeeper.properties"), List.of(
            "clientPort=" + port, "clientPortAddress=" + VersionedBroker.HOST,
            "dataDir=" + folder, "admin.enableServer=false", "tickTime=1000"));
        process = JavaProcess.of("org.apache.zookeeper.server.ZooKeeperServerMain")
            .classPath(classPath).flags(flags).args(file.toString()).start();
        VersionFiles.awaitListening("ZooKeeper", process, port);
    }

    String address()
    {
        return VersionedBroker.HOST + ":" + port;
    }

    @Override
    public void close()
    {
        process.kill();
        process.close();
    }
}
