// SPDX-License-Identifier: Apache-2.0
package org.odradek.harness;

import org.apache.kerby.kerberos.kerb.KrbException;
import org.apache.kerby.kerberos.kerb.server.SimpleKdcServer;
import org.odradek.testkit.internal.FreePorts;
import org.odradek.testkit.internal.TempFolder;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * A Kerberos key distribution center in this JVM, for one broker and one reader. It needs Kerby's kerb-simplekdc on the
 * class path. Its krb5.conf becomes that of this JVM.
 */
public final class KerberosServer implements AutoCloseable
{
    /** The principal of the reader, without the realm. */
    public static final String READER = "reader";
    /** The keytab has a key of this principal, and the server does not know the principal. */
    public static final String UNKNOWN = "unknown@EXAMPLE.COM";
    /** The keytab has a wrong key of this principal. */
    public static final String WRONG_KEY = "wrong-key@EXAMPLE.COM";
    /** The keytab has a key of this principal, and nothing listens on the port of the server of its realm. */
    public static final String UNREACHABLE = "reader@UNREACHABLE.COM";

    private static final String CONFIG_PROPERTY = "java.security.krb5.conf";
    private static final String SERVICE = "kafka/localhost";

    private final TempFolder folder = new TempFolder("odradek-kdc-");
    private final int port = FreePorts.next();
    private final int unusedPort = FreePorts.next();
    private final String before = System.getProperty(CONFIG_PROPERTY);
    private final Path keytab = folder.path().resolve("all.keytab");
    private SimpleKdcServer server;

    public KerberosServer()
    {
        try
        {
            server = new SimpleKdcServer();
            server.setWorkDir(folder.path().toFile());
            server.setKdcHost("localhost");
            server.setKdcRealm("EXAMPLE.COM");
            server.setAllowUdp(false);
            server.setKdcTcpPort(port);
            server.init();
            server.start();
            server.createAndExportPrincipals(keytab.toFile(), SERVICE, READER);
            for (final String principal : new String[] {UNKNOWN, WRONG_KEY, UNREACHABLE})
            {
                server.createPrincipal(principal);
                server.exportPrincipal(principal, keytab.toFile());
                server.deletePrincipal(principal);
            }
            server.createPrincipal(WRONG_KEY);
            // The realms are the last section of the file.
            Files.writeString(config(), "\nUNREACHABLE.COM = {\nkdc = localhost:" + unusedPort + "\n}\n",
                StandardOpenOption.APPEND);
            System.setProperty(CONFIG_PROPERTY, config().toString());
        }
        catch (final KrbException | IOException ex)
        {
            close();
            throw new IllegalStateException(ex);
        }
    }

    /** The krb5.conf, for the flag -Djava.security.krb5.conf of another JVM. */
    public Path config()
    {
        return folder.path().resolve("krb5.conf");
    }

    /** The keys of the principals. */
    public Path keytab()
    {
        return keytab;
    }

    /** The JAAS configuration of the broker. */
    public String brokerLogin()
    {
        return login(SERVICE);
    }

    /** The JAAS configuration of the reader. */
    public String readerLogin()
    {
        return login(READER);
    }

    private String login(final String principal)
    {
        return "com.sun.security.auth.module.Krb5LoginModule required useKeyTab=true storeKey=true keyTab=\"" + keytab +
            "\" principal=\"" + principal + "@EXAMPLE.COM\";";
    }

    @Override
    public void close()
    {
        if (server != null)
        {
            try
            {
                server.stop();
            }
            catch (final KrbException ex)
            {
                throw new IllegalStateException(ex);
            }
            finally
            {
                server = null;
                FreePorts.release(port);
                FreePorts.release(unusedPort);
                folder.delete();
                if (before == null)
                {
                    System.clearProperty(CONFIG_PROPERTY);
                }
                else
                {
                    System.setProperty(CONFIG_PROPERTY, before);
                }
            }
        }
    }
}
